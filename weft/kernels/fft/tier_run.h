// The functions of a tier: passes of transforms side by side, and the last step of real ones.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/fft/tier_stage.h"

// Where group g of `count` transforms lies among complex numbers side by side.
template <class T>
inline Numbers<T> numbers_at(T* data, int64_t step, int64_t count, int64_t g) {
  constexpr int64_t W = kLanes<T>;
  const int64_t rest = count - g * W;
  return {{data + g * 2 * W, step}, false, 1, static_cast<int>(rest < W ? rest : W)};
}

// A square of W elements of W transforms: a transform to a lane, or back. One part after the other:
// both together have not enough registers.
template <class T>
[[gnu::always_inline]] inline void transpose_parts(Vector<T>* re, Vector<T>* im) {
  if constexpr (kLanes<T> > 1) {
    transpose<T>(re);
    transpose<T>(im);
  }
}

// Loads group g of a pass where stages cannot read it themselves. Lanes without a transform repeat
// the last one.
template <class T>
void load_group(const Pass<T>& pass, int64_t g, const Vectors<T>& to) {
  constexpr int W = kLanes<T>;
  T* const from = const_cast<T*>(pass.from.data);
  if (pass.from.form == Form::kNumbers) {
    Numbers<T> x = numbers_at(from, pass.from.step, pass.count, g);
    x.exchanged = pass.exchange_from;
    for (int64_t k = 0; k < pass.n; ++k) to.store(k, x.load_part(k));
    return;
  }
  const T* rows[W];
  for (int64_t i = 0; i < W; ++i) {
    const int64_t last = pass.count - 1, row = g * W + i < last ? g * W + i : last;
    rows[i] = from + row * pass.from.step;
  }
  for (int64_t k = 0; k < pass.n; k += W) {
    Vector<T> re[W], im[W];
    const int rest = static_cast<int>(pass.n - k < W ? pass.n - k : W);
    if (pass.from.form == Form::kRows) {
      for (int i = 0; i < W; ++i) re[i] = load(rows[i] + 2 * k);
      for (int i = 0; i < W; ++i) im[i] = load(rows[i] + 2 * k + W);
    } else {
      for (int i = 0; i < W; ++i) {
        const Numbers<T> x{{const_cast<T*>(rows[i]), 2}, pass.exchange_from, 1, rest};
        const Pair<Vector<T>> value = rest == W ? x.load(k) : x.load_part(k);
        re[i] = value.re;
        im[i] = value.im;
      }
    }
    transpose_parts<T>(re, im);
    for (int i = 0; i < W; ++i) to.store(k + i, {re[i], im[i]});
  }
}

template <class T>
void store_group(const Pass<T>& pass, int64_t g, const Vectors<T>& from) {
  constexpr int64_t W = kLanes<T>;
  Numbers<T> y = numbers_at(pass.to.data, pass.to.step, pass.count, g);
  const int lines = y.count;
  y.exchanged = pass.exchange_to;
  y.scale = pass.scale;
  if (pass.to.form == Form::kNumbers) {
    for (int64_t k = 0; k < pass.n; ++k) y.store_part(k, from.load(k));
    return;
  }
  for (int64_t k = 0; k < pass.n; k += W) {
    Vector<T> re[W], im[W];
    for (int i = 0; i < W; ++i) re[i] = from.load(k + i).re;
    for (int i = 0; i < W; ++i) im[i] = from.load(k + i).im;
    transpose_parts<T>(re, im);
    y.count = static_cast<int>(pass.n - k < W ? pass.n - k : W);
    y.at = {pass.to.data + g * W * pass.to.step + 2 * k, pass.to.step};
    for (int i = 0; i < lines; ++i) y.store_part(i, {re[i], im[i]});
  }
}

