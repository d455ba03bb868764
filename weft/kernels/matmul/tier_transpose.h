// Squares of elements transposed in registers.
//
// Included only by tier_*.cc, inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_convert.h"

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
