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

// Turns between the passes of a matrix lie in blocks of so many columns, the lanes of the widest
// vectors: what a group asks for is contiguous. [k, i] is at i / kTurns * kTurns * rows +
// k * kTurns + i % kTurns.
inline constexpr int64_t kTurns = 16;

// One stage of Stockham's form: sub-transforms of length radix * rest, `stride` of them.
template <class T>
struct Stage {
  int64_t radix, rest, stride;
  const Pair<T>* turns;  // w^(p k) for p < rest and 1 <= k < radix
  const Pair<T>* roots;  // w^k for k < radix
};

// How `count` transforms lie in memory. Steps count numbers; W is the number of lanes.
enum class Form : uint8_t {
  kNumbers,  // element k of transform i at k * step + 2 * i
  kLines,    // element k of transform i at i * step + 2 * k
  kVectors,  // element k of transforms [g W, (g + 1) W) at k * step + 2 * g W: W real parts, then
             // the imaginary ones
  kRows,     // elements [k, k + W) of transform i at i * step + 2 * k, as such vectors
};
template <class T>
struct Place {
  T* data;
  int64_t step;
  Form form;
};

// `count` transforms of length n, as many at a time as there are lanes.
template <class T>
struct Pass {
  const Stage<T>* stages;
  int64_t num_stages, n, count;
  Place<const T> from;
  Place<T> to;  // not kRows
  // Results stored as kVectors are turned: element k by the one at k * kTurns of these tables, or,
  // where turns_differ, element k of transform i by that of column i, as kTurns says.
  const T *turns_re, *turns_im;
  bool turns_differ;
  T scale;                          // of other results
  bool exchange_from, exchange_to;  // the two parts of numbers: makes an inverse transform of it
  int64_t ahead;                    // numbers so far behind those in use are asked for already
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
