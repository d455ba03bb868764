// Attributes and shapes of convolutions, and how channels take in a batch axis.
#include "weft/ops/nn/conv.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Ints filled(const Ints& list, const InferCtx& cx, std::string_view name, size_t axes,
            int64_t otherwise) {
  cx.require(list.empty() || list.size() == axes, "count", name, " has ", list.size(),
             " numbers, but x has ", axes, " axes of space; give one for each of them");
  return list.empty() ? Ints(axes, otherwise) : list;
}

void require_positive(const InferCtx& cx, const Ints& list, std::string_view name) {
  for (const int64_t value : list) {
    cx.require(value >= 1, "positive", name, " is ", list, "; it must be at least 1");
  }
}

// Axes [first, ..) of a tensor of this rank, in order, behind `front`.
Ints order(std::initializer_list<int64_t> front, int64_t first, int64_t end,
           std::initializer_list<int64_t> back) {
  Ints out(front);
  for (int64_t d = first; d < end; ++d) out.push_back(d);
  for (const int64_t d : back) out.push_back(d);
  return out;
}

}  // namespace

ConvAttrs complete(const ConvAttrs& at, const InferCtx& cx, size_t axes) {
  ConvAttrs out;
  out.stride = filled(at.stride, cx, "stride", axes, 1);
  out.dilation = filled(at.dilation, cx, "dilation", axes, 1);
  out.low = filled(at.low, cx, "low", axes, 0);
  out.high = filled(at.high, cx, "high", axes, 0);
  out.input_dilation = filled(at.input_dilation, cx, "input_dilation", axes, 1);
  out.groups = at.groups;
  require_positive(cx, out.stride, "stride");
  require_positive(cx, out.dilation, "dilation");
  require_positive(cx, out.input_dilation, "input_dilation");
  require_positive(cx, Ints{at.groups}, "groups");
  return out;
}

Shape conv_places(const ConvAttrs& at, const InferCtx& cx, ShapeView x, ShapeView taps) {
  Shape out;
  for (size_t d = 0; d < taps.size(); ++d) {
    const Dim size = x[d + 1];
    const Dim extent = (size - 1) * at.input_dilation[d] + 1 + at.low[d] + at.high[d];
    const Dim window = (taps[d] - 1) * at.dilation[d] + 1;
    const Dim room = extent - window;
    cx.require(
        (!taps[d].is_known() || taps[d].value() > 0) && (!size.is_known() || size.value() > 0) &&
            (!room.is_known() || room.value() >= 0),
        "window", "the window covers ", window, " places of axis ", d + 1, ", which has ", extent,
        " with its padding (x has shape ", x, "); it must cover at least 1 and fit in");
    out.push_back(floor_div(room, at.stride[d]) + 1);
  }
  return out;
}

ConvWindow window_of(const ConvAttrs& at) {
  return {at.stride, at.dilation, at.low, at.input_dilation, at.groups};
}

Tensor join_channels(const Tensor& x, int64_t groups, bool as_groups, Where where) {
  const int64_t rank = x.rank();
  const Dim batch = x.dim(0), channels = x.dim(-1);
  Shape out(x.shape().subspan(1));
  out.back() = channels * batch;
  if (as_groups || groups == 1) {
    return reshape(permute_dims(x, order({}, 1, rank - 1, {0, rank - 1}), where), out, where);
  }
  Shape split(x.shape());
  split.back() = groups;
  split.push_back(floor_div(channels, groups));
  const Tensor parts = reshape(x, split, where);
  return reshape(permute_dims(parts, order({}, 1, rank, {0, rank}), where), out, where);
}

Tensor part_channels(const Tensor& x, Dim size, int64_t groups, bool as_groups, Where where) {
  const int64_t rank = x.rank();
  const Dim channels = floor_div(x.dim(-1), size);
  Shape split(x.shape()), out{size};
  for (const Dim dim : x.shape()) out.push_back(dim);
  out.back() = channels;
  if (as_groups || groups == 1) {
    split.back() = size;
    split.push_back(channels);
    const Tensor parts = reshape(x, split, where);
    return permute_dims(parts, order({rank - 1}, 0, rank - 1, {rank}), where);
  }
  split.back() = groups;
  split.push_back(size);
  split.push_back(floor_div(channels, groups));
  const Tensor parts = reshape(x, split, where);
  return reshape(permute_dims(parts, order({rank}, 0, rank, {rank + 1}), where), out, where);
}

}  // namespace weft