template <class T>
void run_group(const Pass<T>& pass, int64_t g, const Vectors<T>* buffers) {
  constexpr int64_t W = kLanes<T>;
  const bool whole = (g + 1) * W <= pass.count, several = pass.num_stages > 1;
  const Form to = pass.to.form;
  int64_t i = 0;
  Vectors<T> x = buffers[0];
  if (pass.from.form == Form::kNumbers && whole && several) {
    Numbers<T> first = numbers_at(const_cast<T*>(pass.from.data), pass.from.step, pass.count, g);
    first.exchanged = pass.exchange_from;
    first.ahead = pass.ahead;
    x = buffers[1];
    run_stage(pass.stages[i++], first, x);
  } else if (pass.from.form == Form::kVectors) {
    x = {const_cast<T*>(pass.from.data) + g * 2 * W, pass.from.step};
  } else {
    load_group(pass, g, x);
  }
  const bool stored = to == Form::kVectors || (to == Form::kNumbers && whole);
  for (; i < pass.num_stages - (stored ? 1 : 0); ++i) {
    const Vectors<T> y = buffers[(i + 1) % 2];
    run_stage(pass.stages[i], x, y);
    x = y;
  }
  if (!stored) return store_group(pass, g, x);
  const Vectors<T> at{pass.to.data + g * 2 * W, pass.to.step};
  if (to == Form::kVectors) {
    const int64_t i0 = g * W, first = i0 / kTurns * kTurns * pass.n + i0 % kTurns;
    run_stage(pass.stages[i], x,
              Turned<T>{at, pass.turns_re + first, pass.turns_im + first, pass.turns_differ});
  } else {
    Numbers<T> last{at, pass.exchange_to, pass.scale};
    last.ahead = pass.ahead;
    run_stage(pass.stages[i], x, last);
  }
}

template <class T>
void run_pass(const Pass<T>& pass, int64_t begin, int64_t end, T* work) {
  constexpr int64_t W = kLanes<T>;
  const Vectors<T> buffers[2] = {{work, 2 * W}, {work + (pass.n + W - 1) / W * W * 2 * W, 2 * W}};
  for (int64_t g = begin; g < end; ++g) run_group(pass, g, buffers);
}

// Elements a = z[k] and b = conj(z[n - k]) have in them the transforms of the even and of the odd
// reals, told apart by their symmetry; and back.
template <class V, class W, class T>
inline Pair<V> folded(const Fold<T>& f, Pair<V> a, Pair<V> b, Pair<W> w) {
  if (f.to_real) {
    const Pair<V> odd = turned(a - b, conjugated(w));
    return a + b + Pair<V>{-odd.im, odd.re};
  }
  const Pair<V> even = a + b, odd = turned(a - b, w);
  const T scale = f.scale * T(0.5);
  return {(even.re + odd.im) * scale, (even.im - odd.re) * scale};
}

// Elements 0 and n, whose imaginary parts are 0.
template <class T>
inline void fold_ends(const Fold<T>& f, const Numbers<T>& x, const Numbers<T>& y) {
  const Pair<Vector<T>> first = x.load_part(0);
  if (f.to_real) {
    const Vector<T> last = x.load_part(f.n).re;
    return y.store_part(0, {first.re + last, first.re - last});
  }
  y.store_part(0, {(first.re + first.im) * f.scale, Vector<T>{}});
  y.store_part(f.n, {(first.re - first.im) * f.scale, Vector<T>{}});
}

template <class T>
void run_fold(const Fold<T>& f) {
  constexpr int64_t W = kLanes<T>;
  T* const from = const_cast<T*>(f.from);
  for (int64_t g = 0; g * W < f.count; ++g) {
    const Numbers<T> x = numbers_at(from, f.from_step, f.count, g);
    const Numbers<T> y = numbers_at(f.to, f.to_step, f.count, g);
    fold_ends(f, x, y);
    for (int64_t k = 1; k < f.n; ++k) {
      y.store_part(k, folded(f, x.load_part(k), conjugated(x.load_part(f.n - k)), f.halves[k]));
    }
  }
  if (f.count > 0) return;
  fold_ends(f, numbers_at(from, 2, 1, 0), numbers_at(f.to, 2, 1, 0));
  const T* const halves = &f.halves->re;
  for (int64_t k = 1; k < f.n; k += W) {
    if (k > f.n - W) k = f.n - W;  // some of the last ones twice
    const T* const a = from + 2 * k;
    const T* const b = from + 2 * (f.n - k - W + 1);
    const auto w = parted<T>(load(halves + 2 * k), load(halves + 2 * k + W));
    const auto out = joined<T>(folded(f, parted<T>(load(a), load(a + W)),
                                      conjugated(parted<T, true>(load(b), load(b + W))), w));
    store(f.to + 2 * k, out.re);
    store(f.to + 2 * k + W, out.im);
  }
}

template <class T>
inline constexpr Kernels<T> kKernels{kLanes<T>, run_pass<T>, run_fold<T>};
