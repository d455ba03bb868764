// conv: a window of weights moved over space; the primitive below conv1d, conv2d and conv3d.
#include "weft/ops/nn/conv.h"

#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types conv_infer(const ConvAttrs& given, const InferCtx& cx, TypeSpan in) {
  const Shape &x = in[0].shape, &weight = in[1].shape;
  cx.require(3 <= x.size() && x.size() <= 5, "rank", "x has shape ", x,
             "; it must be [batch, space.., channels] with 1 to 3 axes of space");
  cx.require(weight.size() == x.size(), "weight", "weight has shape ", weight, ", but x has shape ",
             x,
             "; it must be [taps.., channels of a group, filters] with an axis of taps for each "
             "axis of space");
  const size_t axes = x.size() - 2;
  const ConvAttrs at = complete(given, cx, axes);
  const Dim channels = weight[axes] * at.groups, filters = weight.back();
  cx.require(same(channels, x.back()) != Tri::kNo, "channels", "x has ", x.back(),
             " channels, but weight has ", weight[axes], " for each of ", at.groups,
             " groups; their product must be equal to it");
  const Dim of_group = floor_div(filters, at.groups);
  cx.require(same(of_group * at.groups, filters) != Tri::kNo, "filters", "weight has ", filters,
             " filters, which do not divide into ", at.groups,
             " groups; their number must be a multiple");
  Shape out{x[0]};
  for (const Dim place : conv_places(at, cx, x, ShapeView(weight).first(axes))) {
    out.push_back(place);
  }
  out.push_back(filters);
  return {{in[0].dtype, out}};
}

void run(const ConvAttrs& given, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  const auto axes = static_cast<size_t>(in[0].rank() - 2);
  native::conv(result, in[0], in[1], window_of(complete(given, InferCtx{"conv"}, axes)));
}

// [taps.., channels, groups * filters] as [taps reversed.., filters, groups * channels].
Tensor turned(const Tensor& weight, int64_t groups, Where where) {
  const int64_t rank = weight.rank();
  Ints taps, swap;
  for (int64_t d = 0; d + 2 < rank; ++d) taps.push_back(d), swap.push_back(d);
  const Tensor reversed = flip(weight, taps, where);
  if (groups == 1) {
    swap.push_back(rank - 1);
    swap.push_back(rank - 2);
    return permute_dims(reversed, swap, where);
  }
  const Dim channels = weight.dim(-2), filters = floor_div(weight.dim(-1), groups);
  Shape split(weight.shape()), out(weight.shape());
  split.back() = groups;
  split.push_back(filters);
  for (const int64_t d : {rank, rank - 1, rank - 2}) swap.push_back(d);
  out[out.size() - 2] = filters;
  out.back() = channels * groups;
  return reshape(permute_dims(reshape(reversed, split, where), swap, where), out, where);
}

bool is_ones(const Ints& list) {
  for (const int64_t value : list) {
    if (value != 1) return false;
  }
  return true;
}

// conv with the roles of input and output exchanged: where the elements of x lie apart and the
// window moves by single steps, x is the output of an ordinary convolution of g.
ConvAttrs exchanged(const ConvAttrs& at, ShapeView x, ShapeView taps, ShapeView g) {
  ConvAttrs out = at;
  out.stride = at.input_dilation;
  out.input_dilation = at.stride;
  for (size_t d = 0; d < taps.size(); ++d) {
    const Dim window = (taps[d] - 1) * at.dilation[d];
    out.low[d] = (window - at.low[d]).value();
    out.high[d] =
        ((x[d + 1] - 1) * at.input_dilation[d] - (g[d + 1] - 1) * at.stride[d] + at.low[d]).value();
  }
  return out;
}

ConvDwAttrs weight_attrs(const ConvAttrs& at, ShapeView taps) {
  ConvDwAttrs out;
  static_cast<ConvAttrs&>(out) = at;
  for (const Dim size : taps) out.taps.push_back(size.value());
  return out;
}

