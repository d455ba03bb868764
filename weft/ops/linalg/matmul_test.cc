// Samples of matmul.
#include "tests/op_suite/samples.h"

using namespace weft::suite;
using weft::DType;
using weft::ScalarValue;

namespace {

using Places = std::vector<int64_t>;

// Sums over k in long double; integers wrap, bools combine by and, then or.
ScalarValue product(const Array& a, const Array& b, Places at_a, Places at_b) {
  ScalarValue out;
  for (at_a.back() = 0; at_a.back() < a.shape.back(); ++at_a.back()) {
    at_b[at_b.size() - 2] = at_a.back();
    const ScalarValue& x = a.values[static_cast<size_t>(ravel(at_a, a.shape))];
    const ScalarValue& y = b.values[static_cast<size_t>(ravel(at_b, b.shape))];
    const auto term = static_cast<uint64_t>(x.i) * static_cast<uint64_t>(y.i);
    out.re += x.re * y.re - x.im * y.im;
    out.im += x.re * y.im + x.im * y.re;
    out.i = static_cast<int64_t>(static_cast<uint64_t>(out.i) + term);
    if (a.dtype == DType::kBool) out.i = out.i != 0;
  }
  return out;
}

// The batch axes of `out_index` for an operand of `shape`, broadcast, with room for its matrix.
Places batch_index(const Places& out_index, const Places& shape) {
  Places at(shape.size(), 0);
  for (size_t i = 0; i + 2 < shape.size(); ++i) {
    const size_t from = out_index.size() - shape.size() + i;
    at[i] = shape[i] == 1 ? 0 : out_index[from];
  }
  return at;
}

int64_t low_bits(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kU8: return static_cast<uint8_t>(value);
    case DType::kI8: return static_cast<int8_t>(value);
    case DType::kU16: return static_cast<uint16_t>(value);
    case DType::kI16: return static_cast<int16_t>(value);
    case DType::kU32: return static_cast<uint32_t>(value);
    case DType::kI32: return static_cast<int32_t>(value);
    default: return value;
  }
}

Arrays reference(const Attrs&, const Arrays& in) {
  Array a = in[0], b = in[1];
  const bool row = a.shape.size() == 1, column = b.shape.size() == 1;
  if (row) a.shape.insert(a.shape.begin(), 1);
  if (column) b.shape.push_back(1);
  const size_t rank = std::max(a.shape.size(), b.shape.size());
  Places shape(rank, 1);
  for (const Array* x : {&a, &b}) {
    for (size_t i = 0; i + 2 < x->shape.size(); ++i) {
      int64_t& size = shape[rank - x->shape.size() + i];
      if (size == 1) size = x->shape[i];
    }
  }
  shape[rank - 2] = a.shape[a.shape.size() - 2];
  shape[rank - 1] = b.shape.back();
  Array out = like(a, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Places at = unravel(static_cast<int64_t>(i), shape);
    Places at_a = batch_index(at, a.shape), at_b = batch_index(at, b.shape);
    at_a[at_a.size() - 2] = at[rank - 2];
    at_b.back() = at[rank - 1];
    out.values[i] = product(a, b, at_a, at_b);
    out.values[i].i = low_bits(out.dtype, out.values[i].i);
  }
  if (column) out.shape.pop_back();
  if (row) out.shape.erase(out.shape.end() - (column ? 1 : 2));
  return {out};
}

}  // namespace

WEFT_OP_TEST(matmul) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere(
      "the gradient of a matrix that a batch shares is one product over the batch");
  t.sample({in({3, 4}), in({4, 5})});
  t.sample({in({4}), in({4})});
  t.sample({in({3, 4}), in({4})});
  t.sample({in({4}), in({4, 3})});
  t.sample({in({2, 3, 4}), in({4, 5})});
  t.sample({in({3, 4}), in({2, 4, 5})});
  t.sample({in({2, 1, 3, 4}), in({5, 4, 2})});
  t.sample({in({4}), in({2, 4, 3})});
  t.sample({in({2, 3, 4}), in({4})});
  t.sample({in({17, 33}), in({33, 19})});
  t.sample({in({3, 0}), in({0, 2})});
  t.sample({in({0, 3}), in({3, 2})});
  t.sample({in({2, 3, 0}), in({0, 2})});
  t.large({in({150, 70}), in({70, 130})});
  t.large({in({20, 40, 30}), in({30, 50})});
  t.reference(reference);
  t.tolerance(8, "up to 33 terms of size 4 are summed, in f16 and bf16 rounded once at the end");
  t.error("rank", {in({}), in({3})}, "",
          "matmul: a has rank 0; both inputs need at least one axis (multiply scales by a scalar) "
          "[matmul.rank]");
  t.error("inner", {in({3, 4}), in({3, 4})}, "",
          "matmul: shapes [3, 4] and [3, 4] do not fit: a has 4 columns but b has 3 rows; they "
          "must be equal [matmul.inner]");
  t.error("broadcast", {in({2, 3, 4}), in({3, 4, 5})}, "",
          "matmul: shapes [2] and [3] do not broadcast: axis -1 has size 2 and 3; sizes must be "
          "equal or 1 [matmul.broadcast]");
}
