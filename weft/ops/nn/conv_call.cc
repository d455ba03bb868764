// The convolutions people call: layouts, paddings and biases brought to the primitive's form.
#include "weft/ops/nn/conv_call.h"

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/conv.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// One number for each axis.
Ints for_axes(const InferCtx& cx, const Ints& list, int64_t axes, std::string_view name) {
  const auto count = static_cast<size_t>(axes);
  cx.require(list.size() == 1 || list.size() == count, "count", name, " has ", list.size(),
             " numbers; give 1, or one for each of the ", axes, " axes of space");
  return list.size() == count ? list : Ints(count, list[0]);
}

void require_positive(const InferCtx& cx, const Ints& list, int64_t groups, std::string_view name) {
  for (const int64_t value : list) {
    cx.require(value >= 1, "positive", name, " is ", list, "; it must be at least 1");
  }
  cx.require(groups >= 1, "positive", "groups is ", groups, "; it must be at least 1");
}

// Does the format say channels last? It is N, C and a letter for each axis of space, in order.
bool is_channels_last(const InferCtx& cx, std::string_view format, int64_t axes) {
  constexpr std::string_view kFirst[] = {"NCW", "NCHW", "NCDHW"},
                             kLast[] = {"NWC", "NHWC", "NDHWC"};
  const auto i = static_cast<size_t>(axes - 1);
  cx.require(format.empty() || format == kFirst[i] || format == kLast[i], "data_format",
             "data_format is \"", format, "\"; it must be \"", kFirst[i], "\" or \"", kLast[i],
             "\"");
  return format == kLast[i];
}

// x with a batch axis and its channels last; a view. Errors speak of x as it was given.
struct Input {
  Tensor given, x;
  bool had_batch;
  int64_t first_axis;  // of space, in what was given

  Input(const InferCtx& cx, const Tensor& given, int64_t axes, bool channels_last)
      : given(given),
        x(given),
        had_batch(given.rank() == axes + 2),
        first_axis((had_batch ? 1 : 0) + (channels_last ? 0 : 1)) {
    cx.require(given.rank() == axes + 1 || had_batch, "rank", "x has shape ", given.shape(),
               "; it must have ", axes, " axes of space, channels, and a batch axis or none");
    if (!had_batch) x = expand_dims(x, 0);
    if (channels_last) return;
    Ints order{0};
    for (int64_t d = 0; d < axes; ++d) order.push_back(d + 2);
    order.push_back(1);
    x = permute_dims(x, order);
  }

  // The result in the layout x had.
  Tensor restored(const Tensor& y, bool channels_last) const {
    Tensor out = y;
    if (!channels_last) {
      Ints order{0, y.rank() - 1};
      for (int64_t d = 1; d + 1 < y.rank(); ++d) order.push_back(d);
      out = permute_dims(y, order);
    }
    return had_batch ? out : squeeze(out, Ints{0});
  }
};

void check_weight(const InferCtx& cx, const Tensor& weight, int64_t axes, const char* form) {
  cx.require(weight.rank() == axes + 2, "weight", "weight has shape ", weight.shape(),
             "; it must be [", form, ", taps..] with ", axes, " axes of taps");
}

// The channels of x in all groups, and filters that divide into them.
void check_channels(const InferCtx& cx, const Input& input, const Tensor& weight, int64_t groups) {
  cx.require(decide_same(weight.dim(1) * groups, input.x.dim(-1)) != Tri::kNo, "channels",
             "x has shape ", input.given.shape(), " with ", input.x.dim(-1),
             " channels, but weight has shape ", weight.shape(), " with ", weight.dim(1),
             " for each of ", groups, " groups; their product must be equal to it");
  cx.require(decide_same(floor_div(weight.dim(0), groups) * groups, weight.dim(0)) != Tri::kNo,
             "channels", "weight has shape ", weight.shape(), " with ", weight.dim(0),
             " filters, which do not divide into ", groups,
             " groups; their number must be a multiple");
}

bool is_below(const Dim& dim, int64_t least) { return dim.is_known() && dim.value() < least; }

