// random.split: new keys from a key.
#include "weft/op/apply.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"

namespace weft {
namespace random {
namespace {

struct SplitKeyAttrs {
  int64_t count = 2;
  static constexpr auto fields =
      fields_of(field("count", &SplitKeyAttrs::count, "how many new keys"));
};

Types split_infer(const SplitKeyAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_key(cx, in[0].shape);
  cx.require(at.count >= 0, "negative", "count is ", at.count, "; it must be at least 0");
  Shape out = in[0].shape;
  out.insert(out.size() - 1, at.count);
  num_elements(out);
  return {{DType::kU32, out}};
}

void run(const SplitKeyAttrs& at, TensorSpan in, TensorSpan out) {
  const std::vector<uint32_t> keys = in[0].to_vector<uint32_t>();
  const Tensor& result = out[0];
  auto* to = static_cast<uint32_t*>(result.writable_data());
  for (size_t i = 0; i + 1 < keys.size(); i += 2) {
    for (int64_t j = 0; j < at.count; ++j, to += 2) {
      const Block<uint32_t> block =
          philox(keys[i], keys[i + 1], static_cast<uint64_t>(j), Stream::kSplit);
      to[0] = block.words[0];
      to[1] = block.words[1];
    }
  }
}

}  // namespace

Tensor split(const Tensor& key, int64_t count, Where where) {
  return apply(kSplitKey, inputs(key), SplitKeyAttrs{count}, where);
}

}  // namespace random

constinit const OpDef kSplitKey{
    .name = "split",
    .module = "random",
    .doc =
        "`count` new keys from each key, along a new axis before the last: a batch of keys to "
        "index or to vmap over. Do not draw from a key that was split.",
    .inputs = {"key: key"},
    .outputs = {"out: key"},
    .attrs = attrs_type<random::SplitKeyAttrs>(),
    .laws = {Law{"key", "the last axis of a key has 2 words"},
             Law{"negative", "the count is at least 0"}},
    .infer = rule<random::split_infer>(),
    .grad = derive::not_differentiable("keys are integers"),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<random::run>(),
    .known_as = {Alias{"jax", "random.split"}, Alias{"numpy", "random.SeedSequence.spawn"},
                 Alias{"tf", "random.split"}},
};

}  // namespace weft
