// Models and data that the tests of train share.
#pragma once

#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/weft.h"

namespace weft::train {

inline Tensor numbers(std::vector<float> values, const Shape& shape) {
  return Tensor::from_bytes(DType::kF32, shape, std::as_bytes(std::span(values)));
}
inline Tensor integers(std::vector<int64_t> values) {
  const Shape shape{Dim(static_cast<int64_t>(values.size()))};
  return Tensor::from_bytes(DType::kI64, shape, std::as_bytes(std::span(values)));
}

// Points of two classes that a line does not part.
struct Points {
  Tensor x, y;
  explicit Points(int64_t count, uint64_t seed = 1)
      : x(random::normal(random::Key(seed), {count, 4})) {
    const Tensor left = index(x, {kEllipsis, 0}), right = index(x, {kEllipsis, 1});
    y = cast(left * right > 0.0, DType::kI64);
  }
  operator Examples() const { return {x, y}; }  // NOLINT(google-explicit-constructor)
};

inline nn::Sequential small_net() {
  return nn::Sequential(
      {nn::Linear(4, 8), nn::BatchNorm1d(8), relu, nn::Dropout(0.3), nn::Linear(8, 2)});
}

}  // namespace weft::train