// Windows of at least one tap, that fit into the axes with their padding.
void check_windows(const InferCtx& cx, const Input& input, ShapeView taps, const ConvAttrs& form) {
  for (size_t d = 0; d < taps.size(); ++d) {
    const Dim size = input.x.shape()[d + 1];
    const Dim window = (taps[d] - 1) * form.dilation[d] + 1;
    const Dim extent = size + form.low[d] + form.high[d];
    cx.require(!is_below(taps[d], 1) && !is_below(size, 1) && !is_below(extent - window, 0),
               "window", "the window covers ", window, " places of axis ",
               input.first_axis + static_cast<int64_t>(d), ", which has ", extent,
               " with its padding (x has shape ", input.given.shape(),
               "); it must cover at least 1 and fit in");
  }
}

// The same of the transposed form, whose results have places left where padding is cut off.
void check_results(const InferCtx& cx, const Input& input, ShapeView taps, const ConvAttrs& form) {
  for (size_t d = 0; d < taps.size(); ++d) {
    const Dim size = input.x.shape()[d + 1];
    const Dim window = (taps[d] - 1) * form.dilation[d] + 1;
    const Dim places =
        (size - 1) * form.input_dilation[d] + 1 + form.low[d] + form.high[d] - window + 1;
    cx.require(!is_below(taps[d], 1) && !is_below(size, 1) && !is_below(places, 1), "window",
               "the result has ", places, " places along axis ",
               input.first_axis + static_cast<int64_t>(d), " (x has shape ", input.given.shape(),
               " and the window covers ", window, "); it must have at least 1");
  }
}

void check_bias(const InferCtx& cx, TensorSpan in, Dim filters) {
  if (in.size() < 3 || !in[2].defined()) return;
  cx.require(decide_same(in[2].shape(), Shape{filters}) != Tri::kNo, "bias", "bias has shape ",
             in[2].shape(), ", but there are ", filters, " filters; it must have one number each");
}

Tensor with_bias(const Tensor& y, TensorSpan in) {
  return in.size() < 3 || !in[2].defined() ? y : y + in[2];
}

// Sizes along space, of x with its channels last.
void set_padding(const ConvCallAttrs& at, const InferCtx& cx, ShapeView x, ShapeView taps,
                 ConvAttrs& out) {
  const size_t axes = taps.size();
  const std::string& word = at.auto_padding;
  const bool is_same = word == "same" || word == "SAME";
  const bool is_known = word.empty() || is_same || word == "valid" || word == "VALID";
  cx.require(is_known, "padding", "padding is \"", word,
             "\"; it must be \"same\", \"valid\" or numbers");
  cx.require(word.empty() || at.padding == Ints{0}, "padding", "padding is ", at.padding,
             " and auto_padding is \"", word, "\"; give one of them");
  if (word.empty()) {
    cx.require(at.padding.size() == 1 || at.padding.size() == axes || at.padding.size() == 2 * axes,
               "count", "padding has ", at.padding.size(),
               " numbers; give 1, or one or two for each of the ", axes, " axes of space");
  }
  out.low = out.high = Ints(axes, 0);
  for (size_t d = 0; d < axes; ++d) {
    if (is_same) {
      const Dim window = (taps[d] - 1) * out.dilation[d] + 1;
      // For steps of 1 the size does not matter.
      const Dim covered = out.stride[d] == 1
                              ? Dim(0)
                              : x[d + 1] - (ceil_div(x[d + 1], out.stride[d]) - 1) * out.stride[d];
      const Dim total = out.stride[d] == 1 ? window - 1 : window - covered;
      const int64_t zeros = total.value() < 0 ? 0 : total.value();
      out.low[d] = zeros / 2;
      out.high[d] = zeros - zeros / 2;
    } else if (word.empty()) {
      const size_t each = at.padding.size() / axes;
      out.low[d] = at.padding.size() == 1 ? at.padding[0] : at.padding[each * d];
      out.high[d] = at.padding.size() == 1 ? at.padding[0] : at.padding[each * d + each - 1];
    }
    cx.require(out.low[d] >= 0 && out.high[d] >= 0, "padding", "padding is ", at.padding,
               "; it must be at least 0");
  }
}

}  // namespace

