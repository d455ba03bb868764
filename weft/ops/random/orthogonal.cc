// random.orthogonal: random matrices with orthonormal rows or columns.
#include <algorithm>
#include <cmath>

#include "weft/base/thread_pool.h"
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

struct OrthogonalAttrs {
  Shape shape;
  DType dtype = DType::kF32;
  double gain = 1;
  static constexpr auto fields =
      fields_of(field("shape", &OrthogonalAttrs::shape, "the shape", kRequired),
                field("dtype", &OrthogonalAttrs::dtype, "the dtype of the elements"),
                field("gain", &OrthogonalAttrs::gain, "what the matrix is multiplied by"));
};

// In eight partial sums, whose order is fixed.
double dot(const double* a, const double* b, int64_t n) {
  double sums[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int64_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (int64_t k = 0; i < n; ++i, ++k) sums[k] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Gram and Schmidt, modified: each row is scaled to length 1, and later rows lose what they have of
// it. The second time over takes away what rounding left.
void orthonormalise(double* rows, int64_t count, int64_t n) {
  constexpr int64_t kTask = 16;
  for (int64_t i = 0; i < 2 * count; ++i) {
    double* const row = rows + i % count * n;
    const double length = std::sqrt(dot(row, row, n));
    for (int64_t k = 0; k < n; ++k) row[k] /= length;
    const int64_t first = i % count + 1;
    parallel_for((count - first + kTask - 1) / kTask, [&](int64_t task) {
      const int64_t end = std::min(count, first + (task + 1) * kTask);
      for (int64_t j = first + task * kTask; j < end; ++j) {
        double* const other = rows + j * n;
        const double part = dot(row, other, n);
        for (int64_t k = 0; k < n; ++k) other[k] -= part * row[k];
      }
    });
  }
}

Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  cx.require(shape.size() >= 2, "rank", "x has shape ", shape, "; a matrix has rank 2 or more");
  const Dim count = shape[shape.size() - 2], n = shape.back();
  cx.require(!count.is_known() || !n.is_known() || count.value() <= n.value(), "wide", "x has ",
             count, " rows of ", n, " elements; no more rows than that can be orthogonal");
  return {in[0]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor x = packed(in[0]);
  const int64_t count = x.dim(-2).value(), n = x.dim(-1).value();
  auto* const rows = static_cast<double*>(out[0].writable_data());
  std::copy_n(static_cast<const double*>(x.data()), x.numel(), rows);
  for (int64_t i = 0; i < x.numel(); i += count * n) orthonormalise(rows + i, count, n);
}

// Of normal draws: every orthogonal matrix is equally likely (the diagonal of R is positive).
Tensors compose_orthogonal(const OrthogonalAttrs& at, TensorSpan in) {
  const InferCtx cx{"orthogonal"};
  fill_infer({at.shape, at.dtype}, cx, {});
  cx.require_type(is_floating(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be floating");
  cx.require(at.shape.size() >= 2, "rank", "shape ", at.shape, " has rank ", at.shape.size(),
             "; a matrix has rank 2 or more");
  words_of_key(cx.op, in[0]);
  const int64_t columns = at.shape.back().value();
  const int64_t total = num_elements(at.shape).value();
  const int64_t rows = columns == 0 ? 0 : total / columns;
  const Shape wide{std::min(rows, columns), std::max(rows, columns)};
  const Tensor q =
      apply(kOrthogonalRows, inputs(normal(in[0], wide, DType::kF64)), kNoAttrs, Where::here());
  const Tensor matrix = rows <= columns ? q : permute_dims(q, Ints{1, 0});
  return {cast(reshape(matrix * at.gain, at.shape), at.dtype)};
}

}  // namespace

Tensor orthogonal(const Tensor& key, const Shape& shape, DType dtype, double gain, Where where) {
  return compose(kOrthogonal, inputs(key), OrthogonalAttrs{shape, dtype, gain}, where);
}

}  // namespace random

constinit const OpDef kOrthogonalRows{
    .name = "orthogonal.rows",
    .module = "random",
    .doc =
        "Orthonormal rows that span what the first rows of `x` span, one after the other (Gram and "
        "Schmidt, twice): what `orthogonal` is made of.",
    .inputs = {"x: float64"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has rank 2 or more"}, Law{"wide", "there are few enough rows"}},
    .infer = rule<random::rows_infer>(),
    .grad = derive::missing("it is part of a draw"),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<random::run>(),
};

constinit const CompositeDef kOrthogonal{
    .name = "orthogonal",
    .module = "random",
    .doc =
        "A random orthogonal matrix times `gain`, every one equally likely; if it is not square, "
        "its rows or its columns, whichever are fewer, are orthonormal. Axes before the last count "
        "as one.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::OrthogonalAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "a matrix has rank 2 or more"}},
    .compose = rule<random::compose_orthogonal>(),
    .known_as = {Alias{"torch", "nn.init.orthogonal_"}, Alias{"jax", "random.orthogonal"},
                 Alias{"tf", "keras.initializers.Orthogonal"}, Alias{"scipy", "stats.ortho_group"}},
};

}  // namespace weft
