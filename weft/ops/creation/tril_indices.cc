// tril_indices and triu_indices: where the elements on one side of a diagonal are.
#include "weft/ops/creation/tril_indices.h"

#include <algorithm>
#include <limits>

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

// Sums of two sizes and products of them fit.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)

// How many elements of a matrix [n, m] are on and below diagonal k: rows of growing length, then
// full ones.
Wide count_below(Wide n, Wide m, Wide k) {
  const Wide first = std::clamp<Wide>(-k, 0, n), full = std::clamp<Wide>(m - k - 1, first, n);
  const Wide growing = full - first;
  return growing * std::max<Wide>(first + k + 1, 0) + growing * (growing - 1) / 2 + (n - full) * m;
}

Tensors indices_of(const InferCtx& cx, const TriangleIndicesAttrs& at, bool is_lower) {
  const int64_t n = at.n, m = at.m.value_or(n);
  cx.require(n >= 0 && m >= 0, "negative", "the matrix has ", n, " rows and ", m,
             " columns; sizes are at least 0");
  // A diagonal beyond either edge is the same as one just outside.
  const int64_t k = std::clamp(at.k, -n, m);
  const Wide count = is_lower ? count_below(n, m, k) : count_below(m, n, -k);
  if (count > std::numeric_limits<int64_t>::max()) {
    fail(Code::kOverflow, cx.op, "overflow", "a triangle of ", n, " rows and ", m,
         " columns has 2^63 elements or more; use smaller sizes");
  }
  const Tensor rows = Tensor::empty(DType::kI64, Shape{static_cast<int64_t>(count)});
  const Tensor columns = Tensor::empty(DType::kI64, Shape{static_cast<int64_t>(count)});
  auto* row = static_cast<int64_t*>(rows.writable_data());
  auto* column = static_cast<int64_t*>(columns.writable_data());
  // Rows without elements are at one end only, and are not visited.
  int64_t i = is_lower ? std::clamp<int64_t>(-k, 0, n) : 0;
  for (Wide left = count; left > 0; ++i) {
    const auto bound =
        static_cast<int64_t>(std::clamp<Wide>(Wide{i} + k + (is_lower ? 1 : 0), 0, m));
    const int64_t begin = is_lower ? 0 : bound, end = is_lower ? bound : m;
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
    .laws = {Law{"negative", "sizes are at least 0"},
             Law{"overflow", "there are fewer than 2^63 elements"}},
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
    .laws = {Law{"negative", "sizes are at least 0"},
             Law{"overflow", "there are fewer than 2^63 elements"}},
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