Tensors conv_call(const ConvCallAttrs& at, const InferCtx& cx, TensorSpan in, int64_t axes) {
  const bool channels_last = is_channels_last(cx, at.data_format, axes);
  const Input input(cx, in[0], axes, channels_last);
  const Tensor& weight = in[1];
  check_weight(cx, weight, axes, "filters, channels / groups");
  check_bias(cx, in, weight.dim(0));
  ConvAttrs form;
  form.stride = for_axes(cx, at.stride, axes, "stride");
  form.dilation = for_axes(cx, at.dilation, axes, "dilation");
  form.groups = at.groups;
  require_positive(cx, form.stride, at.groups, "stride");
  require_positive(cx, form.dilation, at.groups, "dilation");
  check_channels(cx, input, weight, at.groups);
  set_padding(at, cx, input.x.shape(), weight.shape().subspan(2), form);
  check_windows(cx, input, weight.shape().subspan(2), form);
  Ints order;
  for (int64_t d = 2; d < axes + 2; ++d) order.push_back(d);
  for (const int64_t d : {1, 0}) order.push_back(d);
  const Tensor y = apply(kConv, inputs(input.x, permute_dims(weight, order)), form, Where{});
  return {input.restored(with_bias(y, in), channels_last)};
}

Tensors conv_transpose_call(const ConvTransposeAttrs& at, const InferCtx& cx, TensorSpan in,
                            int64_t axes) {
  const bool channels_last = is_channels_last(cx, at.data_format, axes);
  const Input input(cx, in[0], axes, channels_last);
  Tensor weight = in[1];
  check_weight(cx, weight, axes, "channels, filters / groups");
  check_bias(cx, in, weight.dim(1) * at.groups);
  ConvAttrs form;
  form.input_dilation = for_axes(cx, at.stride, axes, "stride");
  form.dilation = for_axes(cx, at.dilation, axes, "dilation");
  form.groups = at.groups;
  require_positive(cx, form.input_dilation, at.groups, "stride");
  require_positive(cx, form.dilation, at.groups, "dilation");
  const Ints padding = for_axes(cx, at.padding, axes, "padding");
  const Ints more = for_axes(cx, at.output_padding, axes, "output_padding");
  for (size_t d = 0; d < padding.size(); ++d) {
    cx.require(padding[d] >= 0, "output_padding", "padding is ", padding,
               "; it must be at least 0");
    cx.require(0 <= more[d] && (more[d] < form.input_dilation[d] || more[d] < form.dilation[d]),
               "output_padding", "output_padding is ", more, " with stride ", form.input_dilation,
               " and dilation ", form.dilation, "; it must be at least 0 and below one of the two");
    const int64_t window = ((weight.shape()[d + 2] - 1) * form.dilation[d]).value();
    form.low.push_back(window - padding[d]);
    form.high.push_back(window - padding[d] + more[d]);
  }
  const Dim channels = weight.dim(0), of_group = floor_div(channels, at.groups);
  cx.require(decide_same(of_group * at.groups, channels) != Tri::kNo &&
                 decide_same(channels, input.x.dim(-1)) != Tri::kNo,
             "channels", "x has shape ", input.given.shape(), " with ", input.x.dim(-1),
             " channels, weight has shape ", weight.shape(), " with ", channels, " and groups is ",
             at.groups, "; x and weight must have the same multiple of groups");
  check_results(cx, input, weight.shape().subspan(2), form);
  // [groups, channels, filters, taps..] -> [taps.., channels, groups, filters], taps reversed
  Shape split{at.groups, of_group};
  for (const Dim dim : weight.shape().subspan(1)) split.push_back(dim);
  Ints order, taps;
  for (int64_t d = 0; d < axes; ++d) order.push_back(d + 3), taps.push_back(d);
  for (const int64_t d : {1, 0, 2}) order.push_back(d);
  const Dim filters = weight.dim(1) * at.groups;
  Shape joined(weight.shape().subspan(2));
  joined.push_back(of_group);
  joined.push_back(filters);
  if (at.groups == 1) {
    order.clear();
    for (int64_t d = 0; d < axes; ++d) order.push_back(d + 2);
    for (const int64_t d : {0, 1}) order.push_back(d);
    weight = permute_dims(weight, order);
  } else {
    weight = reshape(permute_dims(reshape(weight, split), order), joined);
  }
  const Tensor y = apply(kConv, inputs(input.x, flip(weight, taps)), form, Where{});
  return {input.restored(with_bias(y, in), channels_last)};
}

}  // namespace weft
