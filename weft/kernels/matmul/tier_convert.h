// Stored elements to accumulators and back: half floats, bools, small integers.
//
// Included only by tier_*.cc, inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_vector.h"

// Stored types that are not accumulators.
struct BF16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};
struct Bool {
  uint8_t byte;
};

// Vectors of as many lanes as T's, of elements of type E.
template <class T, class E>
struct NarrowOf {
  typedef E type __attribute__((vector_size(kLanes<T> * sizeof(E))));
  typedef E unaligned
      __attribute__((vector_size(kLanes<T> * sizeof(E)), aligned(sizeof(E)), may_alias));
};

inline float widen(BF16 x) {
  const uint32_t bits = static_cast<uint32_t>(x.bits) << 16;
  return __builtin_bit_cast(float, bits);
}
// Scaling by 2^112 turns half's exponent into float's and makes denormals normal, exactly.
inline float widen(F16 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
  const uint32_t rest = static_cast<uint32_t>(x.bits & 0x7fffu) << 13;
  uint32_t bits = rest + 0x70000000u;  // inf or NaN
  if (rest < 0x0f800000u) {
    bits = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, rest) * 0x1p112f);
  }
  return __builtin_bit_cast(float, sign | bits);
}
inline float widen(Bool x) { return x.byte != 0 ? 1.0f : 0.0f; }
template <class S>
inline auto widen(S x) {
  if constexpr (sizeof(S) < 4)
    return static_cast<uint32_t>(x);
  else
    return x;
}

// A vector of accumulators from `kLanes<T>` stored elements.
template <class T, class S>
inline Vector<T> load_as(const S* from) {
  if constexpr (std::is_same<T, S>::value) {
    return load(from);
  } else if constexpr (std::is_same<S, F16>::value) {
#if WEFT_TIER_BYTES == 64
    // Not _mm512_cvtph_ps, whose undefined operand g++ 12 warns of.
    return _mm512_maskz_cvtph_ps(0xffff,
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#elif WEFT_TIER_BYTES == 32
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#else
    Vector<T> out;
    for (int i = 0; i < kLanes<T>; ++i) out[i] = widen(from[i]);
    return out;
#endif
  } else {
    using E = typename std::conditional<sizeof(S) == 1, uint8_t, uint16_t>::type;
    const auto narrow = *reinterpret_cast<const typename NarrowOf<T, E>::unaligned*>(from);
    const auto wide = __builtin_convertvector(narrow, Vector<uint32_t>);
    if constexpr (std::is_same<S, BF16>::value)
      return (Vector<T>)(wide << 16);
    else if constexpr (std::is_same<S, Bool>::value) {
      return (Vector<T>)((Vector<uint32_t>)(wide != 0) & 0x3f800000u);
    } else
      return wide;
  }
}

inline void narrow(float x, BF16* to) {
  const uint32_t u = __builtin_bit_cast(uint32_t, x);
  const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  to->bits = static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}
inline void narrow(float x, F16* to) {
  const uint32_t u = __builtin_bit_cast(uint32_t, x);
  const uint32_t sign = (u >> 16) & 0x8000u;
  const uint32_t magnitude = u & 0x7fffffffu;
  // Below the normal range: adding 0.5 lets the hardware round at the denormal's last bit.
  const uint32_t small =
      __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  uint32_t out = sign | (magnitude < 0x38800000u ? small : normal);
  if (magnitude >= 0x477ff000u) out = sign | 0x7c00u;
  if (magnitude > 0x7f800000u) out = 0x7e00u;
  to->bits = static_cast<uint16_t>(out);
}
inline void narrow(float x, Bool* to) { to->byte = x != 0 ? 1 : 0; }
inline void narrow(uint32_t x, uint8_t* to) { *to = static_cast<uint8_t>(x); }
inline void narrow(uint32_t x, uint16_t* to) { *to = static_cast<uint16_t>(x); }
