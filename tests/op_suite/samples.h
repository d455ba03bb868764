// What an op's _test.cc writes: samples of its inputs and calls that must fail. The suite makes the
// checks of them.
//
//   WEFT_OP_TEST(concat) {
//     t.sample({in({2, 3}), in({1, 3})}, "axis=0");
//     t.error("C3", {in({2, 2}), in({1, 3})}, "axis=0",
//             "concat: input 1 has shape [1, 3] but input 0 has shape [2, 2]; they may differ only
//             on axis 0 [concat.C3]");
//     t.reference([](const Attrs& at, Arrays in) -> Arrays { ... });
//   }
//
// A light header: it compiles in a fraction of gtest's time.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/shape.h"
#include "weft/expr/interpret.h"
#include "weft/op/attrs.h"

namespace weft::suite {

// So that `using namespace weft::suite` is all a test needs.
using weft::DType;
using weft::Index;
using weft::Ints;
using weft::normalized;
using weft::ScalarValue;
using weft::Shape;

// One input of a sample.
struct Arg {
  std::vector<int64_t> shape;
  double low = -2, high = 2;   // random values between these (a domain where the op is smooth)
  std::vector<double> values;  // or exactly these, row-major
  std::optional<DType> dtype;  // fixed; else the sample runs for every dtype of the op's signature
  bool distinct =
      false;  // random values at least 1e-3 apart (max, sort: no ties under finite differences)
  double diagonal = 0;  // added where the last two indices are equal (a regular matrix)
};

inline Arg in(std::initializer_list<int64_t> shape, double low = -2, double high = 2) {
  return {shape, low, high, {}, {}, false};
}
inline Arg distinct(std::initializer_list<int64_t> shape, double low = -2, double high = 2) {
  return {shape, low, high, {}, {}, true};
}
inline Arg exactly(std::initializer_list<int64_t> shape, std::initializer_list<double> values,
                   std::optional<DType> dtype = {}) {
  return {shape, 0, 0, values, dtype, false};
}
inline Arg indices(std::initializer_list<int64_t> shape, std::initializer_list<double> values) {
  return {shape, 0, 0, values, DType::kI64, false};
}
inline Arg typed(Arg arg, DType dtype) {
  arg.dtype = dtype;
  return arg;
}

// Random matrices that are far from singular: `diagonal` is added on it. Their Hermitian part is
// positive definite where it exceeds the sum of a row.
inline Arg regular(std::initializer_list<int64_t> shape, double diagonal = 6) {
  Arg out{shape, -1, 1, {}, {}, false};
  out.diagonal = diagonal;
  return out;
}

// A tensor of the reference: values in long double (complex: both parts; integers: `i`), row-major.
struct Array {
  DType dtype = DType::kF64;
  std::vector<int64_t> shape;
  std::vector<ScalarValue> values;
};
using Arrays = std::vector<Array>;

// The attributes of a sample, by name.
class Attrs {
 public:
  explicit Attrs(AnyAttrs* attrs) : attrs_(attrs) {}
  template <class T>
  const T& get(std::string_view field) const {
    return attrs_->get<T>(field);
  }

 private:
  AnyAttrs* attrs_;
};

struct Sample {
  std::vector<Arg> inputs;
  std::string attrs;  // "axis=1, keepdims=true": what print_attrs gives
  std::string kink;   // why the op has no derivative here, though it has one elsewhere
};
struct ExpectedError {
  std::string law;
  std::vector<Arg> inputs;
  std::string attrs;
  std::string message;  // the whole text, without the caller's line
};
struct Skip {
  std::string column, reason;
};

// The examples of a batch: floats are scaled, each by a factor of its own, other numbers change
// places, unless a test says so. kScaled has one positive factor for the whole tensor: what ascends
// or is positive definite stays so.
enum class Vary { kUsual, kPlaces, kScaled };
struct Variation {
  size_t input;
  Vary how;
};

using Reference = Arrays (*)(const Attrs& at, const Arrays& in);

// Everything the suite knows about one op's tests.
class OpTest {
 public:
  std::string op;
  std::vector<Sample> samples, large_samples;
  std::vector<ExpectedError> errors;
  std::vector<Skip> skips;
  Reference reference_fn = nullptr;
  std::string untraced_law, untraced_reason;  // see `untraced`
  std::string sums_batches;                   // see `sums_batches_elsewhere`
  std::vector<Variation> variations;          // see `varies`
  double tolerance_factor = 1;
  std::string tolerance_reason;

  // Inputs and attributes on which everything is checked: value, gradients, batching, strides,
  // dtypes, threads, tiers.
  void sample(std::vector<Arg> inputs, std::string attrs = "") {
    samples.push_back({inputs, attrs, ""});
  }
  // The same where the op is not smooth, for the reason given: no gradient is checked there.
  void kink(std::vector<Arg> inputs, std::string attrs, std::string reason) {
    samples.push_back({inputs, attrs, reason});
  }
  // A call large enough that threads share it, for ops whose shapes the suite cannot choose itself.
  void large(std::vector<Arg> inputs, std::string attrs = "") {
    large_samples.push_back({inputs, attrs, ""});
  }
  // A call that must raise [op.law] with exactly this text.
  void error(std::string law, std::vector<Arg> inputs, std::string attrs, std::string message) {
    errors.push_back({law, inputs, attrs, message});
  }
  // What the op should compute, in long double, for ops whose meaning is not an Expr (and
  // composites).
  void reference(Reference f) { reference_fn = f; }
  // Leaves out a column ("value", "special", "threads", "tape", "vmap", "symbolic", ...)
  // for a stated reason.
  void skip(std::string column, std::string reason) { skips.push_back({column, reason}); }
  // Transformations must raise [op.law]: the op reads its inputs' values, for the reason given.
  void untraced(std::string law, std::string reason) {
    untraced_law = law;
    untraced_reason = reason;
  }
  // grad(vmap) is compared to tolerance, not bits: a batch's gradient is summed in another order.
  void sums_batches_elsewhere(std::string reason) { sums_batches = reason; }
  // How an input differs between the examples of a batch, where what is usual would break a law.
  void varies(size_t input, Vary how) { variations.push_back({input, how}); }
  // Widens the value tolerance of the table for a stated reason.
  void tolerance(double factor, std::string reason) {
    tolerance_factor = factor;
    tolerance_reason = reason;
  }
};

// The tests of this program, in the order of their files.
std::vector<OpTest>& op_tests();

struct RegisterOpTest {
  RegisterOpTest(const char* op, void (*fill)(OpTest& t)) {
    OpTest test;
    test.op = op;
    fill(test);
    op_tests().push_back(std::move(test));
  }
};

// Helpers for references.
int64_t count(const std::vector<int64_t>& shape);
std::vector<int64_t> unravel(int64_t position, const std::vector<int64_t>& shape);
int64_t ravel(const std::vector<int64_t>& index, const std::vector<int64_t>& shape);
Array like(const Array& x, std::vector<int64_t> shape);  // same dtype, values zero

}  // namespace weft::suite

// WEFT_OP_TEST(name) { t.sample(...); } - the name as in the registry, with '.' written as two
// underscores.
#define WEFT_OP_TEST(name)                                                                     \
  static void weft_op_test_##name(::weft::suite::OpTest& t);                                   \
  static const ::weft::suite::RegisterOpTest weft_register_##name(#name, weft_op_test_##name); \
  static void weft_op_test_##name([[maybe_unused]] ::weft::suite::OpTest& t)
