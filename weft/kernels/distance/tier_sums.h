// Sums over differences with points in the lanes, compiled once per tier.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/matmul/tier_vector.h"

inline constexpr int kChains = 8;

// One step of the chains of kPoints points of a with a block of b.
template <class T, bool kSquares, int kPoints>
inline void add_step(const Sums<T>& s, int64_t i, int64_t k, const T* block, int chain,
                     Vector<T> (*sums)[kChains]) {
  Vector<T> other = load(block + k * kLanes<T>);
#if WEFT_TIER_BYTES > 16
  __asm__("" : "+v"(other));  // loaded once, not again for each point
#endif
#pragma GCC unroll 4
  for (int p = 0; p < kPoints; ++p) {
    const int64_t at = (i + p) * s.coordinates + k;
    if constexpr (kSquares) {
      // From this side, the element of a can be broadcast by the subtraction itself; the sign does
      // not matter to the square.
      const Vector<T> difference = other - broadcast(s.a[at]);
      sums[p][chain] = step<T>(difference, difference, sums[p][chain]);
    } else {
      const Vector<T> difference = broadcast(s.a[at]) - other;
      sums[p][chain] = step<T>(broadcast(s.u[at]), difference, sums[p][chain]);
    }
  }
}

// kRest: how many coordinates are left over after whole rounds of the chains.
template <class T, bool kSquares, int kPoints, int kRest>
inline void sum_block(const Sums<T>& s, int64_t i, int64_t j, const T* block) {
  Vector<T> sums[kPoints][kChains] = {};
  int64_t k = 0;
  for (; k + kChains <= s.coordinates; k += kChains) {
#pragma GCC unroll 8
    for (int c = 0; c < kChains; ++c) {
      add_step<T, kSquares, kPoints>(s, i, k + c, block, c, sums);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kRest; ++c) add_step<T, kSquares, kPoints>(s, i, k + c, block, c, sums);
  const int64_t count = s.others - j;
#pragma GCC unroll 4
  for (int p = 0; p < kPoints; ++p) {
    const Vector<T>* const c = sums[p];
    const Vector<T> total = ((c[0] + c[4]) + (c[2] + c[6])) + ((c[1] + c[5]) + (c[3] + c[7]));
    T* const to = s.out + (i + p) * s.pitch + j;
    if (count >= kLanes<T>) {
      store(to, canonical<T>(total));
    } else {
      Mask<T>(static_cast<int>(count)).store(to, canonical<T>(total));
    }
  }
}

template <class T, bool kSquares, int kRest>
void sum_all(const Sums<T>& s) {
  const T* block = s.b;
  for (int64_t j = 0; j < s.others; j += kLanes<T>, block += s.coordinates * kLanes<T>) {
    int64_t i = 0;
    for (; i + WEFT_TIER_POINTS <= s.points; i += WEFT_TIER_POINTS) {
      sum_block<T, kSquares, WEFT_TIER_POINTS, kRest>(s, i, j, block);
    }
    for (; i < s.points; ++i) sum_block<T, kSquares, 1, kRest>(s, i, j, block);
  }
}

template <class T, bool kSquares, int... kRest>
inline void sum_with(const Sums<T>& s, std::integer_sequence<int, kRest...>) {
  constexpr void (*kByRest[])(const Sums<T>&) = {sum_all<T, kSquares, kRest>...};
  kByRest[s.coordinates % kChains](s);
}

template <class T>
void sum(const Sums<T>& s) {
  using Rests = std::make_integer_sequence<int, kChains>;
  s.u == nullptr ? sum_with<T, true>(s, Rests{}) : sum_with<T, false>(s, Rests{});
}

template <class T>
constexpr Kernels<T> kKernels{kLanes<T>, sum<T>};
constinit const Tier kTier{kKernels<float>, kKernels<double>};
