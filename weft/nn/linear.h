// Layers that multiply by matrices.
#pragma once

#include "weft/nn/layer.h"

namespace weft::nn {

// Gives what it is given.
struct Identity : Module<Identity> {
  Tensor forward(const Tensor& x) const { return x; }
};

struct LinearOptions {
  bool bias = true;
  DType dtype = DType::kF32;
  // As in PyTorch if left out, uniform in 1 / sqrt(in_features) around 0; glorot_uniform and zeros
  // are Keras's choice.
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

// x weight^T + bias along the last axis; weight is [out_features, in_features].
struct Linear : Layer<Linear> {
  explicit Linear(int64_t in_features, int64_t out_features, LinearOptions options = {});

  mutable int64_t in_features;  // kInferred until the first call, if it was left out
  int64_t out_features;
  mutable Variable weight, bias;
  static constexpr auto fields =
      fields_of(field("weight", &Linear::weight), field("bias", &Linear::bias));

  Tensor forward(const Tensor& x, Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  LinearOptions options_;
};

// a weight[k] b + bias[k] for each output k: a product of two inputs. Begins as Linear does; sizes
// of inputs that are kInferred are those of the first ones.
struct Bilinear : Layer<Bilinear> {
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features,
           LinearOptions options = {});

  mutable int64_t in1_features, in2_features;
  int64_t out_features;
  mutable Variable weight, bias;
  static constexpr auto fields =
      fields_of(field("weight", &Bilinear::weight), field("bias", &Bilinear::bias));

  Tensor forward(const Tensor& a, const Tensor& b, Where where) const;
  std::string extra_repr() const override;
  std::vector<Wanted> wanted(int64_t size) const override;
  std::optional<int64_t> size_of(const State& state) const override;

 private:
  LinearOptions options_;
};

namespace detail {
// Weight and bias as the options say, or as usual.
std::vector<Wanted> weight_and_bias(Variable& weight, const Shape& shape, Variable& bias,
                                    std::optional<Shape> bias_shape, int64_t fan_in,
                                    const Initializer& weight_init, const Initializer& bias_init);
}  // namespace detail

}  // namespace weft::nn
