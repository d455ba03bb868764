// Samples of index_at, set_at, add_at, min_at and max_at.
#include <cmath>

#include "weft/ops/shape/index_at_reference.h"

using namespace weft::suite;

static Arrays read_reference(const Attrs& at, const Arrays& in) {
  const IndexedPlaces places = indexed_places(at, in, 1);
  return {moved_from(in[0], places.result,
                     [&](const Places& place) { return places.source(at, in, 1, place); })};
}
static Arrays set_reference(const Attrs& at, const Arrays& in) {
  return {joined_at(at, in, [](const ScalarValue&, const ScalarValue& b) { return b; })};
}
static Arrays add_reference(const Attrs& at, const Arrays& in) {
  const bool is_bool = in[0].dtype == DType::kBool;
  return {joined_at(at, in, [&](const ScalarValue& a, const ScalarValue& b) {
    return ScalarValue{a.re + b.re, a.im + b.im, is_bool ? a.i | b.i : a.i + b.i};
  })};
}
// As maximum: NaN wins, and -0 is below +0. Integers in `i`, floats in `re`; u64 as it is.
static bool is_above(const ScalarValue& a, const ScalarValue& b, DType dtype) {
  if (dtype == DType::kU64) return static_cast<uint64_t>(a.i) > static_cast<uint64_t>(b.i);
  if (weft::kind_of(dtype) <= Kind::kInteger) return a.i > b.i;
  return a.re > b.re || (a.re == b.re && std::signbit(b.re) && !std::signbit(a.re));
}
static Arrays extremum(const Attrs& at, const Arrays& in, bool is_max) {
  return {joined_at(at, in, [&](const ScalarValue& a, const ScalarValue& b) {
    if (a.re != a.re || b.re != b.re) return a.re != a.re ? a : b;
    return is_above(a, b, in[0].dtype) == is_max ? a : b;
  })};
}
static Arrays min_reference(const Attrs& at, const Arrays& in) { return extremum(at, in, false); }
static Arrays max_reference(const Attrs& at, const Arrays& in) { return extremum(at, in, true); }

static ScalarValue product_of(const ScalarValue& a, const ScalarValue& b) {
  const auto whole = static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i);
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, static_cast<int64_t>(whole)};
}
static Arrays multiply_reference(const Attrs& at, const Arrays& in) {
  return {joined_at(at, in, product_of)};
}
static Arrays chain_reference(const Attrs& at, const Arrays& in) {
  Arrays without_b = in;
  without_b.erase(without_b.begin() + 2);
  const IndexedPlaces places = indexed_places(at, without_b, 2);
  Array before = like(in[0], places.result);
  size_t next = 0;
  const Array last = joined_at(at, without_b, [&](const ScalarValue& s, const ScalarValue& a) {
    const Places place = unravel(static_cast<int64_t>(next), places.result);
    const ScalarValue& b = broadcast_value(in[2], place);
    before.values[next++] = s;
    const bool is_zero = s.re == 0 && s.im == 0;  // 0 times anything is 0
    const ScalarValue grown = is_zero ? ScalarValue{} : product_of(a, s);
    return ScalarValue{grown.re + b.re, grown.im + b.im, 0};
  });
  return {last, before};
}

