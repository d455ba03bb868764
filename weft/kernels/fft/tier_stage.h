// Stages of the transform: the butterflies of each radix.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/fft/tier_pair.h"

// f(0), ..., f(count - 1); unrolled where the compiler knows the count, else R is 0.
template <int R, class F>
[[gnu::always_inline]] inline void each(int64_t count, F f) {
  if constexpr (R == 0) {
    int64_t j = 0;
    do f(j);
    while (++j < count);
  } else {
#pragma GCC unroll 11
    for (int64_t j = 0; j < R; ++j) f(j);
  }
}

// y[k] = sum over j of x[j] w^(j k). Radices 2 and 4 have no multiplications.
template <class V>
inline void butterfly2(const Pair<V>* x, Pair<V>* y) {
  y[0] = x[0] + x[1];
  y[1] = x[0] - x[1];
}
template <class V>
inline void butterfly4(const Pair<V>* x, int step, Pair<V>* y) {
  const Pair<V> a = x[0] + x[2 * step], b = x[0] - x[2 * step];
  const Pair<V> c = x[step] + x[3 * step], d = x[step] - x[3 * step];
  y[0] = a + c;
  y[2] = a - c;
  y[1] = {b.re + d.im, b.im - d.re};
  y[3] = {b.re - d.im, b.im + d.re};
}
// Two of radix 4, the second one turned by eighths.
template <class T, class V>
inline void butterfly8(const Pair<V>* x, Pair<V>* y) {
  constexpr T kHalfRoot = static_cast<T>(0.707106781186547524400844362104849039L);
  Pair<V> a[4], b[4];
  butterfly4(x, 2, a);
  butterfly4(x + 1, 2, b);
  const Pair<V> b1{(b[1].re + b[1].im) * kHalfRoot, (b[1].im - b[1].re) * kHalfRoot};
  const Pair<V> b3{(b[3].im - b[3].re) * kHalfRoot, (b[3].re + b[3].im) * kHalfRoot};
  y[0] = a[0] + b[0];
  y[4] = a[0] - b[0];
  y[1] = a[1] + b1;
  y[5] = a[1] - b1;
  y[2] = {a[2].re + b[2].im, a[2].im - b[2].re};
  y[6] = {a[2].re - b[2].im, a[2].im + b[2].re};
  y[3] = {a[3].re + b3.re, a[3].im - b3.im};
  y[7] = {a[3].re - b3.re, a[3].im + b3.im};
}
// An odd radix: terms j and radix - j meet the same cosine and opposite sines.
template <int R, class T, class V>
[[gnu::always_inline]] inline void butterfly_odd(int64_t radix, const Pair<T>* roots, Pair<V>* x,
                                                 Pair<V>* y) {
  constexpr int kHalf = R / 2;
  const int64_t half = radix / 2;
  Pair<V> total = x[0];
  each<kHalf>(half, [&](int64_t i) __attribute__((always_inline)) {
    const Pair<V> a = x[i + 1], b = x[radix - i - 1];
    x[i + 1] = a + b;
    x[radix - i - 1] = a - b;
    total = total + x[i + 1];
  });
  y[0] = total;
  each<kHalf>(half, [&](int64_t i) __attribute__((always_inline)) {
    const int64_t k = i + 1;
    int64_t at = k;
    Pair<V> even = x[0], odd{};
    each<kHalf>(half, [&](int64_t j) __attribute__((always_inline)) {
      const Pair<T> w = roots[at];
      const Pair<V> a = x[j + 1], b = x[radix - j - 1];
      even = even + Pair<V>{a.re * w.re, a.im * w.re};
      const Pair<V> term{b.re * w.im, b.im * w.im};
      odd = j == 0 ? term : odd + term;
      at = at + k < radix ? at + k : at + k - radix;
    });
    y[k] = {even.re - odd.im, even.im + odd.re};
    y[radix - k] = {even.re + odd.im, even.im - odd.re};
  });
}

inline constexpr int kMaxRadix = 128;  // as is_direct says

// The butterflies of one p, from column X to column Y. R is a radix that the compiler knows, or 0;
// only those of p = 0 are not turned.
template <int R, bool turn, class T, class X, class Y>
[[gnu::always_inline]] inline void butterflies(const Stage<T>& stage, const X& x, const Y& y,
                                               int64_t p) {
  using V = Vector<T>;
  const int64_t radix = R != 0 ? R : stage.radix, m = stage.rest, s = stage.stride;
  const Pair<T>* const w = stage.turns + p * (radix - 1);
  for (int64_t q = 0; q < s; ++q) {
    Pair<V> in[R != 0 ? R : kMaxRadix], out[R != 0 ? R : kMaxRadix];
    each<R>(radix,
            [&](int64_t j) __attribute__((always_inline)) { in[j] = x.load((j * m + p) * s + q); });
    if constexpr (R == 1) {
      out[0] = in[0];
    } else if constexpr (R == 2) {
      butterfly2(in, out);
    } else if constexpr (R == 4) {
      butterfly4(in, 1, out);
    } else if constexpr (R == 8) {
      butterfly8<T>(in, out);
    } else {
      butterfly_odd<R>(radix, stage.roots, in, out);
    }
    each<R>(radix, [&](int64_t k) __attribute__((always_inline)) {
      y.store((p * radix + k) * s + q, turn && k > 0 ? turned(out[k], w[k - 1]) : out[k]);
    });
  }
}

template <int R, class T, class X, class Y>
[[gnu::noinline]] void stage_of(const Stage<T>& stage, const X& x, const Y& y) {
  butterflies<R, false>(stage, x, y, 0);
  for (int64_t p = 1; p < stage.rest; ++p) butterflies<R, true>(stage, x, y, p);
}

template <class T, class X, class Y>
void run_stage(const Stage<T>& stage, const X& x, const Y& y) {
  switch (stage.radix) {
    case 1: return stage_of<1>(stage, x, y);
    case 2: return stage_of<2>(stage, x, y);
    case 3: return stage_of<3>(stage, x, y);
    case 4: return stage_of<4>(stage, x, y);
    case 5: return stage_of<5>(stage, x, y);
    case 7: return stage_of<7>(stage, x, y);
    case 8: return stage_of<8>(stage, x, y);
    case 11: return stage_of<11>(stage, x, y);
    default: return stage_of<0>(stage, x, y);
  }
}
