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

// load and store of matmul/tier_vector.h, where members hide them.
template <class T>
inline Vector<T> load_vector(const T* from) {
  return load(from);
}
template <class T>
inline void store_vector(T* to, Vector<T> value) {
  store(to, value);
}

// Columns of vectors that stages read and write: element k is at data + k * step. Two vectors of
// parts,
template <class T>
struct Vectors {
  T* data;
  int64_t step;

  [[gnu::always_inline]] Pair<Vector<T>> load(int64_t k) const {
    const T* const p = data + k * step;
    return {load_vector(p), load_vector(p + kLanes<T>)};
  }
  [[gnu::always_inline]] void store(int64_t k, Pair<Vector<T>> value) const {
    T* const p = data + k * step;
    store_vector(p, value.re);
    store_vector(p + kLanes<T>, value.im);
  }
};
// the same, turned on their way,
template <class T>
struct Turned {
  Vectors<T> to;
  const T *re, *im;
  bool differ;

  [[gnu::always_inline]] void store(int64_t k, Pair<Vector<T>> value) const {
    const T *const a = re + k * kTurns, *const b = im + k * kTurns;
    to.store(k, differ ? turned(value, Pair<Vector<T>>{load_vector(a), load_vector(b)})
                       : turned(value, Pair<T>{*a, *b}));
  }
};
// or complex numbers.
template <class T>
struct Numbers {
  Vectors<T> at;
  bool exchanged = false;
  T scale = 1;  // of what is stored
  int count = kLanes<T>;
  int64_t ahead = 0;

  [[gnu::always_inline]] Pair<Vector<T>> unpacked(Pair<Vector<T>> value) const {
    value = parted<T>(value.re, value.im);
    return exchanged ? Pair<Vector<T>>{value.im, value.re} : value;
  }
  [[gnu::always_inline]] Pair<Vector<T>> packed(Pair<Vector<T>> value) const {
    value = {value.re * scale, value.im * scale};
    return joined<T>(exchanged ? Pair<Vector<T>>{value.im, value.re} : value);
  }
  [[gnu::always_inline]] Pair<Vector<T>> load(int64_t k) const {
    ask_for(k);
    return unpacked(at.load(k));
  }
  [[gnu::always_inline]] void store(int64_t k, Pair<Vector<T>> value) const {
    ask_for(k);
    at.store(k, packed(value));
  }

  // Rows far apart are what the CPU does not foresee: ask for what the next group needs.
  [[gnu::always_inline]] void ask_for(int64_t k) const {
    const char* const p = reinterpret_cast<const char*>(at.data + k * at.step + ahead);
    __builtin_prefetch(p, 0, 2);
    if constexpr (2 * kLanes<T> * sizeof(T) > 64) __builtin_prefetch(p + 64, 0, 2);
  }

  // The first `count` numbers: no memory beside them is touched.
  Pair<Vector<T>> load_part(int64_t k) const {
    constexpr int W = kLanes<T>;
    if (count == W) return load(k);
    Pair<Vector<T>> value{};
    if constexpr (W > 1) {
      const T* const p = at.data + k * at.step;
      value.re = Mask<T>(2 * count < W ? 2 * count : W).load(p);
      if (2 * count > W) value.im = Mask<T>(2 * count - W).load(p + W);
    }
    return unpacked(value);
  }
  void store_part(int64_t k, Pair<Vector<T>> value) const {
    constexpr int W = kLanes<T>;
    if (count == W) return store(k, value);
    value = packed(value);
    if constexpr (W > 1) {
      T* const p = at.data + k * at.step;
      Mask<T>(2 * count < W ? 2 * count : W).store(p, value.re);
      if (2 * count > W) Mask<T>(2 * count - W).store(p + W, value.im);
    }
  }
};
