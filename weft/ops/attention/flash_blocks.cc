// Views and masks of the blocks of attention, and the same on whole matrices.
#include <algorithm>

#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

FlashSizes::FlashSizes(const Tensor& q, const Tensor& k, const Tensor& v)
    : batch(q.dim(0).value()),
      heads(q.dim(1).value()),
      groups(q.dim(2).value()),
      queries(q.dim(3).value()),
      keys(k.dim(2).value()),
      features(q.dim(4).value()),
      value_features(v.dim(3).value()) {}

FlashBlocks::FlashBlocks(const FlashSizes& sizes, const Tensor& mask, bool causal, DType dtype)
    : sizes_(sizes), mask_(mask), causal_(causal) {
  const auto constant = [&](int64_t count, double value) {
    const Tensor out = Tensor::empty(dtype, Shape{count});
    native::fill(out, Tensor::scalar(dtype, value).data());
    return out;
  };
  nothing_ = constant(kKeyBlock, 0);
  if (!causal) return;
  // Element x is that of key - query = x - (kQueryBlock + kKeyBlock).
  const int64_t half = kQueryBlock + kKeyBlock;
  diagonal_ = constant(2 * half, 0);
  native::fill(diagonal_.view(Shape{half - 1}, Ints{1}, half + 1),
               Tensor::scalar(dtype, -__builtin_inf()).data());
}

Tensor FlashBlocks::rows(const Tensor& x, int64_t index, int64_t first, int64_t count) {
  const int64_t all = x.dim(-2).value(), columns = x.dim(-1).value();
  return x.view(Shape{count, columns}, Ints{columns, 1}, (index * all + first) * columns);
}

int64_t FlashBlocks::keys_seen(int64_t end) const {
  return causal_ ? std::min(end, sizes_.keys) : sizes_.keys;
}

Tensor FlashBlocks::mask(int64_t batch, int64_t head, int64_t group, int64_t query, int64_t queries,
                         int64_t key, int64_t keys) const {
  Tensor out;
  if (mask_.defined()) {
    const auto along = [&](int64_t axis, int64_t i) {
      return mask_.dim(axis) == Dim(1) ? 0 : i * mask_.strides()[static_cast<size_t>(axis)];
    };
    const int64_t offset =
        along(0, batch) + along(1, head) + along(2, group) + along(3, query) + along(4, key);
    const auto step = [&](int64_t axis) {
      return mask_.dim(axis) == Dim(1) ? 0 : mask_.strides()[static_cast<size_t>(axis)];
    };
    out = mask_.view(Shape{queries, keys}, Ints{step(3), step(4)}, offset);
  }
  if (!causal_ || key + keys - 1 <= query) {
    return out.defined() ? out : nothing_.view(Shape{keys}, Ints{1});
  }
  // Keys far behind the queries are not seen at all, so the view stays inside.
  const int64_t apart = key - query + kQueryBlock + kKeyBlock;
  const Tensor triangle = diagonal_.view(Shape{queries, keys}, Ints{-1, 1}, apart);
  return out.defined() ? out + triangle : triangle;
}

Tensor transposed(const Tensor& x, Where where) {
  Ints axes;
  for (int64_t d = 0; d < x.rank(); ++d) axes.push_back(d);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permute_dims(x, axes, where);
}

namespace {

// -inf where key > query, else 0: [queries, keys].
Tensor triangle(Dim queries, Dim keys, DType dtype, Where where) {
  const Tensor ones = broadcast_to(Tensor::scalar(DType::kI64, 1), Shape{queries, keys}, where);
  const auto counted = [&](int64_t axis) { return cumulative_sum(ones, axis, where); };
  return weft::where(greater(counted(1), counted(0), where),
                     Tensor::scalar(dtype, -__builtin_inf()), Tensor::scalar(dtype, 0), where);
}

}  // namespace

PlainAttention::PlainAttention(const FlashAttrs& at, const Tensor& queries, const Tensor& keys,
                               const Tensor& values, const Tensor& given, Where line)
    : q(queries),
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