WEFT_OP_TEST(index_at) {
  t.sample({in({5}), indices({3}, {4, 0, -5})}, "axes=[0]");
  t.sample({in({3, 4}), indices({2}, {2, 2}), indices({2}, {0, -1})}, "axes=[0, 1]");
  t.sample({in({2, 3, 4}), indices({2, 1}, {0, 1}), indices({3}, {0, 3, -1})}, "axes=[0, 2], at=1");
  t.sample({in({2, 3, 4}), indices({2}, {1, 1})}, "axes=[2]");
  t.sample({in({2, 3, 4, 2}), indices({2}, {1, 1}), indices({}, {-1})}, "axes=[-1, 1], at=1");
  t.sample({in({2, 3}), typed(indices({2}, {1, 0}), DType::kI32), indices({2}, {2, 0})},
           "axes=[0, 1]");
  t.sample({in({2, 3}), exactly({0}, {}, DType::kI64)}, "axes=[1]");
  t.large({in({300, 20, 30}), typed(in({400}, 0, 299), DType::kI64),
           typed(in({400}, 0, 29), DType::kI64)},
          "axes=[0, 2]");
  t.large({in({60, 80, 30}), typed(in({70, 1}, 0, 79), DType::kI64),
           typed(in({400}, 0, 29), DType::kI64)},
          "axes=[1, 2], at=1");
  t.reference(read_reference);
  t.error("count", {in({2, 3}), indices({1}, {0})}, "axes=[0, 1]",
          "index_at: got 1 index tensors for the axes [0, 1]; give one for each [index_at.count]");
  t.error("axis", {in({2, 3}), indices({1}, {0})}, "axes=[2]",
          "index_at: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[index_at.axis]");
  t.error("axis_twice", {in({2, 3}), indices({1}, {0}), indices({1}, {0})}, "axes=[0, -2]",
          "index_at: axes [0, -2] name an axis of shape [2, 3] twice; name each axis once "
          "[index_at.axis_twice]");
  t.error("at", {in({2, 3}), indices({1}, {0})}, "axes=[0], at=2",
          "index_at: at is 2, but 1 axes are not indexed; it must be from 0 to 1 [index_at.at]");
  t.error("index_dtype", {in({3}), typed(indices({1}, {0}), DType::kU64)}, "axes=[0]",
          "index_at: indices have dtype uint64, which int64 does not hold; cast them first "
          "[index_at.index_dtype]");
  t.error("broadcast", {in({3, 4}), indices({2}, {0, 0}), indices({3}, {0, 0, 0})}, "axes=[0, 1]",
          "index_at: shapes [2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes must be "
          "equal or 1 [index_at.broadcast]");
  t.error("range", {in({2, 3}), indices({2, 1}, {0, 1}), indices({2, 2}, {0, 1, 3, 0})},
          "axes=[0, 1]",
          "index_at: index 3 at position [1, 0] is out of range for axis 1 with size 3 "
          "[index_at.range]");
}

// The calls that every op with updates must refuse.
static void update_errors(OpTest& t, const std::string& op) {
  const auto message = [&](const std::string& words, const std::string& law) {
    return op + ": " + words + " [" + op + "." + law + "]";
  };
  t.error("count", {in({2, 3}), in({}), indices({1}, {0})}, "axes=[0, 1]",
          message("got 1 index tensors for the axes [0, 1]; give one for each", "count"));
  t.error("axis", {in({2, 3}), in({}), indices({1}, {0})}, "axes=[2]",
          message("axis 2 is out of range for shape [2, 3]; axes go from -2 to 1", "axis"));
  t.error("axis_twice", {in({2, 3}), in({}), indices({1}, {0}), indices({1}, {0})}, "axes=[0, -2]",
          message("axes [0, -2] name an axis of shape [2, 3] twice; name each axis once",
                  "axis_twice"));
  t.error("index_dtype", {in({3}), in({}), typed(indices({1}, {0}), DType::kU64)}, "axes=[0]",
          message("indices have dtype uint64, which int64 does not hold; cast them first",
                  "index_dtype"));
  t.error("at", {in({2, 3}), in({}), indices({1}, {0})}, "axes=[0], at=2",
          message("at is 2, but 1 axes are not indexed; it must be from 0 to 1", "at"));
  t.error("value", {in({2, 3}), in({2, 2, 3}), indices({2}, {0, 1})}, "axes=[0]",
          message("a value of shape [2, 2, 3] does not fit the indexed places, of shape [2, 3]; "
                  "it must broadcast to that shape",
                  "value"));
  t.error("range", {in({2, 3}), in({}), indices({1}, {-3})}, "axes=[0]",
          message("index -3 at position [0] is out of range for axis 0 with size 2", "range"));
}

