// Convolutions, and what undoes their shapes.
#pragma once

#include "weft/nn/layer.h"
#include "weft/nn/sizes.h"

namespace weft::nn {

struct ConvOptions {
  Sizes stride = 1, padding = 0;
  std::string auto_padding = {};  // "same" or "valid", instead of padding
  Sizes dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  // "zeros", or how the elements go on: "reflect", "replicate" or "circular". Raises
  // [Conv2d.padding_mode]; "same" needs a stride of 1 there [Conv2d.padding].
  std::string padding_mode = "zeros";
  std::string data_format = {};
  DType dtype = DType::kF32;
  // As in PyTorch if left out, uniform in 1 / sqrt(fan_in) around 0, where fan_in is the number of
  // inputs of one output; glorot_uniform and zeros are Keras's choice.
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

struct ConvTransposeOptions {
  Sizes stride = 1, padding = 0, output_padding = 0;
  int64_t groups = 1;
  bool bias = true;
  Sizes dilation = 1;
  std::string data_format = {};
  DType dtype = DType::kF32;
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

// What convolutions over kAxes axes of space share.
template <int kAxes, bool kIsTransposed>
struct ConvLayer : Layer<ConvLayer<kAxes, kIsTransposed>> {
  using Options = std::conditional_t<kIsTransposed, ConvTransposeOptions, ConvOptions>;
  static constexpr std::string_view kNames[2][3] = {
      {"Conv1d", "Conv2d", "Conv3d"}, {"ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"}};
  static constexpr std::string_view kName = kNames[kIsTransposed][kAxes - 1];

  ConvLayer(int64_t in_channels, int64_t out_channels, const Sizes& kernel_size,
            Options options = {});

  mutable int64_t in_channels;  // kInferred until the first call, if it was left out
  int64_t out_channels;
  Ints kernel_size;
  mutable Variable weight, bias;
  static constexpr auto fields =
      fields_of(field("weight", &ConvLayer::weight), field("bias", &ConvLayer::bias));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::optional<int64_t> size_of(const State& state) const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  // How many elements are put before and behind each axis of space.
  std::pair<Ints, Ints> widths() const;
  Tensor padded(const Tensor& x) const;  // the input with its elements continued
  Options options_;
};

// x is [batch, channels, space..], weight [out_channels, in_channels / groups, *kernel_size].
//   nn::Conv2d(3, 8, 3, {.padding = 1})
using Conv1d = ConvLayer<1, false>;
using Conv2d = ConvLayer<2, false>;
using Conv3d = ConvLayer<3, false>;
// From their results' shape to their inputs'; weight is [in_channels, out_channels / groups,
// *kernel_size].
using ConvTranspose1d = ConvLayer<1, true>;
using ConvTranspose2d = ConvLayer<2, true>;
using ConvTranspose3d = ConvLayer<3, true>;

extern template struct ConvLayer<1, false>;
extern template struct ConvLayer<2, false>;
extern template struct ConvLayer<3, false>;
extern template struct ConvLayer<1, true>;
extern template struct ConvLayer<2, true>;
extern template struct ConvLayer<3, true>;

}  // namespace weft::nn
