// Conv1d, Conv2d, Conv3d and their transposes.
#include "weft/nn/conv.h"

#include "weft/base/error.h"
#include "weft/nn/linear.h"
#include "weft/nn/repr.h"
#include "weft/op/context.h"
#include "weft/ops/nn/conv_call.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::nn {
namespace {

using Convolution = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const ConvCallAttrs&,
                               Where);
using Transposed = Tensor (*)(const Tensor&, const Tensor&, const Tensor&,
                              const ConvTransposeAttrs&, Where);
constexpr Convolution kForward[] = {conv1d, conv2d, conv3d};
constexpr Transposed kBackward[] = {conv_transpose1d, conv_transpose2d, conv_transpose3d};

bool has_channels_last(std::string_view format) {
  return format.size() > 1 && format.back() == 'C';
}

// The size of the axis of channels of [batch, channels, space..] or [batch, space.., channels].
Dim channels_of(const Tensor& x, int64_t axes, std::string_view format) {
  return x.dim(has_channels_last(format) ? -1 : -axes - 1);
}

// What pad calls a mode of padding; raises [who.padding_mode].
std::string mode_of_pad(std::string_view mode, std::string_view who) {
  if (mode == "reflect") return "reflect";
  if (mode == "replicate") return "edge";
  if (mode == "circular") return "wrap";
  fail(Code::kInvalid, who, "padding_mode", "padding_mode is '", mode,
       "'; it is 'zeros', 'reflect', 'replicate' or 'circular'");
}

}  // namespace

template <int kAxes, bool kIsTransposed>
ConvLayer<kAxes, kIsTransposed>::ConvLayer(int64_t in_channels, int64_t out_channels,
                                           const Sizes& kernel_size, Options options)
    : in_channels(in_channels),
      out_channels(out_channels),
      kernel_size(for_each_axis(kernel_size, kAxes, kName)),
      options_(std::move(options)) {
  const int64_t groups = options_.groups;
  for (const int64_t count : {in_channels, out_channels}) {
    if (count == kInferred || (groups > 0 && count % groups == 0)) continue;
    fail(Code::kInvalid, kName, "groups", count, " channels do not divide into ", groups,
         " groups");
  }
  if constexpr (!kIsTransposed) {
    if (options_.padding_mode != "zeros") {  // what it does not know raises here
      mode_of_pad(options_.padding_mode, kName);
      widths();
    }
  }
  this->begin(in_channels, options_.key, options_.dtype);
}

template <int kAxes, bool kIsTransposed>
std::vector<Wanted> ConvLayer<kAxes, kIsTransposed>::wanted(int64_t size) const {
  in_channels = size;
  const int64_t rows = kIsTransposed ? size : out_channels;
  int64_t fan_in = (kIsTransposed ? out_channels : size) / options_.groups;
  Shape shape{rows, fan_in};
  for (const int64_t extent : kernel_size) {
    shape.push_back(extent);
    fan_in *= extent;
  }
  const std::optional<Shape> columns =
      options_.bias ? std::optional(Shape{Dim(out_channels)}) : std::nullopt;
  return detail::weight_and_bias(weight, shape, bias, columns, fan_in, options_.weight_init,
                                 options_.bias_init);
}

template <int kAxes, bool kIsTransposed>
std::optional<int64_t> ConvLayer<kAxes, kIsTransposed>::size_of(const State& state) const {
  const auto found = state.find("weight");
  if (found == state.end()) return {};
  const Tensor& saved = found->second;
  return kIsTransposed ? saved.dim(0).value() : saved.dim(1).value() * options_.groups;
}

