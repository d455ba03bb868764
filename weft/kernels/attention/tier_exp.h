// exp of a vector, for weights: below the least normal number it is 0.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/matmul/tier_vector.h"

template <class T>
struct ExpConstants;

// The polynomial is that of expr/math: e^r = 1 + r + r^2 q(r) for r within half of ln 2.
template <>
struct ExpConstants<float> {
  using Bits = uint32_t;
  static constexpr int mantissa = 23;
  static constexpr float magic = 0x1.8p23f + 127;  // added, it leaves n + 127 in the lowest bits
  static constexpr float least = -0x1.5d58ap+6f, greatest = 89;
  static constexpr float high = -0x1.62e4p-1f, low = -0x1.7f7d1cp-20f;  // ln 2 in two parts
  static constexpr float q[] = {0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123ddep-7f,
                                0x1.6ac722p-10f};
};
template <>
struct ExpConstants<double> {
  using Bits = uint64_t;
  static constexpr int mantissa = 52;
  static constexpr double magic = 0x1.8p52 + 1023;
  static constexpr double least = -0x1.6232bdd7abcd2p+9, greatest = 710;
  static constexpr double high = -0x1.62e42fefa3800p-1, low = -0x1.ef35793c76730p-45;
  static constexpr double q[] = {
      0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.5555555550877p-5,  0x1.1111111127be1p-7,
      0x1.6c16c1842abf7p-10, 0x1.a01a012a5370dp-13, 0x1.a0199a0b5167ep-16, 0x1.71df25656db53p-19,
      0x1.28ad73527eb66p-22, 0x1.ad7f44a50123fp-26,
  };
};

// x is at most ExpConstants::greatest, or NaN.
template <class T>
inline Vector<T> exp_of(Vector<T> x) {
  using C = ExpConstants<T>;
  typedef typename C::Bits Bits __attribute__((vector_size(WEFT_TIER_BYTES)));
  const Vector<T> shifted = step<T>(x, broadcast(T(0x1.71547652b82fep+0)), broadcast(C::magic));
  const Vector<T> n = shifted - broadcast(C::magic);
  const Vector<T> r = step<T>(n, broadcast(C::low), step<T>(n, broadcast(C::high), x));
  // Even and odd powers apart: rows are short, so what counts is how soon the chain ends.
  constexpr int terms = static_cast<int>(sizeof(C::q) / sizeof(T));
  const Vector<T> square = r * r, first = r + broadcast(T(1));
  Vector<T> p = broadcast(C::q[terms - 1]), other = broadcast(C::q[terms - 2]);
#pragma GCC unroll 16
  for (int i = terms - 3; i >= 0; i -= 2) p = step<T>(p, square, broadcast(C::q[i]));
#pragma GCC unroll 16
  for (int i = terms - 4; i >= 0; i -= 2) other = step<T>(other, square, broadcast(C::q[i]));
  if constexpr (terms % 2 == 1)
    p = step<T>(other, r, p);
  else
    p = step<T>(p, r, other);
  p = step<T>(p, square, first);
  const Vector<T> power = (Vector<T>)((Bits)shifted << C::mantissa);
  return x < broadcast(C::least) ? Vector<T>{} : p * power;
}
