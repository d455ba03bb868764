// What gamma, beta and dirichlet share.
#pragma once

#include "weft/ops/random/random.h"

namespace weft::random {

// `shape` is that of the parameters if left out; the dtype is theirs.
struct DrawAttrs {
  std::optional<Ints> shape;
  static constexpr auto fields = fields_of(field(
      "shape", &DrawAttrs::shape, "the shape of the result; that of the parameters if left out"));
};

// The shape that `at` asks for, to which the parameters broadcast; raises [op.negative] and
// [op.shape].
Shape drawn_shape(const InferCtx& cx, const DrawAttrs& at, ShapeView parameters);

// Logarithms in float64 of gamma draws of `shape`, to which alpha broadcasts.
Tensor loggamma(const Tensor& key, const Tensor& alpha, const Shape& shape);

// A parameter as a floating tensor: integers become float32; raises [op.dtype].
Tensor floating_parameter(const InferCtx& cx, std::string_view name, const Tensor& x);

}  // namespace weft::random
