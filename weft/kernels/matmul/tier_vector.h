// Vectors for the tier files: GNU vectors of WEFT_TIER_BYTES, with fma, masks and conversions.
//
// Included only by tier_*.cc, inside the tier's own namespace: everything here is compiled anew for
// each tier, and no other inline function is used, so no wide instruction can leak into shared
// code.

using Bytes = unsigned char;

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

// Vectors of as many lanes as T's, of elements of type E.
template <class T, class E>
struct NarrowOf {
  typedef E type __attribute__((vector_size(kLanes<T> * sizeof(E))));
  typedef E unaligned
      __attribute__((vector_size(kLanes<T> * sizeof(E)), aligned(sizeof(E)), may_alias));
};

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

// Shuffles of two vectors a, b by a rule for each lane: Pick::of(l) names lane of(l) of a, or, if
// not less than the number of lanes, of b.
template <class Pick, class V, size_t... L>
inline V shuffle_lanes(V a, V b, std::index_sequence<L...>) {
  return __builtin_shufflevector(a, b, Pick::of(static_cast<int>(L))...);
}
template <class T, class Pick>
inline Vector<T> shuffle(Vector<T> a, Vector<T> b) {
  return shuffle_lanes<Pick>(a, b, std::make_index_sequence<kLanes<T>>{});
}

// Within each 16-byte granule of G elements: a and b take turns, from the lower (upper) half.
template <int W, int G, bool upper>
struct TakeTurns {
  static constexpr int of(int l) {
    return l / G * G + l % G / 2 + (upper ? G / 2 : 0) + (l % 2 != 0 ? W : 0);
  }
};
// Within each granule of four: the lower (upper) pairs of a, then of b.
template <int W, bool upper>
struct JoinPairs {
  static constexpr int of(int l) {
    return l / 4 * 4 + l % 2 + (upper ? 2 : 0) + (l % 4 >= 2 ? W : 0);
  }
};
// Blocks of S lanes: the even (odd) ones of a and b, taking turns.
template <int W, int S, bool odd>
struct TakeBlocks {
  static constexpr int of(int l) {
    const int block = odd ? l | S : l & ~S;
    return block + ((l & S) != 0 ? W : 0);
  }
};

template <class T>
inline constexpr int kGranule = 16 / static_cast<int>(sizeof(T));

// Transposes the squares within granules: two or four rows.
template <class T>
inline void transpose_granules(Vector<T>* rows) {
  constexpr int W = kLanes<T>;
  constexpr int G = kGranule<T>;
  using Low = TakeTurns<W, G, false>;
  using High = TakeTurns<W, G, true>;
  if constexpr (G == 2) {
    const Vector<T> a = rows[0];
    rows[0] = shuffle<T, Low>(a, rows[1]);
    rows[1] = shuffle<T, High>(a, rows[1]);
  } else {
    const Vector<T> low01 = shuffle<T, Low>(rows[0], rows[1]);
    const Vector<T> high01 = shuffle<T, High>(rows[0], rows[1]);
    const Vector<T> low23 = shuffle<T, Low>(rows[2], rows[3]);
    const Vector<T> high23 = shuffle<T, High>(rows[2], rows[3]);
    rows[0] = shuffle<T, JoinPairs<W, false>>(low01, low23);
    rows[1] = shuffle<T, JoinPairs<W, true>>(low01, low23);
    rows[2] = shuffle<T, JoinPairs<W, false>>(high01, high23);
    rows[3] = shuffle<T, JoinPairs<W, true>>(high01, high23);
  }
}

// Exchanges blocks of S lanes between rows S apart, then of 2 S, ...
template <class T, int S>
inline void exchange_blocks(Vector<T>* rows) {
  constexpr int W = kLanes<T>;
  if constexpr (S < W) {
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) {
      if ((i & S) != 0) continue;
      const Vector<T> a = rows[i];
      const Vector<T> b = rows[i + S];
      rows[i] = shuffle<T, TakeBlocks<W, S, false>>(a, b);
      rows[i + S] = shuffle<T, TakeBlocks<W, S, true>>(a, b);
    }
    exchange_blocks<T, S * 2>(rows);
  }
}

// Transposes lanes x lanes elements in registers.
template <class T>
inline void transpose(Vector<T>* rows) {
#pragma GCC unroll 8
  for (int i = 0; i < kLanes<T>; i += kGranule<T>) transpose_granules<T>(rows + i);
  exchange_blocks<T, kGranule<T>>(rows);
}

#if WEFT_TIER_BYTES == 32
// A vector of two granules from anywhere: joined by the load, that saves a shuffle.
template <class T>
inline Vector<T> load_halves(const T* low, const T* high) {
  return (Vector<T>)_mm256_loadu2_m128i(reinterpret_cast<const __m128i_u*>(high),
                                        reinterpret_cast<const __m128i_u*>(low));
}
#endif

// Reads lanes x lanes elements, `lanes` elements from each of the places, and transposes them:
// out[k] holds element k of each place.
template <class T, class S>
inline void load_transposed(const S* const* places, int64_t offset, Vector<T>* out) {
#if WEFT_TIER_BYTES == 32
  if constexpr (std::is_same<T, S>::value) {
    constexpr int G = kGranule<T>;
#pragma GCC unroll 8
    for (int i = 0; i < kLanes<T>; ++i) {
      const int64_t at = offset + i / G * G;
      out[i] = load_halves(places[i % G] + at, places[i % G + G] + at);
    }
    transpose_granules<T>(out);
    transpose_granules<T>(out + G);
    return;
  }
#endif
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) out[i] = load_as<T>(places[i] + offset);
  transpose<T>(out);
}
