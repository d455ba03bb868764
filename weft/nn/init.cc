// The first values of parameters, drawn from keys.
#include "weft/nn/init.h"

#include <cmath>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"

namespace weft::nn::init {

using random::Key;

Tensor zeros(const Key&, const Shape& shape, DType dtype) { return full(shape, 0.0, dtype); }
Tensor ones(const Key&, const Shape& shape, DType dtype) { return full(shape, 1.0, dtype); }
Tensor glorot_uniform(const Key& key, const Shape& shape, DType dtype) {
  return random::glorot_uniform(key, shape, dtype);
}
Tensor glorot_normal(const Key& key, const Shape& shape, DType dtype) {
  return random::glorot_normal(key, shape, dtype);
}
Tensor he_uniform(const Key& key, const Shape& shape, DType dtype) {
  return random::he_uniform(key, shape, dtype);
}
Tensor he_normal(const Key& key, const Shape& shape, DType dtype) {
  return random::he_normal(key, shape, dtype);
}
Tensor lecun_uniform(const Key& key, const Shape& shape, DType dtype) {
  return random::lecun_uniform(key, shape, dtype);
}
Tensor lecun_normal(const Key& key, const Shape& shape, DType dtype) {
  return random::lecun_normal(key, shape, dtype);
}

Initializer constant(double value) {
  return [value](const Key&, const Shape& shape, DType dtype) { return full(shape, value, dtype); };
}

Initializer uniform(double low, double high) {
  return [low, high](const Key& key, const Shape& shape, DType dtype) {
    return random::uniform(key, shape, dtype, low, high);
  };
}

Initializer normal(double std, double mean) {
  return [std, mean](const Key& key, const Shape& shape, DType dtype) {
    const Tensor centre(mean), deviation(std);
    return compose(kNormal, inputs(key.words(), centre, deviation), FillAttrs{shape, dtype},
                   Where::here());
  };
}

Initializer truncated_normal(double std) {
  return [std](const Key& key, const Shape& shape, DType dtype) {
    Ints sizes;
    for (const Dim dim : shape) sizes.push_back(dim.value());
    return random::truncated_normal(key, -2.0, 2.0, sizes, dtype) * std;
  };
}

Initializer orthogonal(double gain) {
  return [gain](const Key& key, const Shape& shape, DType dtype) {
    return random::orthogonal(key, shape, dtype, gain);
  };
}

Initializer fan_in_uniform(int64_t fan_in) {
  const double bound = fan_in > 0 ? std::pow(static_cast<double>(fan_in), -0.5) : 0.0;
  return uniform(-bound, bound);
}

}  // namespace weft::nn::init
