// random.multivariate_normal: normal vectors with given means and covariances.
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/gamma_family.h"
#include "weft/ops/random/lognormal.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

struct MultivariateNormalAttrs {
  std::optional<Ints> shape;
  static constexpr auto fields =
      fields_of(field("shape", &MultivariateNormalAttrs::shape,
                      "how many draws, as a shape; the axes of mean and cov in front of their own "
                      "if left out"));
};

// l z for each vector z of the last axis. One matrix for all of them makes one product, with the
// vectors as rows.
Tensor times_each(const Tensor& lower, const Tensor& z) {
  if (lower.rank() == 2) return matmul(z, linalg::transposed(lower, Where{}));
  return squeeze(matmul(lower, expand_dims(z, -1)), Ints{-1});
}

// mean + l z, where l l^T = cov.
Tensors composed(const MultivariateNormalAttrs& at, TensorSpan in) {
  const InferCtx cx{"multivariate_normal"};
  words_of_key(cx.op, in[0]);
  const Tensor mean = floating_parameter(cx, "mean", in[1]);
  const Tensor cov = floating_parameter(cx, "cov", in[2]);
  const bool fits = mean.rank() >= 1 && cov.rank() >= 2 &&
                    decide_same(cov.dim(-1), mean.dim(-1)) != Tri::kNo &&
                    decide_same(cov.dim(-2), mean.dim(-1)) != Tri::kNo;
  cx.require(fits, "size", "mean has shape ", mean.shape(), " and cov has shape ", cov.shape(),
             "; they must be [.., n] and [.., n, n]");
  const ShapeView means = mean.shape().first(mean.shape().size() - 1);
  const Shape both = cx.broadcast(means, linalg::batch_of(cov.shape()));
  Shape shape = drawn_shape(cx, {at.shape}, both);
  shape.push_back(mean.dim(-1));
  const DType wide = compute_of(mean.dtype());
  const Tensor lower = linalg::cholesky(cast(cov, wide));
  const Tensor moved = times_each(lower, normal(in[0], shape, wide));
  return {cast(cast(mean, wide) + moved, mean.dtype())};
}

}  // namespace

Tensor multivariate_normal(const Tensor& key, const Tensor& mean, const Tensor& cov,
                           std::optional<Ints> shape, Where where) {
  return compose(kMultivariateNormal, inputs(key, mean, cov),
                 MultivariateNormalAttrs{std::move(shape)}, where);
}

}  // namespace random

constinit const CompositeDef kMultivariateNormal{
    .name = "multivariate_normal",
    .module = "random",
    .doc =
        "Normal vectors with means `mean` [.., n] and covariances `cov` [.., n, n]: `mean + l z` "
        "with the Cholesky factor `l` of `cov` and the draws `z` of random.normal with the same "
        "key. `cov` must be positive definite: a semidefinite one needs a little added to its "
        "diagonal. Differentiable in both.",
    .inputs = {"key: key", "mean: floating", "cov: like mean"},
    .outputs = {"out: like mean"},
    .attrs = attrs_type<random::MultivariateNormalAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "the parameters are floating"},
             Law{"size", "`cov` has a row and a column for each number of `mean`"},
             Law{"positive", "`cov` is positive definite"},
             Law{"broadcast", "the axes of `mean` and `cov` in front broadcast"},
             Law{"shape", "the parameters broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::composed>(),
    .known_as = {Alias{"numpy",
                       "random.multivariate_normal: it takes semidefinite covariances, too; ours "
                       "must be definite"},
                 Alias{"torch", "distributions.MultivariateNormal"},
                 Alias{"jax",
                       "random.multivariate_normal: a covariance that is not positive definite "
                       "gives NaN there and raises here"}},
};

}  // namespace weft
