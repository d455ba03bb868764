// What a tier of sums over differences offers.
//
// Plain data only: the tiers are compiled with their own instruction sets, so nothing here may
// become inline code.
#pragma once

#include <cstdint>

namespace weft::kernels::distance {

// out[i, j] = sum over k of u[i, k] (a[i, k] - b[j, k]); of the squares of the differences if there
// is no u. Chain l of eight holds the k with k % 8 == l, in ascending order, by one fma each; then
// chains l and l + 4 are added, l and l + 2, and the last two.
template <class T>
struct Sums {
  const T *u, *a;  // [points, coordinates]; u may be null
  const T* b;      // blocks of `lanes` points, [coordinates, lanes] each
  int64_t points, others, coordinates;
  T* out;  // [points, others]
  int64_t pitch;
};

template <class T>
struct Kernels {
  int64_t lanes;
  void (*sum)(const Sums<T>& sums);
};

struct Tier {
  Kernels<float> f32;
  Kernels<double> f64;
};

namespace portable {
extern const Tier kTier;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Tier kTier;
}
namespace avx512 {
extern const Tier kTier;
}
#endif

}  // namespace weft::kernels::distance
