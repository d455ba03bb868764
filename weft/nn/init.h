// Initializers: functions of a key, a shape and a dtype that give the first values of parameters.
//
//   nn::Linear(4, 2, {.weight_init = nn::init::glorot_uniform, .bias_init = nn::init::zeros})
#pragma once

#include <functional>

#include "weft/ops/random/key.h"

namespace weft::nn {

using Initializer = std::function<Tensor(const random::Key& key, const Shape& shape, DType dtype)>;

namespace init {

Tensor zeros(const random::Key& key, const Shape& shape, DType dtype);
Tensor ones(const random::Key& key, const Shape& shape, DType dtype);
// Of variance 2 / (fan_in + fan_out), 2 / fan_in and 1 / fan_in, as in weft::random.
Tensor glorot_uniform(const random::Key& key, const Shape& shape, DType dtype);
Tensor glorot_normal(const random::Key& key, const Shape& shape, DType dtype);
Tensor he_uniform(const random::Key& key, const Shape& shape, DType dtype);
Tensor he_normal(const random::Key& key, const Shape& shape, DType dtype);
Tensor lecun_uniform(const random::Key& key, const Shape& shape, DType dtype);
Tensor lecun_normal(const random::Key& key, const Shape& shape, DType dtype);

// These give initializers.
Initializer constant(double value);
Initializer uniform(double low = -0.05, double high = 0.05);
Initializer normal(double std = 0.05, double mean = 0);
Initializer truncated_normal(double std = 0.05);  // those beyond two deviations are drawn again
Initializer orthogonal(double gain = 1);
// Uniform in 1 / sqrt(fan_in) around 0: PyTorch's for layers with weights.
Initializer fan_in_uniform(int64_t fan_in);

}  // namespace init
}  // namespace weft::nn
