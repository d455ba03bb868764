// Activations as modules: each calls the function of its name.
#pragma once

#include "weft/nn/layer.h"
#include "weft/nn/name.h"
#include "weft/nn/repr.h"
#include "weft/ops/math/math.h"
#include "weft/ops/nn/nn.h"

namespace weft::nn {

// Without options.
template <Name kText, Tensor (*kFunction)(const Tensor&, Where)>
struct PlainActivation : Module<PlainActivation<kText, kFunction>> {
  static constexpr std::string_view kName = kText;

  Tensor forward(const Tensor& x, Where where) const { return kFunction(x, where); }
};

using ReLU = PlainActivation<"ReLU", relu>;
using ReLU6 = PlainActivation<"ReLU6", relu6>;
using SELU = PlainActivation<"SELU", selu>;
using SiLU = PlainActivation<"SiLU", silu>;
using Mish = PlainActivation<"Mish", mish>;
using Hardsigmoid = PlainActivation<"Hardsigmoid", hardsigmoid>;
using Hardswish = PlainActivation<"Hardswish", hardswish>;
using LogSigmoid = PlainActivation<"LogSigmoid", log_sigmoid>;
using Softsign = PlainActivation<"Softsign", softsign>;
using Sigmoid = PlainActivation<"Sigmoid", sigmoid>;
using Tanh = PlainActivation<"Tanh", tanh>;

// Along an axis, the last one if none is given.
template <Name kText, Tensor (*kFunction)(const Tensor&, int64_t, Where)>
struct AxisActivation : Module<AxisActivation<kText, kFunction>> {
  static constexpr std::string_view kName = kText;
  static constexpr auto fields = kNoFields;

  explicit AxisActivation(int64_t axis = -1) : axis(axis) {}

  int64_t axis;

  Tensor forward(const Tensor& x, Where where) const { return kFunction(x, axis, where); }
  std::string extra_repr() const override { return axis == -1 ? "" : text("axis=", axis); }
};

using Softmax = AxisActivation<"Softmax", softmax>;
using LogSoftmax = AxisActivation<"LogSoftmax", log_softmax>;
using GLU = AxisActivation<"GLU", glu>;
using SwiGLU = AxisActivation<"SwiGLU", swiglu>;

// With one number, which people call kWord.
template <Name kText, Name kWord, double kUsual,
          Tensor (*kFunction)(const Tensor&, const Tensor&, Where)>
struct ScaledActivation : Module<ScaledActivation<kText, kWord, kUsual, kFunction>> {
  static constexpr std::string_view kName = kText;
  static constexpr auto fields = kNoFields;

  explicit ScaledActivation(double value = kUsual) : value(value) {}

  double value;

  Tensor forward(const Tensor& x, Where where) const { return kFunction(x, value, where); }
  std::string extra_repr() const override {
    return Words().add_unless(kUsual, kWord, value).text();
  }
};

using LeakyReLU = ScaledActivation<"LeakyReLU", "negative_slope", 0.01, leaky_relu>;
using ELU = ScaledActivation<"ELU", "alpha", 1.0, elu>;
using CELU = ScaledActivation<"CELU", "alpha", 1.0, celu>;
using Softplus = ScaledActivation<"Softplus", "beta", 1.0, softplus>;

struct GELU : Module<GELU> {
  static constexpr auto fields = kNoFields;

  explicit GELU(std::string approximate = "none") : approximate(std::move(approximate)) {}

  std::string approximate;  // "none" or "tanh"

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

struct Hardtanh : Module<Hardtanh> {
  static constexpr auto fields = kNoFields;

  explicit Hardtanh(double min_val = -1, double max_val = 1) : min_val(min_val), max_val(max_val) {}

  double min_val, max_val;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

// x where it is above the threshold, else the value.
struct Threshold : Module<Threshold> {
  static constexpr auto fields = kNoFields;

  explicit Threshold(double threshold = 0, double value = 0) : threshold(threshold), value(value) {}

  double threshold, value;

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
};

struct PReLUOptions {
  double init = 0.25;
  DType dtype = DType::kF32;
  std::optional<random::Key> key = {};
};

// leaky_relu with a slope that is learned, one for all or one a channel; kInferred: as many as the
// first input has channels.
struct PReLU : Layer<PReLU> {
  explicit PReLU(int64_t num_parameters = 1, PReLUOptions options = {});

  mutable int64_t num_parameters;
  mutable Variable weight;
  static constexpr auto fields = fields_of(field("weight", &PReLU::weight));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;
  std::optional<int64_t> size_of(const State& state) const override;

 private:
  PReLUOptions options_;
};

}  // namespace weft::nn
