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
Tensor permutation(const Tensor& key, int64_t n, Where where = Where::here());
Tensor split(const Tensor& key, int64_t count = 2, Where where = Where::here());
Tensor fold_in(const Tensor& key, const Tensor& data, Where where = Where::here());

// The two words of a key as scalars, for fill kernels; raises [op.key] for other shapes.
struct KeyWords {
  Tensor first, second;
};
KeyWords words_of_key(std::string_view op, const Tensor& key);
// Raises [op.key] unless the last axis has the two words of a key.
void require_key(const InferCtx& cx, ShapeView key);

}  // namespace random

extern const OpDef kUnitDraws, kNormalDraws, kIntDraws, kPermutation, kSplitKey, kFoldIn;
extern const CompositeDef kUniform, kNormal, kRandint, kBernoulli;

}  // namespace weft