static void update_samples(OpTest& t) {
  t.sample({distinct({5}), distinct({3}), indices({3}, {4, 0, -5})}, "axes=[0]");
  t.sample({distinct({3, 4}), distinct({3}), indices({3}, {2, 2, 2}), indices({3}, {0, -1, 0})},
           "axes=[0, 1]");
  t.sample({distinct({2, 3, 4}), distinct({3, 2, 1}), indices({2, 1}, {0, 1}), indices({1}, {3})},
           "axes=[0, 2], at=1");
  t.sample({distinct({2, 3, 4}), distinct({2, 1}), indices({2}, {1, 1}), indices({2}, {0, 0})},
           "axes=[0, 2]");
  t.sample({distinct({2, 3, 4, 2}), distinct({}), indices({1}, {1}), indices({}, {-1})},
           "axes=[3, 1], at=1");
  t.sample({distinct({2, 3}), distinct({}), exactly({0}, {}, DType::kI64)}, "axes=[1]");
  t.large({in({300, 20, 30}), in({400, 20}), typed(in({400}, 0, 299), DType::kI64),
           typed(in({400}, 0, 29), DType::kI64)},
          "axes=[0, 2]");
  t.large({in({60, 80, 300}), in({300}), typed(in({40}, 0, 79), DType::kI64)}, "axes=[1], at=1");
}

WEFT_OP_TEST(set_at) {
  update_samples(t);
  t.reference(set_reference);
  update_errors(t, "set_at");
}
WEFT_OP_TEST(add_at) {
  update_samples(t);
  t.reference(add_reference);
  update_errors(t, "add_at");
}
WEFT_OP_TEST(multiply_at) {
  update_samples(t);
  t.sample(
      {exactly({3}, {0, 0, 1}), exactly({5}, {0, 0.5, 0, 0, -0.5}), indices({5}, {0, 0, 1, 1, 2})},
      "axes=[0]");
  t.reference(multiply_reference);
  update_errors(t, "multiply_at");
}
WEFT_OP_TEST(multiply_at__chain) {
  t.sample({in({5}), in({3}), in({3}), indices({3}, {4, 0, -5})}, "axes=[0]");
  t.sample({in({3, 4}), in({4}), in({}), indices({4}, {2, 2, 2, 2}), indices({4}, {0, -1, 0, 0})},
           "axes=[0, 1]");
  t.sample(
      {in({2, 3, 4}), in({3, 2, 1}), in({3, 1, 1}), indices({2, 1}, {0, 1}), indices({1}, {3})},
      "axes=[0, 2], at=1");
  t.large({in({300, 20}), in({20}), in({400, 20}), typed(in({400}, 0, 299), DType::kI64)},
          "axes=[0]");
  t.reference(chain_reference);
  const auto message = [](const std::string& words, const std::string& law) {
    return "multiply_at.chain: " + words + " [multiply_at.chain." + law + "]";
  };
  t.error("count", {in({2, 3}), in({}), in({}), indices({1}, {0})}, "axes=[0, 1]",
          message("got 1 index tensors for the axes [0, 1]; give one for each", "count"));
  t.error("axis_twice", {in({2, 3}), in({}), in({}), indices({1}, {0}), indices({1}, {0})},
          "axes=[0, -2]",
          message("axes [0, -2] name an axis of shape [2, 3] twice; name each axis once",
                  "axis_twice"));
  t.error("index_dtype", {in({3}), in({}), in({}), typed(indices({1}, {0}), DType::kU64)},
          "axes=[0]",
          message("indices have dtype uint64, which int64 does not hold; cast them first",
                  "index_dtype"));
  t.error("at", {in({2, 3}), in({}), in({}), indices({1}, {0})}, "axes=[0], at=2",
          message("at is 2, but 1 axes are not indexed; it must be from 0 to 1", "at"));
  t.error("value", {in({2, 3}), in({}), in({2, 2, 3}), indices({2}, {0, 1})}, "axes=[0]",
          message("a value of shape [2, 2, 3] does not fit the indexed places, of shape [2, 3]; "
                  "it must broadcast to that shape",
                  "value"));
  t.error("range", {in({2, 3}), in({}), in({}), indices({1}, {-3})}, "axes=[0]",
          message("index -3 at position [0] is out of range for axis 0 with size 2", "range"));
}
WEFT_OP_TEST(min_at) {
  update_samples(t);
  t.reference(min_reference);
  update_errors(t, "min_at");
}
WEFT_OP_TEST(max_at) {
  update_samples(t);
  t.reference(max_reference);
  update_errors(t, "max_at");
}
