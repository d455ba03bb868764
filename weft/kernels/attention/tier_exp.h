// 2^x of vectors, for weights: if x rounds to less than the least normal exponent, it is 0.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/matmul/tier_vector.h"

// a > b ? a : b, and a < b ? a : b: one instruction each, which gcc does not always see.
#if WEFT_TIER_BYTES == 64
// With a mask of all lanes: what the plain ones are made of makes gcc 12 warn.
inline Vector<float> greater(Vector<float> a, Vector<float> b) {
  return _mm512_maskz_max_ps(0xffff, a, b);
}
inline Vector<double> greater(Vector<double> a, Vector<double> b) {
  return _mm512_maskz_max_pd(0xff, a, b);
}
inline Vector<float> lesser(Vector<float> a, Vector<float> b) {
  return _mm512_maskz_min_ps(0xffff, a, b);
}
inline Vector<double> lesser(Vector<double> a, Vector<double> b) {
  return _mm512_maskz_min_pd(0xff, a, b);
}
#elif WEFT_TIER_BYTES == 32
inline Vector<float> greater(Vector<float> a, Vector<float> b) { return _mm256_max_ps(a, b); }
inline Vector<double> greater(Vector<double> a, Vector<double> b) { return _mm256_max_pd(a, b); }
inline Vector<float> lesser(Vector<float> a, Vector<float> b) { return _mm256_min_ps(a, b); }
inline Vector<double> lesser(Vector<double> a, Vector<double> b) { return _mm256_min_pd(a, b); }
#else
template <class V>
inline V greater(V a, V b) {
  return a > b ? a : b;
}
template <class V>
inline V lesser(V a, V b) {
  return a < b ? a : b;
}
#endif

template <class T>
struct PowerConstants;

// 2^r = 1 + r p(r) for r within a half, to 7e-9 and 3e-17. 2^least is 0, as its exponent has no
// bits.
template <>
struct PowerConstants<float> {
  using Bits = uint32_t;
  static constexpr int mantissa = 23;
  static constexpr float magic = 0x1.8p23f + 127;  // added, it leaves n + 127 in the lowest bits
  static constexpr float least = -127, greatest = 128;
  static constexpr float p[] = {0x1.62e432p-1f, 0x1.ebfbe6p-3f,  0x1.c6ada8p-5f,
                                0x1.3b21c8p-7f, 0x1.5fbfd0p-10f, 0x1.4c1416p-13f};
};
template <>
struct PowerConstants<double> {
  using Bits = uint64_t;
  static constexpr int mantissa = 52;
  static constexpr double magic = 0x1.8p52 + 1023;
  static constexpr double least = -1023, greatest = 1024;
  static constexpr double p[] = {
      0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5a2p-3,  0x1.c6b08d704a046p-5,  0x1.3b2ab6fba077dp-7,
      0x1.5d87fe78c3799p-10, 0x1.4309130dc96e8p-13, 0x1.ffcbfbc7ae712p-17, 0x1.62bfc9eb47709p-20,
      0x1.b526530b205fcp-24, 0x1.e617c6a208586p-28, 0x1.e7c6a03448b6ap-32,
  };
};

// All of x are at most PowerConstants::greatest, or NaN. In step with each other: the chain of one
// is long, and waiting for it would fill what the machine has to look ahead with. Sums, which other
// units compute than products, are preferred: products are what attention has most of.
template <class T, int N>
inline void powers_of_two(Vector<T> (&x)[N]) {
  using C = PowerConstants<T>;
  typedef typename C::Bits Bits __attribute__((vector_size(WEFT_TIER_BYTES)));
  constexpr int terms = static_cast<int>(sizeof(C::p) / sizeof(T));
  const Vector<T> least = broadcast(C::least), magic = broadcast(C::magic);
  Vector<T> r[N], p[N];
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) {
    x[v] = greater(least, x[v]);  // x if that is NaN
    const Vector<T> shifted = x[v] + magic;
    r[v] = x[v] - (shifted - magic);
    x[v] = (Vector<T>)((Bits)shifted << C::mantissa);
    p[v] = broadcast(C::p[terms - 1]);
  }
#pragma GCC unroll 16
  for (int i = terms - 2; i >= 0; --i) {
#pragma GCC unroll 16
    for (int v = 0; v < N; ++v) p[v] = step<T>(p[v], r[v], broadcast(C::p[i]));
  }
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) x[v] = step<T>(p[v], r[v] * x[v], x[v]);
}
