// What cummax and cummin share: where the greatest or the least element so far is.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/along_rows.h"

namespace weft {
namespace {

struct ExtremumAttrs {
  int64_t axis = -1;
  bool largest = true;
  static constexpr auto fields =
      fields_of(field("axis", &ExtremumAttrs::axis, "the axis to run along", kRequired),
                field("largest", &ExtremumAttrs::largest, "the greatest, or else the least"));
};

Types indices_infer(const ExtremumAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  return {{DType::kI64, in[0].shape}};
}

void run(const ExtremumAttrs& at, TensorSpan in, TensorSpan out) {
  const int64_t axis = normalized(at.axis, in[0].rank());
  along_rows(in[0], axis, out[0], [&](const Tensor& indices, const Tensor& rows) {
    native::running_extremum(indices, rows, at.largest);
  });
}

}  // namespace

Tensors running_extremum(const InferCtx& cx, const ScanAttrs& at, const Tensor& x, bool largest) {
  cx.require_type(!is_complex(x.dtype()), "dtype", "x has dtype ", x.dtype(),
                  ", but must be ordered; cast it first");
  cx.axis(at.axis, x.shape());
  const ExtremumAttrs attrs{at.axis, largest};
  const Tensor indices = apply(kCumulativeExtremum, inputs(x), attrs, Where::here());
  return {gather(x, indices, at.axis)};
}

constinit const OpDef kCumulativeExtremum{
    .name = "cummax.indices",
    .doc =
        "Where along `axis` the greatest (or least) element so far is, the first of several; NaN "
        "is before all else. What `cummax` and `cummin` are made of.",
    .inputs = {"x: ordered"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<ExtremumAttrs>(),
    .infer = rule<indices_infer>(),
    .grad = derive::not_differentiable("the order is piecewise constant"),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
