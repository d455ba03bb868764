// Attention on whole matrices, for the rules, and its rule for batches.
#include <cmath>

#include "weft/op/apply.h"
#include "weft/op/staged_size.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

double FlashAttrs::scale_of(int64_t features) const {
  return scale.value_or(1 / std::sqrt(static_cast<double>(features)));
}

Tensor scaled(const Tensor& x, const FlashAttrs& at, Where where) {
  if (!x.defined() || at.scale == 1) return x;
  if (at.scale) return multiply(x, Tensor(*at.scale), where);
  const Dim features = x.dim(-1);
  if (features.is_known()) return multiply(x, Tensor(at.scale_of(features.value())), where);
  const Tensor count = cast(size_as_tensor(features, where), DType::kF64, where);
  const Tensor scale = divide(Tensor(1.0), sqrt(count, where), where);
  return multiply(x, cast(scale, x.dtype(), where), where);
}

namespace {

// -inf where key > query, else 0: [queries, keys].
Tensor triangle(Dim queries, Dim keys, DType dtype, Where where) {
  const Tensor ones = broadcast_to(Tensor::scalar(DType::kI64, 1), Shape{queries, keys}, where);
  const auto counted = [&](int64_t axis) { return cumulative_sum(ones, axis, where); };
  const Tensor rows = counted(0);
  return weft::where(greater(counted(1), rows, where), Tensor::scalar(dtype, -__builtin_inf()),
                     Tensor::scalar(dtype, 0), where);
}

}  // namespace

PlainAttention::PlainAttention(const FlashAttrs& at, const Tensor& queries, const Tensor& keys,
                               const Tensor& values, const Tensor& given, Where line)
    : q(scaled(queries, at, line)),
      k(expand_dims(keys, 2, line)),
      v(expand_dims(values, 2, line)),
      mask(given),
      where(line) {
  if (!at.causal) return;
  const Tensor causal = triangle(q.dim(3), k.dim(3), q.dtype(), line);
  mask = mask.defined() ? mask + causal : causal;
}

Tensor PlainAttention::scores() const {
  const Tensor out = matmul(q, transposed(k, where), where);
  return mask.defined() ? out + mask : out;
}

Tensor PlainAttention::probabilities(const Tensor& lse) const {
  const Tensor from =
      weft::where(equal(lse, -__builtin_inf()), Tensor::scalar(lse.dtype(), 0), lse, where);
  return exp(scores() - from, where);
}

Tensor PlainAttention::over_groups(const Tensor& x) const {
  return x.dim(2) == Dim(1) ? squeeze(x, Ints{2}, where) : sum(x, Ints{2}, false, where);
}

Tensors flash_batched(const OpDef& op, size_t mask, const FlashAttrs& at, const BatchCtx& cx) {
  const Dim batch = cx.batched[0] ? cx.inputs[0].dim(1) : cx.inputs[0].dim(0);
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    if (i == mask && !cx.batched[i] && cx.inputs[i].dim(0) == Dim(1)) {
      in.push_back(cx.inputs[i]);
      continue;
    }
    Tensor x = cx.with_batch_axis(i);
    Shape full(x.shape());
    full[1] = batch;
    if (i == mask) x = broadcast_to(x, full, cx.where);
    Shape joined(x.shape().subspan(1));
    joined[0] = joined[0] * cx.size;
    in.push_back(reshape(x, joined, cx.where));
  }
  Tensors out = apply_all(op, in, at, cx.where);
  for (Tensor& each : out) {
    Shape parted(each.shape());
    parted[0] = batch;
    parted.insert(0, cx.size);
    each = reshape(each, parted, cx.where);
  }
  return out;
}

}  // namespace weft
