// Plan: how a transform of one length is computed, with its tables; made once and kept.
//
// Stockham's form of the mixed-radix transform: each stage reads one array and writes the other,
// and the result is in order without a reversal of bits. Lengths with a large prime factor go
// through Bluestein's convolution of a length that has none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace weft::kernels::fft {

// A complex number whose parts may be vectors: several transforms at once.
template <class V>
struct Pair {
  V re, im;
};

// One stage: sub-transforms of length radix * rest, `stride` of them side by side.
template <class T>
struct Stage {
  int64_t radix, rest, stride;
  std::vector<Pair<T>> turns;  // w^(p k) for p < rest and 1 <= k < radix
  std::vector<Pair<T>> roots;  // of a radix that has no code of its own: all its roots of 1
};

template <class T>
struct Plan {
  int64_t n = 0;  // the length of the complex transform
  std::vector<Stage<T>> stages;
  // Bluestein: the chirp exp(-i pi k^2 / n), the transform of its conjugate, divided by the longer
  // length, and the plan of that.
  std::vector<Pair<T>> chirp, filter;
  std::shared_ptr<const Plan> longer;
  // For transforms of 2 n real numbers: exp(-i pi k / n) for k <= n.
  std::vector<Pair<T>> halves;

  // Elements of working memory beside the data itself.
  int64_t scratch() const { return longer == nullptr ? n : 2 * longer->n; }
};

// Has n no prime factor that needs Bluestein's way?
bool is_direct(int64_t n);

// The plan for n (> 0) numbers; with `real` also the table for twice as many real ones. Plans are
// shared and kept, the last ones used, within a bound; any thread may ask.
template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n, bool real);

}  // namespace weft::kernels::fft
