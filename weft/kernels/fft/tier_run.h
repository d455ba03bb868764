// The functions of a tier: passes of transforms side by side, and the last step of real ones.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/fft/tier_stage.h"

// Where group g of the transforms lies among complex numbers.
template <class T>
inline Column<T> numbers_at(T* data, int64_t step, int64_t count, int64_t g) {
  constexpr int64_t W = kLanes<T>;
  const int64_t rest = count - g * W;
  return {data + g * 2 * W, step, false, static_cast<int>(rest < W ? rest : W)};
}

// Rows [first, first + lanes) of a matrix of vectors become lanes. Rows past the end repeat the
// last one.
template <class T>
void load_rows(const Pass<T>& pass, int64_t first, T* to) {
  constexpr int W = kLanes<T>;
  for (int64_t k = 0; k < pass.n; k += W) {
    Vector<T> re[W], im[W];
    for (int i = 0; i < W; ++i) {
      const int64_t row = first + i < pass.count ? first + i : pass.count - 1;
      const T* const from = pass.from + row * pass.from_step + 2 * k;
      re[i] = load(from);
      im[i] = load(from + W);
    }
    if constexpr (W > 1) {
      transpose<T>(re);
      transpose<T>(im);
    }
    for (int i = 0; i < W; ++i) store_vectors(vectors_at(to), k + i, {re[i], im[i]});
  }
}

template <class T>
void run_pass(const Pass<T>& pass, int64_t begin, int64_t end, T* work) {
  constexpr int64_t W = kLanes<T>;
  const Column<T> buffers[2] = {vectors_at(work),
                                vectors_at(work + (pass.n + W - 1) / W * W * 2 * W)};
  for (int64_t g = begin; g < end; ++g) {
    Column<T> x = buffers[0];
    if (pass.from_matrix) {
      load_rows(pass, g * W, work);
    } else {
      x = numbers_at(const_cast<T*>(pass.from), pass.from_step, pass.count, g);
      x.exchanged = pass.exchange_from;
    }
    for (int64_t i = 0; i < pass.num_stages; ++i) {
      Column<T> y = buffers[(i + 1) % 2];
      const bool last = i + 1 == pass.num_stages;
      if (last) {
        y = numbers_at(pass.to, pass.to_step, pass.count, g);
        y.vectors = pass.to_matrix;
        y.exchanged = pass.exchange_to;
        y.scale = pass.scale;
        if (pass.to_matrix) {
          y.turns_re = pass.turns_re + g * W;
          y.turns_im = pass.turns_im + g * W;
          y.turns_step = pass.count;
        }
      }
      if (x.vectors && !last) {
        run_stage<true>(pass.stages[i], x, y);
      } else {
        run_stage<false>(pass.stages[i], x, y);
      }
      x = y;
    }
  }
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
inline void fold_ends(const Fold<T>& f, const Column<T>& x, const Column<T>& y) {
  const Pair<Vector<T>> first = load_any(x, 0);
  if (f.to_real) {
    const Vector<T> last = load_any(x, f.n).re;
    return store_any(y, 0, {first.re + last, first.re - last});
  }
  store_any(y, 0, {(first.re + first.im) * f.scale, Vector<T>{}});
  store_any(y, f.n, {(first.re - first.im) * f.scale, Vector<T>{}});
}

template <class T>
void run_fold(const Fold<T>& f) {
  constexpr int64_t W = kLanes<T>;
  T* const from = const_cast<T*>(f.from);
  for (int64_t g = 0; g * W < f.count; ++g) {
    const Column<T> x = numbers_at(from, f.from_step, f.count, g);
    const Column<T> y = numbers_at(f.to, f.to_step, f.count, g);
    fold_ends(f, x, y);
    for (int64_t k = 1; k < f.n; ++k) {
      store_any(y, k, folded(f, load_any(x, k), conjugated(load_any(x, f.n - k)), f.halves[k]));
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
