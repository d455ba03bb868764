// random.permutation: the numbers 0 .. n - 1 in random order.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/op/staged_size.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"

namespace weft {
namespace random {
namespace {

struct PermutationAttrs {
  Shape n{0};  // one size
  static constexpr auto fields =
      fields_of(field("n", &PermutationAttrs::n, "how many numbers", kRequired));
};

Types permutation_infer(const PermutationAttrs& at, const InferCtx& cx, TypeSpan in) {
  require_key(cx, in[0].shape);
  Shape out(ShapeView(in[0].shape).first(in[0].shape.size() - 1));
  out.push_back(only_size(cx, "n", at.n));
  num_elements(out);
  return {{DType::kI64, out}};
}

// floor(bits * bound / 2^64): below 2^-64 * bound from uniform.
uint64_t scaled(uint64_t bits, uint64_t bound) {
  const uint64_t b0 = bits & 0xffffffffu, b1 = bits >> 32;
  const uint64_t n0 = bound & 0xffffffffu, n1 = bound >> 32;
  const uint64_t middle = b1 * n0 + (b0 * n0 >> 32);
  const uint64_t carry = (middle & 0xffffffffu) + b0 * n1;
  return b1 * n1 + (middle >> 32) + (carry >> 32);
}

// Fisher and Yates, from the end; swap i is decided by the draw at position i. Some draws are made
// before their swaps, so that what they will swap is on its way from memory.
void shuffle(int64_t* out, int64_t n, uint32_t key0, uint32_t key1) {
  constexpr int64_t kAhead = 64;
  for (int64_t i = 0; i < n; ++i) out[i] = i;
  for (int64_t last = n - 1; last > 0; last -= kAhead) {
    const int64_t count = std::min(kAhead, last);
    uint64_t other[kAhead];
    for (int64_t k = 0; k < count; ++k) {
      const auto i = static_cast<uint64_t>(last - k);
      const Block<uint32_t> block = philox(key0, key1, i, Stream::kShuffle);
      const uint64_t bits = uint64_t{block.words[0]} << 32 | block.words[1];
      other[k] = scaled(bits, i + 1);
    }
    for (int64_t k = 0; k < count; ++k) __builtin_prefetch(out + other[k], 1);
    for (int64_t k = 0; k < count; ++k) std::swap(out[last - k], out[other[k]]);
  }
}

Tensors run(const PermutationAttrs&, TensorSpan in, TypeSpan out) {
  const std::vector<uint32_t> keys = in[0].to_vector<uint32_t>();
  const Tensor result = Tensor::empty(DType::kI64, out[0].shape);
  auto* row = static_cast<int64_t*>(result.writable_data());
  const int64_t n = out[0].shape.back().value();
  for (size_t i = 0; i + 1 < keys.size(); i += 2, row += n) {
    shuffle(row, n, keys[i], keys[i + 1]);
  }
  return {result};
}

}  // namespace

Tensor permutation(const Tensor& key, Dim n, Where where) {
  return apply(kPermutation, inputs(key), PermutationAttrs{{n}}, where);
}

}  // namespace random

constinit const OpDef kPermutation{
    .name = "permutation",
    .module = "random",
    .doc =
        "The numbers from 0 to `n - 1` in random order, for each key. Take rows of a tensor by it "
        "to shuffle them.",
    .inputs = {"key: key"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<random::PermutationAttrs>(),
    .laws = {Law{"key", "the last axis of a key has 2 words"}, Law{"size", "n is one number"},
             Law{"negative", "n is at least 0"}},
    .infer = rule<random::permutation_infer>(),
    .grad = derive::not_differentiable("keys are integers"),
    .batch = batch::broadcasting(),
    .kernel = kernel::run<random::run>(),
    .known_as = {Alias{"numpy", "random.permutation"}, Alias{"torch", "randperm"},
                 Alias{"jax", "random.permutation"}, Alias{"tf", "random.shuffle"}},
};

}  // namespace weft
