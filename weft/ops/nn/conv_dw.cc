// conv.dw: the gradient of conv's weight, summed over batch and space.
#include <utility>

#include "weft/op/apply.h"
#include "weft/ops/nn/conv.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types conv_dw_infer(const ConvDwAttrs& given, const InferCtx& cx, TypeSpan in) {
  const Shape &x = in[0].shape, &g = in[1].shape;
  cx.require(3 <= x.size() && x.size() <= 5 && g.size() == x.size(), "rank", "x has shape ", x,
             " and g has shape ", g,
             "; both must be [batch, space.., channels] with the same 1 to 3 axes of space");
  const size_t axes = x.size() - 2;
  cx.require(given.taps.size() == axes, "taps", "taps is ", given.taps, ", but x has ", axes,
             " axes of space; give a number for each of them");
  const ConvAttrs at = complete(given, cx, axes);
  Shape out(given.taps.begin(), given.taps.end());
  Shape wanted{x[0]};
  for (const Dim place : conv_places(at, cx, x, out)) wanted.push_back(place);
  wanted.push_back(g.back());
  cx.require(same(wanted, g) != Tri::kNo, "output", "g has shape ", g,
             ", but conv of x gives shape ", wanted, "; they must be equal");
  for (const Dim channels : {x.back(), g.back()}) {
    cx.require(same(floor_div(channels, at.groups) * at.groups, channels) != Tri::kNo, "groups",
               "x has ", x.back(), " channels and g has ", g.back(), ", but there are ", at.groups,
               " groups; both must be multiples");
  }
  out.push_back(floor_div(x.back(), at.groups));
  out.push_back(g.back());
  return {{in[0].dtype, out}};
}

// The kernel makes the channels innermost; elements only have to move if both of the last two axes
// have several.
void run(const ConvDwAttrs& given, TensorSpan in, TensorSpan out) {
  Shape shape(out[0].shape());
  const size_t rank = shape.size();
  std::swap(shape[rank - 1], shape[rank - 2]);
  Ints order;
  for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  std::swap(order[rank - 1], order[rank - 2]);
  const bool moves = !(shape[rank - 1] == Dim(1)) && !(shape[rank - 2] == Dim(1));
  const Tensor memory =
      moves ? Tensor::empty(out[0].dtype(), shape) : out[0].view(shape, contiguous_strides(shape));
  const Tensor result = permuted_view(memory, order);
  const ConvAttrs at = complete(given, InferCtx{"conv.dw"}, rank - 2);
  native::conv_dw(result, in[0], in[1], window_of(at));
  if (moves) native::copy(out[0], result);
}

// The cotangent of weights is weights: x gets their conv_dx, g their conv.
Tensors transpose(const ConvDwAttrs& given, const GradCtx& cx, TensorSpan cotangents) {
  const Tensor &x = cx.inputs[0], &g = cx.inputs[1], &weight = cotangents[0];
  const ConvAttrs at = complete(given, InferCtx{"conv.dw"}, static_cast<size_t>(x.rank() - 2));
  Tensors out(2);
  if (cx.wanted[0]) out[0] = conv_dx(at, x.shape(), weight, conj(g, cx.where), cx.where);
  if (cx.wanted[1]) out[1] = apply(kConv, inputs(conj(x, cx.where), weight), at, cx.where);
  return out;
}

// A batch of x joins its channels, a batch of g the filters, both of them the groups.
Tensors batched(const ConvDwAttrs& given, const BatchCtx& cx) {
  const Tensor &x = cx.inputs[0], &g = cx.inputs[1];
  const Where at = cx.where;
  ConvDwAttrs wider = given;
  const bool both = cx.batched[0] && cx.batched[1];
  if (both) wider.groups = (cx.size * given.groups).value();
  const Tensor changes = cx.batched[1] ? join_channels(g, given.groups, both, at) : g;
  const Tensor images = cx.batched[0] ? join_channels(x, given.groups, both, at) : x;
  const Tensor dw = apply(kConvDw, inputs(images, changes), wider, at);
  if (cx.batched[1]) return {part_channels(dw, cx.size, given.groups, both, at)};
  // [taps.., size * channels, filters]
  const int64_t rank = dw.rank();
  Shape split(dw.shape());
  split[split.size() - 2] = cx.size;
  split.insert(split.size() - 1, floor_div(dw.dim(-2), cx.size));
  Ints order{rank - 2};
  for (int64_t d = 0; d <= rank; ++d) {
    if (d != rank - 2) order.push_back(d);
  }
  return {permute_dims(reshape(dw, split, at), order, at)};
}

}  // namespace

constinit const OpDef kConvDw{
    .name = "conv.dw",
    .module = "nn",
    .doc =
        "The gradient of conv's weight from its input `x` and the cotangent `g` of its output: "
        "`out[k.., c, f] = sum over n and o.. of x[n, o * stride + k * dilation - low.., c] * "
        "g[n, o.., f]`, by fused multiply-adds over ascending (n, o..), a new chain at every 512 "
        "terms, and the chains added in ascending order.",
    .inputs = {"x: numeric", "g: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ConvDwAttrs>(),
    .laws = {Law{"rank",
                 "`x` and `g` have a batch axis, the same 1 to 3 axes of space and channels"},
             Law{"taps", "`taps` has a number for each axis of space"},
             Law{"count", "lists have a number for each axis of space"},
             Law{"positive", "stride, dilation, input_dilation and groups are at least 1"},
             Law{"groups", "the channels of both inputs divide into `groups` groups"},
             Law{"window", "the window has taps and fits into the padded input"},
             Law{"output", "`g` has the shape that conv gives"}},
    .infer = rule<conv_dw_infer>(),
    .grad = derive::bilinear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
