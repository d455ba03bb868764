// tril_indices and triu_indices: where the elements on one side of a diagonal are.
#include "weft/ops/creation/tril_indices.h"

#include <algorithm>

#include "weft/base/checked.h"
#include "weft/op/apply.h"

namespace weft {
namespace {

struct TriangleIndicesAttrs {
  int64_t n = 0;
  int64_t k = 0;
  std::optional<int64_t> m;
  static constexpr auto fields =
      fields_of(field("n", &TriangleIndicesAttrs::n, "how many rows the matrix has", kRequired),
                field("k", &TriangleIndicesAttrs::k,
                      "the diagonal: above the main one if positive, below if negative"),
                field("m", &TriangleIndicesAttrs::m, "how many columns it has; n if left out"));
};

// The triangle on and below diagonal `k`, which is at most at the edge of the matrix [n, m].
struct Triangle {
  int64_t n, m, k;

  // Row i has the columns before this one.
  int64_t end(int64_t row) const { return std::clamp<int64_t>(row + k + 1, 0, m); }
  // How many there are: rows of growing length, then full ones.
  int64_t count() const {
    const int64_t first = std::clamp<int64_t>(-k, 0, n);
    const int64_t full = std::clamp<int64_t>(m - k - 1, first, n), growing = full - first;
    const int64_t pairs = growing % 2 == 0 ? checked_mul(growing / 2, growing - 1)
                                           : checked_mul(growing, (growing - 1) / 2);
    const int64_t ramp =
        checked_add(checked_mul(growing, std::max<int64_t>(first + k + 1, 0)), pairs);
    return checked_add(ramp, checked_mul(n - full, m));
  }
};

Tensors indices_of(const InferCtx& cx, const TriangleIndicesAttrs& at, bool is_lower) {
  const int64_t m = at.m.value_or(at.n);
  cx.require(at.n >= 0 && m >= 0, "negative", "the matrix has ", at.n, " rows and ", m,
             " columns; sizes are at least 0");
  // A diagonal beyond either edge is the same as one just outside.
  const int64_t k = std::clamp(at.k, -at.n, m);
  const Triangle lower{at.n, m, is_lower ? k : k - 1};
  const int64_t count = is_lower ? lower.count() : checked_mul(at.n, m) - lower.count();
  const Tensor rows = Tensor::empty(DType::kI64, Shape{count});
  const Tensor columns = Tensor::empty(DType::kI64, Shape{count});
  auto* row = static_cast<int64_t*>(rows.writable_data());
  auto* column = static_cast<int64_t*>(columns.writable_data());
  // Rows without elements are at one end only, and are not visited.
  const int64_t first = is_lower ? std::clamp<int64_t>(-k, 0, at.n) : 0;
  for (int64_t i = first, left = count; left > 0; ++i) {
    const int64_t begin = is_lower ? 0 : lower.end(i), end = is_lower ? lower.end(i) : m;
    for (int64_t j = begin; j < end; ++j, --left) *row++ = i, *column++ = j;
  }
  return {rows, columns};
}

Tensors lower_composed(const TriangleIndicesAttrs& at, TensorSpan) {
  return indices_of(InferCtx{"tril_indices"}, at, true);
}
Tensors upper_composed(const TriangleIndicesAttrs& at, TensorSpan) {
  return indices_of(InferCtx{"triu_indices"}, at, false);
}

}  // namespace

constinit const CompositeDef kTrilIndices{
    .name = "tril_indices",
    .doc =
        "The rows and the columns (int64) of the elements on and below diagonal `k` of a matrix "
        "[n, m], row by row: `x[wf.tril_indices(n)]` are these elements of `x`.",
    .inputs = {},
    .outputs = {"rows: int64", "columns: int64"},
    .attrs = attrs_type<TriangleIndicesAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .compose = rule<lower_composed>(),
    .known_as = {Alias{"numpy", "tril_indices"},
                 Alias{"torch",
                       "tril_indices: it takes rows, columns and the offset, and gives one tensor "
                       "[2, count]"},
                 Alias{"jax", "numpy.tril_indices"}},
};
constinit const CompositeDef kTriuIndices{
    .name = "triu_indices",
    .doc =
        "The rows and the columns (int64) of the elements on and above diagonal `k` of a matrix "
        "[n, m], row by row: `x[wf.triu_indices(n)]` are these elements of `x`.",
    .inputs = {},
    .outputs = {"rows: int64", "columns: int64"},
    .attrs = attrs_type<TriangleIndicesAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .compose = rule<upper_composed>(),
    .known_as = {Alias{"numpy", "triu_indices"},
                 Alias{"torch",
                       "triu_indices: it takes rows, columns and the offset, and gives one tensor "
                       "[2, count]"},
                 Alias{"jax", "numpy.triu_indices"}},
};

Tensors tril_indices(int64_t n, int64_t k, std::optional<int64_t> m, Where where) {
  const TriangleIndicesAttrs attrs{n, k, m};
  return compose_all(kTrilIndices, {}, &attrs, where);
}
Tensors triu_indices(int64_t n, int64_t k, std::optional<int64_t> m, Where where) {
  const TriangleIndicesAttrs attrs{n, k, m};
  return compose_all(kTriuIndices, {}, &attrs, where);
}

}  // namespace weft
