// diagonal: a diagonal of each matrix, as a view.
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/diagonal_length.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct DiagonalAttrs {
  int64_t offset = 0;
  static constexpr auto fields =
      fields_of(field("offset", &DiagonalAttrs::offset,
                      "which diagonal: above the main one if positive, below if negative"));
};

// Zeros behind the last axis, as many as are missing.
Tensor lengthened(const Tensor& x, Dim missing, Where where) {
  if (missing == Dim(0)) return x;
  if (!missing.is_known()) {
    Shape rest(x.shape());
    rest.back() = missing;
    return concat(Tensors{x, zeros(rest, x.dtype(), where)}, -1, where);
  }
  Ints none(static_cast<size_t>(x.rank()), 0), after = none;
  after.back() = missing.value();
  return pad(x, none, after, 0.0, where);
}

Types diagonal_infer(const DiagonalAttrs& at, const InferCtx& cx, TypeSpan in) {
  linalg::require_matrix(cx, in[0]);
  const ShapeView batch = linalg::batch_of(in[0].shape);
  const Dim rows = in[0].shape[batch.size()], columns = in[0].shape.back();
  return {{in[0].dtype, linalg::with_vector(batch, diagonal_length(rows, columns, at.offset))}};
}

ViewLayouts views(const DiagonalAttrs& at, const StridedLayout& x, TypeSpan out) {
  const size_t row = x.shape.size() - 2;
  Ints strides(x.strides.first(row));
  const int64_t down = x.strides[row], along = x.strides[row + 1];
  strides.push_back(down + along);
  // Of an empty diagonal the offset may be any number, even one that has no negative.
  if (num_elements(out[0].shape).value() == 0) return {ViewLayout{strides}};
  return {ViewLayout{strides, at.offset < 0 ? -at.offset * down : at.offset * along}};
}

// The cotangent on that diagonal of zeros: by rows if it lies above, by columns if below.
Tensors transpose(const DiagonalAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Where line = cx.where;
  const Dim rows = cx.inputs[0].dim(-2), columns = cx.inputs[0].dim(-1);
  const bool by_rows = at.offset >= 0;
  const Dim missing = (by_rows ? rows : columns) - g[0].dim(-1);
  const Tensor wide = expand_dims(lengthened(g[0], missing, line), by_rows ? -1 : -2, line);
  const Tensor down = expand_dims(linalg::positions(rows, line), 1, line);
  const Tensor distance = subtract(linalg::positions(columns, line), down, line);
  return {where(equal(distance, at.offset, line), wide, 0, line)};
}

}  // namespace

constinit const OpDef kDiagonal{
    .name = "diagonal",
    .doc = "A diagonal of each matrix in the last two axes. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DiagonalAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}},
    .infer = rule<diagonal_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "linalg.diagonal"},
                 Alias{"numpy", "diagonal: it reads the first two axes, ours the last two"},
                 Alias{"torch", "diagonal: it reads the first two axes, ours the last two"},
                 Alias{"jax", "numpy.diagonal: it reads the first two axes, ours the last two"},
                 Alias{"tf", "linalg.diag_part"}},
};

Tensor diagonal(const Tensor& x, int64_t offset, Where where) {
  return apply(kDiagonal, inputs(x), DiagonalAttrs{offset}, where);
}

}  // namespace weft
