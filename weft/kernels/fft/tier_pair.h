// Complex vectors for the tier files: arithmetic, and the arrays they are loaded from and stored
// to.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/matmul/tier_transpose.h"

template <>
struct VectorOf<long double> {
  static constexpr int lanes = 1;
  using type = long double;
  using unaligned = long double;
};

template <class V>
inline Pair<V> operator+(Pair<V> a, Pair<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
inline Pair<V> operator-(Pair<V> a, Pair<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V, class W>
inline Pair<V> turned(Pair<V> a, Pair<W> w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}
template <class V>
inline Pair<V> conjugated(Pair<V> a) {
  return {a.re, -a.im};
}

// The real (odd: imaginary) parts of two vectors of complex numbers, in or against their order.
template <int W, bool odd, bool backwards>
struct TakeParts {
  static constexpr int of(int l) { return 2 * (backwards ? W - 1 - l : l) + (odd ? 1 : 0); }
};
template <class T, bool backwards = false>
inline Pair<Vector<T>> parted(Vector<T> a, Vector<T> b) {
  constexpr int W = kLanes<T>;
  if constexpr (W == 1) {
    return {a, b};
  } else {
    return {shuffle<T, TakeParts<W, false, backwards>>(a, b),
            shuffle<T, TakeParts<W, true, backwards>>(a, b)};
  }
}
template <class T>
inline Pair<Vector<T>> joined(Pair<Vector<T>> a) {
  constexpr int W = kLanes<T>;
  if constexpr (W == 1) {
    return a;
  } else {
    return {shuffle<T, TakeTurns<W, W, false>>(a.re, a.im),
            shuffle<T, TakeTurns<W, W, true>>(a.re, a.im)};
  }
}

// A column of complex vectors in memory: two vectors of parts, or as many numbers as there are
// transforms.
template <class T>
struct Column {
  T* data;
  int64_t step;
  bool vectors = true;
  int count = kLanes<T>;  // numbers, if they are not vectors
  bool exchanged = false;
  T scale = 1;                  // of what is stored as numbers
  const T* turns_re = nullptr;  // of what is stored as vectors
  const T* turns_im = nullptr;
  int64_t turns_step = 0;
};
template <class T>
inline Column<T> vectors_at(T* data) {
  return {data, 2 * kLanes<T>};
}

template <class T>
[[gnu::always_inline]] inline Pair<Vector<T>> load_vectors(const Column<T>& x, int64_t k) {
  const T* const p = x.data + k * x.step;
  return {load(p), load(p + kLanes<T>)};
}
template <class T>
[[gnu::always_inline]] inline void store_vectors(const Column<T>& y, int64_t k,
                                                 Pair<Vector<T>> value) {
  T* const p = y.data + k * y.step;
  store(p, value.re);
  store(p + kLanes<T>, value.im);
}

// A group that does not fill the lanes: no memory beside its numbers is touched.
template <class T>
[[gnu::noinline]] void load_part_of(const Column<T>& x, const T* p, Pair<Vector<T>>& value) {
  constexpr int W = kLanes<T>;
  value = {Vector<T>{}, Vector<T>{}};
  if constexpr (W > 1) {
    value.re = Mask<T>(2 * x.count < W ? 2 * x.count : W).load(p);
    if (2 * x.count > W) value.im = Mask<T>(2 * x.count - W).load(p + W);
  }
}
template <class T>
[[gnu::noinline]] void store_part_of(const Column<T>& y, T* p, const Pair<Vector<T>>& value) {
  constexpr int W = kLanes<T>;
  if constexpr (W > 1) {
    Mask<T>(2 * y.count < W ? 2 * y.count : W).store(p, value.re);
    if (2 * y.count > W) Mask<T>(2 * y.count - W).store(p + W, value.im);
  }
}

template <class T>
[[gnu::always_inline]] inline Pair<Vector<T>> load_any(const Column<T>& x, int64_t k) {
  if (x.vectors) return load_vectors(x, k);
  Pair<Vector<T>> value;
  if (x.count == kLanes<T>) {
    value = load_vectors(x, k);
  } else {
    load_part_of(x, x.data + k * x.step, value);
  }
  value = parted<T>(value.re, value.im);
  return x.exchanged ? Pair<Vector<T>>{value.im, value.re} : value;
}
template <class T>
[[gnu::always_inline]] inline void store_any(const Column<T>& y, int64_t k, Pair<Vector<T>> value) {
  if (y.vectors) {
    if (y.turns_re != nullptr) {
      const int64_t at = k * y.turns_step;
      value = turned(value, Pair<Vector<T>>{load(y.turns_re + at), load(y.turns_im + at)});
    }
    return store_vectors(y, k, value);
  }
  value = {value.re * y.scale, value.im * y.scale};
  value = joined<T>(y.exchanged ? Pair<Vector<T>>{value.im, value.re} : value);
  if (y.count == kLanes<T>) {
    store_vectors(y, k, value);
  } else {
    store_part_of(y, y.data + k * y.step, value);
  }
}
