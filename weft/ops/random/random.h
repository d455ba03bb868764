// Random numbers from keys: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace random {

// `key` is uint32[2]: Key(0).words().
Tensor uniform(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
               const Tensor& low = 0.0, const Tensor& high = 1.0, Where where = Where::here());
Tensor normal(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
              Where where = Where::here());
Tensor randint(const Tensor& key, int64_t low, int64_t high, const Shape& shape,
               DType dtype = DType::kI64, Where where = Where::here());
Tensor bernoulli(const Tensor& key, const Tensor& p, std::optional<Ints> shape = {},
                 Where where = Where::here());
Tensor permutation(const Tensor& key, Dim n, Where where = Where::here());
Tensor split(const Tensor& key, int64_t count = 2, Where where = Where::here());
Tensor fold_in(const Tensor& key, const Tensor& data, Where where = Where::here());
// Transformed uniform draws: standard ones here; Python also takes loc and scale.
Tensor exponential(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                   Where where = Where::here());
Tensor gumbel(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
              Where where = Where::here());
Tensor laplace(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
               Where where = Where::here());
Tensor logistic(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                Where where = Where::here());
Tensor cauchy(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
              Where where = Where::here());
Tensor rademacher(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                  Where where = Where::here());
// Of parameters for each element; `shape` is theirs if left out.
Tensor gamma(const Tensor& key, const Tensor& alpha, std::optional<Ints> shape = {},
             Where where = Where::here());
Tensor beta(const Tensor& key, const Tensor& a, const Tensor& b, std::optional<Ints> shape = {},
            Where where = Where::here());
Tensor dirichlet(const Tensor& key, const Tensor& alpha, std::optional<Ints> shape = {},
                 Where where = Where::here());
Tensor poisson(const Tensor& key, const Tensor& rate, std::optional<Ints> shape = {},
               DType dtype = DType::kI64, Where where = Where::here());
Tensor binomial(const Tensor& key, const Tensor& n, const Tensor& p, std::optional<Ints> shape = {},
                DType dtype = DType::kI64, Where where = Where::here());
Tensor truncated_normal(const Tensor& key, const Tensor& lower, const Tensor& upper,
                        std::optional<Ints> shape = {}, std::optional<DType> dtype = {},
                        Where where = Where::here());
// Weights for layers, of variance 2 / (fan_in + fan_out), 2 / fan_in and 1 / fan_in; inputs are on
// the axis before the last, outputs on the last.
Tensor glorot_uniform(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                      Where where = Where::here());
Tensor glorot_normal(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                     Where where = Where::here());
Tensor he_uniform(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                  Where where = Where::here());
Tensor he_normal(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                 Where where = Where::here());
Tensor lecun_uniform(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                     Where where = Where::here());
Tensor lecun_normal(const Tensor& key, const Shape& shape, DType dtype = DType::kF32,
                    Where where = Where::here());
Tensor orthogonal(const Tensor& key, const Shape& shape, DType dtype = DType::kF32, double gain = 1,
                  Where where = Where::here());
// Choosing
Tensor categorical(const Tensor& key, const Tensor& logits, int64_t axis = -1,
                   std::optional<Ints> shape = {}, Where where = Where::here());
Tensor choice(const Tensor& key, const Tensor& x, const Shape& shape = {}, bool replace = true,
              const Tensor& p = {}, Where where = Where::here());
Tensor shuffle(const Tensor& key, const Tensor& x, int64_t axis = 0, Where where = Where::here());

// The two words of a key as scalars, for fill kernels; raises [op.key] for other shapes.
struct KeyWords {
  Tensor first, second;
};
KeyWords words_of_key(std::string_view op, const Tensor& key);
// Raises [op.key] unless the last axis has the two words of a key.
void require_key(const InferCtx& cx, ShapeView key);

}  // namespace random

extern const OpDef kUnitDraws, kNormalDraws, kIntDraws, kPermutation, kSplitKey, kFoldIn,
    kTailDraws, kLoggammaDraws, kLoggammaSlope, kLoggammaCurvature, kPoissonDraws, kBinomialDraws,
    kTruncatedDraws, kOrthogonalRows;
extern const CompositeDef kUniform, kNormal, kRandint, kBernoulli, kExponential, kGumbel, kLaplace,
    kLogistic, kCauchy, kRademacher, kGamma, kBeta, kDirichlet, kPoisson, kBinomial, kCategorical,
    kChoice, kShuffle, kTruncatedNormal, kOrthogonal, kVarianceScaling, kGlorotUniform,
    kGlorotNormal, kHeUniform, kHeNormal, kLecunUniform, kLecunNormal;

}  // namespace weft
