// random.fold_in: a new key from a key and a number.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

Types fold_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_key(cx, in[0].shape);
  const ShapeView keys = ShapeView(in[0].shape).first(in[0].shape.size() - 1);
  Shape out = cx.broadcast(keys, in[1].shape);
  out.push_back(2);
  return {{DType::kU32, out}};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Shape shape(out[0].shape());
  const Shape numbers(ShapeView(shape).first(shape.size() - 1));
  const std::vector<uint32_t> keys = broadcast_to(in[0], shape).to_vector<uint32_t>();
  const std::vector<int64_t> data =
      broadcast_to(cast(in[1], DType::kI64), numbers).to_vector<int64_t>();
  auto* to = static_cast<uint32_t*>(out[0].writable_data());
  for (size_t i = 0; i < data.size(); ++i, to += 2) {
    const Block<uint32_t> block =
        philox(keys[2 * i], keys[2 * i + 1], static_cast<uint64_t>(data[i]), Stream::kFold);
    to[0] = block.words[0];
    to[1] = block.words[1];
  }
}

// Axes of size 1 behind the batch axis align the examples' own axes on the right.
Tensor aligned(const Tensor& x, int64_t rank, Where where) {
  Shape shape{x.shape()[0]};
  for (int64_t i = x.rank() - 1; i < rank; ++i) shape.push_back(1);
  for (Dim dim : x.shape().subspan(1)) shape.push_back(dim);
  return reshape(x, shape, where);
}

Tensors batched(const NoAttrs&, const BatchCtx& cx) {
  Tensor key = cx.inputs[0], data = cx.inputs[1];
  const int64_t key_rank = key.rank() - (cx.batched[0] ? 2 : 1);
  const int64_t data_rank = data.rank() - (cx.batched[1] ? 1 : 0);
  const int64_t rank = std::max(key_rank, data_rank);
  if (cx.batched[0]) key = aligned(key, rank + 1, cx.where);
  if (cx.batched[1]) data = aligned(data, rank, cx.where);
  return {fold_in(key, data, cx.where)};
}

}  // namespace

Tensor fold_in(const Tensor& key, const Tensor& data, Where where) {
  return apply(kFoldIn, inputs(key, data), kNoAttrs, where);
}

}  // namespace random

constinit const OpDef kFoldIn{
    .name = "fold_in",
    .module = "random",
    .doc =
        "A new key from a key and an integer (a step, a device's number): different integers give "
        "unrelated keys. Keys and integers broadcast.",
    .inputs = {"key: key", "data: integer"},
    .outputs = {"out: key"},
    .laws = {Law{"key", "the last axis of a key has 2 words"}},
    .infer = rule<random::fold_infer>(),
    .grad = derive::not_differentiable("keys are integers"),
    .batch = batch::rule<random::batched>(),
    .kernel = kernel::native<random::run>(),
    .known_as = {Alias{"jax", "random.fold_in"}, Alias{"tf", "random.fold_in"}},
};

}  // namespace weft