template <int kAxes, bool kIsTransposed>
std::pair<Ints, Ints> ConvLayer<kAxes, kIsTransposed>::widths() const {
  if constexpr (!kIsTransposed) {
    const std::string& given = options_.auto_padding;
    if (given == "same" || given == "SAME") {
      for (const int64_t step : options_.stride.values) {
        if (step == 1) continue;
        fail(Code::kInvalid, kName, "padding", "padding is 'same' and the stride ", step,
             "; with padding_mode '", options_.padding_mode, "' it needs a stride of 1");
      }
      const Ints steps = for_each_axis(options_.dilation, kAxes, kName);
      Ints before, after;
      for (size_t i = 0; i < kAxes; ++i) {
        const int64_t span = steps[i] * (kernel_size[i] - 1);
        before.push_back(span / 2);
        after.push_back(span - span / 2);  // an odd one at the end
      }
      return {before, after};
    }
  }
  const Ints all = for_each_axis(options_.padding, kAxes, kName);
  return {all, all};
}

template <int kAxes, bool kIsTransposed>
Tensor ConvLayer<kAxes, kIsTransposed>::padded(const Tensor& x) const {
  if constexpr (kIsTransposed) {
    return x;
  } else {
    if (options_.padding_mode == "zeros") return x;
    const bool is_last = has_channels_last(options_.data_format);
    const auto [before, after] = widths();
    const int64_t outer = x.rank() - kAxes - (is_last ? 1 : 0);
    const auto on_all_axes = [&](const Ints& of_space) {
      Ints all(static_cast<size_t>(x.rank()), 0);
      for (size_t i = 0; i < kAxes; ++i) all[static_cast<size_t>(outer) + i] = of_space[i];
      return all;
    };
    return pad_continued(x, on_all_axes(before), on_all_axes(after),
                         mode_of_pad(options_.padding_mode, kName));
  }
}

template <int kAxes, bool kIsTransposed>
Tensor ConvLayer<kAxes, kIsTransposed>::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  this->know(channels_of(x, kAxes, options_.data_format));
  const Tensor in = padded(this->lowered(x)), by = this->lowered(weight),
               plus = this->lowered(bias);
  const Options& at = options_;
  if constexpr (kIsTransposed) {
    return kBackward[kAxes - 1](in, by, plus,
                                {at.stride.values, at.padding.values, at.output_padding.values,
                                 at.groups, at.dilation.values, at.data_format},
                                where);
  } else {
    const bool is_done = at.padding_mode != "zeros";
    return kForward[kAxes - 1](
        in, by, plus,
        {at.stride.values, is_done ? Ints{0} : at.padding.values, at.dilation.values, at.groups,
         is_done ? std::string() : at.auto_padding, at.data_format},
        where);
  }
}

template <int kAxes, bool kIsTransposed>
std::string ConvLayer<kAxes, kIsTransposed>::extra_repr() const {
  bool is_square = true;
  for (const int64_t extent : kernel_size) is_square &= extent == kernel_size[0];
  Words words;
  words.item(in_channels).item(out_channels);
  is_square ? words.item(kernel_size[0]) : words.item(kernel_size);
  words.add_unless(Sizes(1), "stride", options_.stride);
  if constexpr (kIsTransposed) {
    words.add_unless(Sizes(0), "padding", options_.padding);
  } else if (options_.auto_padding.empty()) {
    words.add_unless(Sizes(0), "padding", options_.padding);
  } else {
    words.add("padding", Verbatim{options_.auto_padding});
  }
  words.add_unless(Sizes(1), "dilation", options_.dilation);
  words.add_unless(int64_t{1}, "groups", options_.groups);
  if constexpr (kIsTransposed) {
    words.add_unless(Sizes(0), "output_padding", options_.output_padding);
  }
  words.add_unless(true, "bias", options_.bias);
  if constexpr (!kIsTransposed) {
    if (options_.padding_mode != "zeros") {
      words.add("padding_mode", Verbatim{options_.padding_mode});
    }
  }
  return words.text();
}

template struct ConvLayer<1, false>;
template struct ConvLayer<2, false>;
template struct ConvLayer<3, false>;
template struct ConvLayer<1, true>;
template struct ConvLayer<2, true>;
template struct ConvLayer<3, true>;

}  // namespace weft::nn
