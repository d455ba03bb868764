// random.permutation: the numbers 0 .. n - 1 in random order.
#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "weft/base/cpu.h"
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
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(Wide{bits} * bound >> 64);
}

constexpr int64_t kAhead = 64;  // draws that are made before their swaps

// bits[k] = the first two words of the block at position `first` + k, for k < kAhead.
using DrawBits = void (*)(uint32_t key0, uint32_t key1, uint64_t first, uint64_t* bits);

void draw_portable(uint32_t key0, uint32_t key1, uint64_t first, uint64_t* bits) {
  for (int64_t k = 0; k < kAhead; ++k) {
    const Block<uint32_t> block =
        philox(key0, key1, first + static_cast<uint64_t>(k), Stream::kShuffle);
    bits[k] = uint64_t{block.words[0]} << 32 | block.words[1];
  }
}

#if defined(__x86_64__)
// Philox with a position in each lane of 64 bits, of which the upper halves are not used: products
// read the lower ones.
#define WEFT_DRAW_TIER(name, isa, bytes, Register, multiply)                                     \
  [[gnu::target(isa)]] void draw_##name(uint32_t key0, uint32_t key1, uint64_t first,            \
                                        uint64_t* bits) {                                        \
    typedef uint64_t Words __attribute__((vector_size(bytes)));                                  \
    constexpr int kLanes = (bytes) / 8, kGroups = 4; /* side by side: products have latencies */ \
    const Words m0 = Words{} + 0xD2511F53u, m1 = Words{} + 0xCD9E8D57u;                          \
    for (int64_t k = 0; k < kAhead; k += kGroups * kLanes) {                                     \
      Words c0[kGroups], c1[kGroups], c2[kGroups], c3[kGroups];                                  \
      for (int g = 0; g < kGroups; ++g) {                                                        \
        uint64_t positions[kLanes];                                                              \
        for (int l = 0; l < kLanes; ++l) {                                                       \
          positions[l] = first + static_cast<uint64_t>(k + g * kLanes + l);                      \
        }                                                                                        \
        std::memcpy(&c0[g], positions, sizeof(positions));                                       \
        c1[g] = c0[g] >> 32;                                                                     \
        c2[g] = Words{} + static_cast<uint32_t>(Stream::kShuffle);                               \
        c3[g] = Words{};                                                                         \
      }                                                                                          \
      uint32_t k0 = key0, k1 = key1;                                                             \
      for (int round = 0; round < 10; ++round) {                                                 \
        for (int g = 0; g < kGroups; ++g) {                                                      \
          const Words p0 = (Words)multiply((Register)m0, (Register)c0[g]);                       \
          const Words p1 = (Words)multiply((Register)m1, (Register)c2[g]);                       \
          c0[g] = p1 >> 32 ^ c1[g] ^ k0;                                                         \
          c1[g] = p1;                                                                            \
          c2[g] = p0 >> 32 ^ c3[g] ^ k1;                                                         \
          c3[g] = p0;                                                                            \
        }                                                                                        \
        k0 += 0x9E3779B9u;                                                                       \
        k1 += 0xBB67AE85u;                                                                       \
      }                                                                                          \
      for (int g = 0; g < kGroups; ++g) {                                                        \
        const Words both = c0[g] << 32 | (c1[g] & 0xffffffffu);                                  \
        std::memcpy(bits + k + g * kLanes, &both, sizeof(both));                                 \
      }                                                                                          \
    }                                                                                            \
  }
// Not _mm512_mul_epu32, whose undefined operand g++ 12 warns of.
#define WEFT_MULTIPLY_512(a, b) _mm512_maskz_mul_epu32(0xff, a, b)
WEFT_DRAW_TIER(avx2, "avx2", 32, __m256i, _mm256_mul_epu32)
WEFT_DRAW_TIER(avx512, "avx512f,avx512dq", 64, __m512i, WEFT_MULTIPLY_512)
#undef WEFT_MULTIPLY_512
#undef WEFT_DRAW_TIER
#endif

DrawBits current_draw_bits() {
#if defined(__x86_64__)
  if (current_isa() == Isa::avx512) return draw_avx512;
  if (current_isa() == Isa::avx2) return draw_avx2;
#endif
  return draw_portable;
}

// Fisher and Yates, from the end; swap i is decided by the draw at position i. Some draws are made
// before their swaps, so that what they will swap is on its way from memory.
template <class Number>
void shuffle(Number* out, int64_t n, uint32_t key0, uint32_t key1, DrawBits draw_bits) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Number>(i);
  for (int64_t last = n - 1; last > 0; last -= kAhead) {
    const int64_t count = std::min(kAhead, last), first = last - count + 1;
    uint64_t bits[kAhead], other[kAhead];
    draw_bits(key0, key1, static_cast<uint64_t>(first), bits);
    for (int64_t k = 0; k < count; ++k) {
      const int64_t i = last - k;
      other[k] = scaled(bits[i - first], static_cast<uint64_t>(i) + 1);
    }
    for (int64_t k = 0; k < count; ++k) __builtin_prefetch(out + other[k], 1);
    for (int64_t k = 0; k < count; ++k) std::swap(out[last - k], out[other[k]]);
  }
}

// Numbers of 32 bits, half as much memory to wander about in, are shuffled in the upper half of the
// result and widened from the front: number i is read before anything is written over it.
void shuffle_narrow(int64_t* out, int64_t n, uint32_t key0, uint32_t key1, DrawBits draw_bits) {
  char* const upper = reinterpret_cast<char*>(out) + n * int64_t{sizeof(int32_t)};
  shuffle(reinterpret_cast<int32_t*>(upper), n, key0, key1, draw_bits);
  for (int64_t begin = 0; begin < n; begin += kAhead) {
    const int64_t count = std::min(kAhead, n - begin);
    int32_t narrow[kAhead];
    int64_t wide[kAhead];
    std::memcpy(narrow, upper + begin * int64_t{sizeof(int32_t)},
                static_cast<size_t>(count) * sizeof(int32_t));
    for (int64_t k = 0; k < count; ++k) wide[k] = narrow[k];
    std::memcpy(out + begin, wide, static_cast<size_t>(count) * sizeof(int64_t));
  }
}

void run(const PermutationAttrs&, TensorSpan in, TensorSpan out) {
  const std::vector<uint32_t> keys = in[0].to_vector<uint32_t>();
  const Tensor& result = out[0];
  auto* row = static_cast<int64_t*>(result.writable_data());
  const int64_t n = out[0].shape().back().value();
  const DrawBits draw_bits = current_draw_bits();
  const auto shuffle_row = n <= INT32_MAX ? shuffle_narrow : shuffle<int64_t>;
  for (size_t i = 0; i + 1 < keys.size(); i += 2, row += n) {
    shuffle_row(row, n, keys[i], keys[i + 1], draw_bits);
  }
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
    .kernel = kernel::native<random::run>(),
    .known_as = {Alias{"numpy", "random.permutation"}, Alias{"torch", "randperm"},
                 Alias{"jax", "random.permutation"}, Alias{"tf", "random.shuffle"}},
};

}  // namespace weft