// dx is a convolution of g; dw sums over batch and space.
Tensors transpose(const ConvAttrs& given, const GradCtx& cx, TensorSpan cotangents) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &g = cotangents[0];
  const auto axes = static_cast<size_t>(x.rank() - 2);
  const ConvAttrs at = complete(given, InferCtx{"conv"}, axes);
  const ShapeView taps = weight.shape().first(axes);
  Tensors out(2);
  if (cx.wanted[0]) out[0] = conv_dx(at, x.shape(), conj(weight, cx.where), g, cx.where);
  if (!cx.wanted[1]) return out;
  if (is_ones(at.stride) && !is_ones(at.input_dilation)) {
    const ConvAttrs other = exchanged(at, x.shape(), taps, g.shape());
    const Tensor dw =
        apply(kConvDw, inputs(g, conj(x, cx.where)), weight_attrs(other, taps), cx.where);
    out[1] = turned(dw, at.groups, cx.where);
  } else {
    out[1] = apply(kConvDw, inputs(conj(x, cx.where), g), weight_attrs(at, taps), cx.where);
  }
  return out;
}

// A batch of x joins its batch axis, a batch of weights the filters, both of them the groups.
Tensors batched(const ConvAttrs& given, const BatchCtx& cx) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1];
  const Where at = cx.where;
  ConvAttrs wider = given;
  if (!cx.batched[1]) {
    Shape joined(x.shape().subspan(1));
    joined[0] = joined[0] * cx.size;
    const Tensor y = apply(kConv, inputs(reshape(x, joined, at), weight), wider, at);
    Shape parted(y.shape());
    parted[0] = x.dim(1);
    parted.insert(0, cx.size);
    return {reshape(y, parted, at)};
  }
  const bool both = cx.batched[0];
  if (both) wider.groups = (cx.size * given.groups).value();
  const Tensor filters = join_channels(weight, given.groups, both, at);
  const Tensor images = both ? join_channels(x, given.groups, true, at) : x;
  const Tensor y = apply(kConv, inputs(images, filters), wider, at);
  return {part_channels(y, cx.size, given.groups, both, at)};
}

}  // namespace

Tensor conv_dx(const ConvAttrs& at, ShapeView x, const Tensor& weight, const Tensor& g,
               Where where) {
  const ShapeView taps = weight.shape().first(static_cast<size_t>(weight.rank() - 2));
  return apply(kConv, inputs(g, turned(weight, at.groups, where)),
               exchanged(at, x, taps, g.shape()), where);
}

constinit const OpDef kConv{
    .name = "conv",
    .module = "nn",
    .doc =
        "Convolution (cross-correlation, as in other frameworks) of `x` [batch, space.., channels] "
        "with `weight` [taps.., channels / groups, filters], in 1 to 3 axes of space: "
        "`out[n, o.., f] = sum over k.. and c of x[n, o * stride + k * dilation - low.., c] * "
        "weight[k.., c, f]`, where group g of the filters sees group g of the channels. Around `x` "
        "lie `low` and `high` zeros; they are data, so that 0 * inf is NaN there too. Between "
        "elements that `input_dilation` sets apart lies nothing: such places are no terms. "
        "Each element is summed by fused multiply-adds over ascending (k.., c), a new chain at "
        "every 512 terms, and the chains are added in ascending order, so its bits do not depend "
        "on threads, layout or the batch it is in. The gradient of `x` is a convolution; that of "
        "`weight` is summed over (n, o..) in the same way (conv.dw), or, where only "
        "`input_dilation` is above 1, over (n, places of x). Half floats accumulate in float32; "
        "integers wrap around. conv1d, conv2d and conv3d are the ones to call for other layouts.",
    .inputs = {"x: numeric", "weight: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ConvAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis, 1 to 3 axes of space and channels"},
             Law{"weight", "`weight` has as many axes as `x`"},
             Law{"count", "lists have a number for each axis of space"},
             Law{"positive", "stride, dilation, input_dilation and groups are at least 1"},
             Law{"channels", "`x` has `groups` times the channels of `weight`"},
             Law{"filters", "the filters divide into `groups` groups"},
             Law{"window", "the window has taps and fits into the padded input"}},
    .infer = rule<conv_infer>(),
    .grad = derive::bilinear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"jax", "lax.conv_general_dilated"}, Alias{"tf", "nn.convolution"}},
};

}  // namespace weft
