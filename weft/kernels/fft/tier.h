// What a tier of the Fourier transform offers: transforms side by side in the lanes of vectors.
//
// Plain data only: the tiers are compiled with their own instruction sets, so nothing here may
// become inline code.
#pragma once

#include <cstdint>

namespace weft::kernels::fft {

// A complex number; of vectors: as many as there are lanes.
template <class V>
struct Pair {
  V re, im;
};

// One stage of Stockham's form: sub-transforms of length radix * rest, `stride` of them.
template <class T>
struct Stage {
  int64_t radix, rest, stride;
  const Pair<T>* turns;  // w^(p k) for p < rest and 1 <= k < radix
  const Pair<T>* roots;  // w^k for k < radix
};

// `count` transforms of length n side by side, in groups of as many as there are lanes. Element k
// of transform i is at from + k * from_step + 2 * i, and the result likewise. Steps count numbers.
template <class T>
struct Pass {
  const Stage<T>* stages;
  int64_t num_stages, n, count;
  const T* from;
  int64_t from_step;
  T* to;
  int64_t to_step;
  // The two passes of a long transform have a matrix of vectors between them. The first one
  // stores it, turned by w^(k i) (element [k, i] of these tables, which have room for a vector
  // more); the second one's transforms are its rows: transform i begins at from + i * from_step.
  bool to_matrix, from_matrix;
  const T *turns_re, *turns_im;
  T scale;                          // of results that do not go to a matrix
  bool exchange_from, exchange_to;  // the two parts: makes an inverse transform of it
};

// The transform of 2 n reals out of that of n pairs of them, or (to_real) what is to be transformed
// into n pairs of reals out of n + 1 numbers. `count` of them side by side as above, or, if 0, one
// whose elements are contiguous, more than there are lanes.
template <class T>
struct Fold {
  int64_t n, count;
  const T* from;
  int64_t from_step;
  T* to;
  int64_t to_step;
  const Pair<T>* halves;  // exp(-i pi k / n)
  T scale;                // of the first kind
  bool to_real;
};

template <class T>
struct Kernels {
  int64_t lanes;
  // Groups [begin, end) of a pass; `work` has room for twice n rounded up to lanes, pairs of
  // vectors.
  void (*run)(const Pass<T>&, int64_t begin, int64_t end, T* work);
  void (*fold)(const Fold<T>&);
};

struct Tier {
  Kernels<float> f32;
  Kernels<double> f64;
};

namespace portable {
extern const Tier kTier;
extern const Kernels<long double> kWide;
}  // namespace portable
#if defined(__x86_64__)
namespace avx2 {
extern const Tier kTier;
}
namespace avx512 {
extern const Tier kTier;
}
#endif

}  // namespace weft::kernels::fft
