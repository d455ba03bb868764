// pool.max: the greatest element of each window, and where it lies.
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/pool/pool.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types max_infer(const WindowAttrs& at, const InferCtx& cx, TypeSpan in) {
  Shape out = window_places(at, cx, in[0].shape);
  out.insert(0, in[0].shape[0]);
  out.push_back(in[0].shape.back());
  return {{in[0].dtype, out}, {DType::kI64, out}};
}

// What the native kernel computes with: all values of the dtype, in order.
DType computed_in(DType dtype) {
  if (is_floating(dtype)) return compute_of(dtype);
  return dtype == DType::kU64 ? DType::kU64 : DType::kI64;
}

void run(const WindowAttrs& at, TensorSpan in, TensorSpan out) {
  const DType wide = computed_in(in[0].dtype());
  const Tensor greatest = output_in(wide, out[0]);
  native::window_max(greatest, out[1], cast(in[0], wide), windows_of(at, space_of(in[0].shape())));
  store(out[0], greatest);
}

// [batch, space.., channels] with space as one axis.
Tensor flat(const Tensor& x, Where where) {
  const Dim space = num_elements(x.shape().subspan(1, static_cast<size_t>(x.rank() - 2)));
  return reshape(x, Shape{x.dim(0), space, x.dim(-1)}, where);
}

Tensors vjp(const WindowAttrs&, const GradCtx& cx, TensorSpan g) {
  if (!g[0].defined()) return {Tensor()};
  const Tensor& x = cx.inputs[0];
  const Tensor start = zeros(Shape(flat(x, cx.where).shape()), x.dtype(), cx.where);
  const Tensor changes = flat(g[0], cx.where);
  const Tensor dx = scatter_add(start, flat(cx.outputs[1], cx.where), changes, 1, cx.where);
  return {reshape(dx, Shape(x.shape()), cx.where)};
}
Tensors jvp(const WindowAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor places = flat(cx.outputs[1], cx.where);
  const Tensor taken = gather(flat(t[0], cx.where), places, 1, cx.where);
  return {reshape(taken, Shape(cx.outputs[0].shape()), cx.where), Tensor()};
}

Tensors batched(const WindowAttrs& at, const BatchCtx& cx) {
  Shape joined(cx.inputs[0].shape().subspan(1));
  joined[0] = joined[0] * cx.size;
  Tensors out = apply_all(kPoolMax, inputs(reshape(cx.inputs[0], joined, cx.where)), at, cx.where);
  for (Tensor& each : out) {
    Shape parted(each.shape());
    parted[0] = cx.inputs[0].dim(1);
    parted.insert(0, cx.size);
    each = reshape(each, parted, cx.where);
  }
  return out;
}

}  // namespace

constinit const OpDef kPoolMax{
    .name = "pool.max",
    .module = "nn",
    .doc =
        "The greatest element of each window of `x` [batch, space.., channels], channel by "
        "channel, and its index in the axes of space taken as one. Of equal elements the first is "
        "taken, and the first NaN before any number; the gradient goes to the element taken. "
        "max_pool1d .. and adaptive_max_pool1d .. are the ones to call.",
    .inputs = {"x: real"},
    .outputs = {"out: like x", "indices: int64"},
    .attrs = attrs_type<WindowAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis, 1 to 3 axes of space and channels"},
             Law{"count", "lists have a number for each axis of space"},
             Law{"positive", "taps, strides, dilations and places are at least 1, padding 0"},
             Law{"window", "windows fit in and cover at least one element each"}},
    .infer = rule<max_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"jax", "lax.reduce_window"}},
};

}  // namespace weft
