// eye: ones on a diagonal.
#include <algorithm>

#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/context.h"
#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/diagonal_length.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct EyeAttrs {
  Shape n_rows{0}, n_cols{-1};  // one size each; -1: as many columns as rows
  int64_t k = 0;
  DType dtype = DType::kF32;
  static constexpr auto fields = fields_of(
      field("n_rows", &EyeAttrs::n_rows, "the number of rows", kRequired),
      field("n_cols", &EyeAttrs::n_cols, "the number of columns; n_rows if left out"),
      field("k", &EyeAttrs::k, "which diagonal: above the main one if positive, below if negative"),
      field("dtype", &EyeAttrs::dtype, "the dtype of the elements"));
};

// Zeros, then ones on the diagonal: each element is written once, where the ops below write it as a
// truth value first.
Tensor written_eye(int64_t rows, int64_t columns, int64_t k, DType dtype) {
  const Tensor out = Tensor::empty(dtype, Shape{rows, columns});
  native::copy(out, Tensor::scalar(dtype, 0).view(out.shape(), Ints{0, 0}));
  const int64_t length = diagonal_length(rows, columns, k).value();
  if (length > 0) {
    const int64_t start = k < 0 ? -k * columns : k;
    const Tensor diagonal = out.view(Shape{length}, Ints{columns + 1}, start);
    native::copy(diagonal, Tensor::scalar(dtype, 1).view(diagonal.shape(), Ints{0}));
  }
  return out;
}

// A diagonal far beyond either edge is like one nearer: clamping keeps k from overflowing.
Tensors compose_eye(const EyeAttrs& at, TensorSpan) {
  const InferCtx cx{"eye"};
  const Dim height = only_size(cx, "n_rows", at.n_rows);
  const Dim width = at.n_cols == Shape{-1} ? height : only_size(cx, "n_cols", at.n_cols);
  fill_infer({{height, width}, at.dtype}, cx, {});
  const int64_t k = std::clamp(at.k, -INT64_MAX / 2, INT64_MAX / 2);
  if (!context.is_special && height.is_known() && width.is_known()) {
    return {written_eye(height.value(), width.value(), k, at.dtype)};
  }
  const Tensor rows = expand_dims(positions(height), 1);
  const Tensor columns = positions(width);
  return {cast(equal(rows + k, columns), at.dtype)};
}

}  // namespace

constinit const CompositeDef kEye{
    .name = "eye",
    .doc = "A matrix of zeros with ones on diagonal `k`.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<EyeAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"},
             Law{"size", "rows and columns have one each"}},
    .compose = rule<compose_eye>(),
    .known_as = {Alias{"numpy", "eye"}, Alias{"torch", "eye"}, Alias{"jax", "numpy.eye"},
                 Alias{"tf", "eye"}},
};

Tensor eye(Dim n_rows, std::optional<Dim> n_cols, int64_t k, DType dtype, Where where) {
  EyeAttrs attrs{.n_rows = {n_rows}, .k = k, .dtype = dtype};
  if (n_cols) attrs.n_cols = {only_size(InferCtx{"eye"}, "n_cols", {*n_cols})};
  return compose(kEye, {}, attrs, where);
}

}  // namespace weft
