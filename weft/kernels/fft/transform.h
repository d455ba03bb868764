// The forward transform along a plan, for numbers or for vectors of them: the same operations, so
// the same bits.
#pragma once

#include <algorithm>

#include "weft/kernels/fft/plan.h"

namespace weft::kernels::fft {

template <class V>
Pair<V> operator+(Pair<V> a, Pair<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
Pair<V> operator-(Pair<V> a, Pair<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V, class T>
Pair<V> turned(Pair<V> a, Pair<T> w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

// Radix 2 and 4: y[k] = sum over j of x[j] w^(j k), without multiplications.
template <class V>
void butterfly2(const Pair<V>* x, Pair<V>* y) {
  y[0] = x[0] + x[1];
  y[1] = x[0] - x[1];
}
template <class V>
void butterfly4(const Pair<V>* x, Pair<V>* y) {
  const Pair<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  y[0] = a + c;
  y[2] = a - c;
  y[1] = {b.re + d.im, b.im - d.re};
  y[3] = {b.re - d.im, b.im + d.re};
}

// An odd radix: terms j and radix - j meet the same cosine and opposite sines.
template <class V, class T>
void butterfly_odd(int64_t radix, const Pair<T>* roots, Pair<V>* x, Pair<V>* y) {
  const int64_t half = (radix - 1) / 2;
  Pair<V> total = x[0];
  for (int64_t j = 1; j <= half; ++j) {
    const Pair<V> a = x[j], b = x[radix - j];
    x[j] = a + b;
    x[radix - j] = a - b;
    total = total + x[j];
  }
  y[0] = total;
  for (int64_t k = 1; k <= half; ++k) {
    Pair<V> even = x[0], odd{V() * T(0), V() * T(0)};
    for (int64_t j = 1, at = k; j <= half; ++j, at = at + k < radix ? at + k : at + k - radix) {
      const Pair<T> w = roots[at];
      even = even + Pair<V>{x[j].re * w.re, x[j].im * w.re};
      odd = odd + Pair<V>{x[radix - j].re * w.im, x[radix - j].im * w.im};
    }
    y[k] = {even.re - odd.im, even.im + odd.re};
    y[radix - k] = {even.re + odd.im, even.im - odd.re};
  }
}

inline constexpr int64_t kMaxRadix = 64;  // greater primes are Bluestein's

// One stage with a radix that the compiler knows (0: it does not).
template <int64_t Known, class V, class T>
void run_stage(const Stage<T>& stage, const Pair<V>* x, Pair<V>* y) {
  const int64_t radix = Known != 0 ? Known : stage.radix, m = stage.rest, s = stage.stride;
  for (int64_t p = 0; p < m; ++p) {
    const Pair<T>* const w = stage.turns.data() + p * (radix - 1);
    for (int64_t q = 0; q < s; ++q) {
      Pair<V> in[Known != 0 ? Known : kMaxRadix], out[Known != 0 ? Known : kMaxRadix];
      for (int64_t j = 0; j < radix; ++j) in[j] = x[(j * m + p) * s + q];
      if constexpr (Known == 2) {
        butterfly2(in, out);
      } else if constexpr (Known == 4) {
        butterfly4(in, out);
      } else {
        butterfly_odd(radix, stage.roots.data(), in, out);
      }
      Pair<V>* const to = y + p * radix * s + q;
      to[0] = out[0];
      for (int64_t k = 1; k < radix; ++k) to[k * s] = p == 0 ? out[k] : turned(out[k], w[k - 1]);
    }
  }
}

template <class V, class T>
void run_stage(const Stage<T>& stage, const Pair<V>* x, Pair<V>* y) {
  switch (stage.radix) {
    case 2: return run_stage<2>(stage, x, y);
    case 3: return run_stage<3>(stage, x, y);
    case 4: return run_stage<4>(stage, x, y);
    case 5: return run_stage<5>(stage, x, y);
    case 7: return run_stage<7>(stage, x, y);
    case 11: return run_stage<11>(stage, x, y);
    default: return run_stage<0>(stage, x, y);
  }
}

// Transforms data[0 .. n) in place.
template <class V, class T>
void transform(const Plan<T>& plan, Pair<V>* data, Pair<V>* scratch) {
  if (plan.longer == nullptr) {
    Pair<V>*from = data, *to = scratch;
    for (const Stage<T>& stage : plan.stages) {
      run_stage(stage, from, to);
      std::swap(from, to);
    }
    if (from != data) std::copy(from, from + plan.n, data);
    return;
  }
  // x[j] w^(j k) = chirp[k] * (x chirp)[j] * conj(chirp)[k - j]: a convolution, through transforms.
  const int64_t m = plan.longer->n;
  Pair<V>*const a = scratch, *const more = scratch + m;
  for (int64_t k = 0; k < plan.n; ++k) a[k] = turned(data[k], plan.chirp[k]);
  std::fill(a + plan.n, a + m, Pair<V>{V() * T(0), V() * T(0)});
  transform(*plan.longer, a, more);
  // With both parts exchanged before and after, a forward transform is an inverse one.
  for (int64_t k = 0; k < m; ++k) {
    const Pair<V> product = turned(a[k], plan.filter[k]);
    a[k] = {product.im, product.re};
  }
  transform(*plan.longer, a, more);
  for (int64_t k = 0; k < plan.n; ++k) data[k] = turned(Pair<V>{a[k].im, a[k].re}, plan.chirp[k]);
}

}  // namespace weft::kernels::fft
