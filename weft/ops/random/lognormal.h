// random.lognormal and random.multivariate_normal: their documentation is in their files.
#pragma once

#include "weft/ops/random/random.h"

namespace weft {
namespace random {

// Standard ones; Python also takes mean and sigma.
Tensor lognormal(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                 Where where = Where::here());
// Vectors with these means and covariances; `shape` is how many, that of the parameters if left
// out.
Tensor multivariate_normal(const Tensor& key, const Tensor& mean, const Tensor& cov,
                           std::optional<Ints> shape = {}, Where where = Where::here());

}  // namespace random

extern const CompositeDef kLognormal, kMultivariateNormal;

}  // namespace weft
