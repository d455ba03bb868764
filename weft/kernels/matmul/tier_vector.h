// Vectors for the tier files: GNU vectors of WEFT_TIER_BYTES, with masks and fma.
//
// Included only by tier_*.cc, inside the tier's own namespace: everything here is compiled anew for
// each tier, and no other inline function is used, so no wide instruction can leak into shared
// code.

template <class T>
struct VectorOf {
  static constexpr int lanes = WEFT_TIER_BYTES / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(WEFT_TIER_BYTES)));
  typedef T unaligned __attribute__((vector_size(WEFT_TIER_BYTES), aligned(sizeof(T)), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr int kLanes = VectorOf<T>::lanes;

template <class T>
inline Vector<T> load(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T>::unaligned*>(from);
}
template <class T>
inline void store(T* to, Vector<T> value) {
  *reinterpret_cast<typename VectorOf<T>::unaligned*>(to) = value;
}
template <class T>
inline Vector<T> broadcast(T value) {
  return value - Vector<T>{};  // x - 0 is x for every x, -0 and NaN too
}

template <class T>
inline Vector<T> load_part(const T* from, int count) {
  Vector<T> out{};
  for (int i = 0; i < count; ++i) out[i] = from[i];
  return out;
}
template <class T>
inline void store_part(T* to, Vector<T> value, int count) {
  for (int i = 0; i < count; ++i) to[i] = value[i];
}

// The first `count` lanes; of the others no memory is touched.
template <class T>
struct Mask {
#if WEFT_TIER_BYTES == 64
  using Bits = typename std::conditional<sizeof(T) == 4, __mmask16, __mmask8>::type;
  Bits bits;
  explicit Mask(int count) : bits(static_cast<Bits>((1u << count) - 1u)) {}
  Vector<T> load(const T* p) const {
    if constexpr (sizeof(T) == 4)
      return (Vector<T>)_mm512_maskz_loadu_epi32(bits, p);
    else
      return (Vector<T>)_mm512_maskz_loadu_epi64(bits, p);
  }
  void store(T* p, Vector<T> v) const {
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(p, bits, (__m512i)v);
    else
      _mm512_mask_storeu_epi64(p, bits, (__m512i)v);
  }
#elif WEFT_TIER_BYTES == 32
  __m256i bits;
  explicit Mask(int count) {
    if constexpr (sizeof(T) == 4) {
      bits =
          _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    } else {
      bits = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    }
  }
  Vector<T> load(const T* p) const {
    if constexpr (sizeof(T) == 4) {
      return (Vector<T>)_mm256_maskload_epi32(reinterpret_cast<const int*>(p), bits);
    } else {
      return (Vector<T>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), bits);
    }
  }
  void store(T* p, Vector<T> v) const {
    if constexpr (sizeof(T) == 4) {
      _mm256_maskstore_epi32(reinterpret_cast<int*>(p), bits, (__m256i)v);
    } else {
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), bits, (__m256i)v);
    }
  }
#else
  int count;
  explicit Mask(int lanes) : count(lanes) {}
  Vector<T> load(const T* p) const { return load_part(p, count); }
  void store(T* p, Vector<T> v) const { store_part(p, v, count); }
#endif
};

// One step of a chain.
template <class T>
inline Vector<T> step(Vector<T> a, Vector<T> b, Vector<T> chain) {
  if constexpr (std::is_integral<T>::value) {
    return chain + a * b;
  } else {
#if WEFT_TIER_BYTES == 64
    if constexpr (sizeof(T) == 4)
      return _mm512_fmadd_ps(a, b, chain);
    else
      return _mm512_fmadd_pd(a, b, chain);
#elif WEFT_TIER_BYTES == 32
    if constexpr (sizeof(T) == 4)
      return _mm256_fmadd_ps(a, b, chain);
    else
      return _mm256_fmadd_pd(a, b, chain);
#else
    for (int i = 0; i < kLanes<T>; ++i) {
      if constexpr (sizeof(T) == 4)
        chain[i] = __builtin_fmaf(a[i], b[i], chain[i]);
      else
        chain[i] = __builtin_fma(a[i], b[i], chain[i]);
    }
    return chain;
#endif
  }
}

// Every NaN becomes the one quiet NaN.
template <class T>
inline Vector<T> canonical(Vector<T> x) {
  if constexpr (std::is_integral<T>::value) {
    return x;
  } else {
    const Vector<T> nan = broadcast(static_cast<T>(__builtin_nan("")));
    return x == x ? x : nan;
  }
}
