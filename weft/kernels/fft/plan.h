// Plan: how a transform of one length is computed, with its tables; made once and kept.
//
// Stockham's form of the mixed-radix transform: each stage reads one array and writes the other,
// and the result is in order without a reversal of bits. A long transform is one of columns and
// one of rows of a matrix (Bailey's four steps), so that neighbours always fill the lanes and the
// stages stay in the cache. Lengths with a large prime factor go through Bluestein's convolution
// of a length that has none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weft/kernels/fft/tier.h"

namespace weft::kernels::fft {

template <class T>
struct Plan {
  int64_t n = 0;  // the length of the complex transform
  // A long one is a matrix [rows, cols] in row order: columns are transformed, turned, then rows;
  // X[k1 + rows * k2] is element k2 of row k1. A short one has rows == n.
  int64_t rows = 0, cols = 1;
  std::vector<Stage<T>> down, along;       // the stages of columns and of rows
  std::vector<std::vector<Pair<T>>> kept;  // the tables of the stages
  std::vector<T> turns_re, turns_im;       // w^(k1 j2) between the two, in blocks (kTurns)
  // Bluestein: the chirp exp(-i pi k^2 / n), the transform of its conjugate, divided by the longer
  // length, and the plan of that.
  std::vector<Pair<T>> chirp, filter;
  std::shared_ptr<const Plan> longer;
  // For transforms of 2 n real numbers: exp(-i pi k / n) for k <= n.
  std::vector<Pair<T>> halves;

  // Is one transform spread over the lanes? Else as many transforms lie side by side.
  bool is_matrix() const { return longer == nullptr ? cols > 1 : longer->is_matrix(); }
};

// Has n no prime factor that needs Bluestein's way?
bool is_direct(int64_t n);

// The plan for n (> 0) numbers; with `real` also the table for twice as many real ones. Plans are
// shared and kept, the last ones used, within a bound; any thread may ask.
template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n, bool real);

}  // namespace weft::kernels::fft
