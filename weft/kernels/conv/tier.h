// What a tier of convolution offers: tiles of the output, packing for the weight gradient, and
// depthwise.
//
// Plain data only: the tiers are compiled with their own instruction sets, so nothing here may
// become inline code. Flags are those of matmul/tier.h.
#pragma once

#include <cstdint>

#include "weft/kernels/matmul/tier.h"

namespace weft::kernels {

// Rows of the output from one chain. A row's steps are segments of `length`, each contiguous in
// memory: segment s of row r begins at table[s * table_row + r].
template <class T>
struct PlaceProduct {
  int64_t rows;
  int64_t cols;
  int64_t length;
  int64_t begin;  // the chain's steps, of all segments
  int64_t end;
  const T* const* table;
  int64_t table_row;
  int64_t offset;  // added to every pointer
  const T* b;      // steps [begin, end) as matmul's pack_b made them
  T* const* c;     // where each row of the output begins
  int64_t c_offset;
  unsigned flags;
  bool reads_once;   // rows come from memory, and no other row reads them: ask for the next in time
  bool past_caches;  // are rows of the output, whole lines of cache, stored so? Fence afterwards
};

// A line of places, from one chain: y[i * y_step + j] = the chain over lines s and elements e <
// length of x[s][i * x_step + e] * b, whose steps (s, e) are as matmul's pack_b made them.
template <class T>
struct LineProduct {
  int64_t count;  // places
  int64_t cols;
  int64_t lines;
  int64_t length;
  const T* const* x;
  int64_t x_step;
  const T* b;
  T* y;
  int64_t y_step;
};

inline constexpr int64_t kMostPlaneFilters = 8;

// Lines of places, from one chain: y[l * y_line + i * y_step + f] = the chain over steps k of x[l *
// x_line + i + offsets[k]] * b, whose steps are as matmul's pack_b made them. Filters are fewer
// than lanes; vectors of x are read whole, past the width.
template <class T>
struct PlaneProduct {
  int64_t lines;
  int64_t width;
  int64_t filters;
  int64_t steps;
  const int64_t* offsets;
  const T* x;
  int64_t x_line;
  const T* b;
  T* y;
  int64_t y_line;
  int64_t y_step;
};

// Columns of B for matmul's product, packed in its panels: step k of column j is table[k][j].
template <class T>
struct TapPacking {
  T* to;
  int64_t cols;
  int64_t k;
  const T* const* table;
  int64_t offset;  // added to every pointer
  bool in_order;   // whole rows of memory follow each other
};

// c[r][j] = chain over segments s of table[s * table_row + r][j] * w[s * w_row + j].
template <class T>
struct DepthwiseProduct {
  int64_t rows;
  int64_t cols;
  int64_t segments;
  const T* const* table;
  int64_t table_row;
  const T* w;
  int64_t w_row;
  T* const* c;
};

// c[s * c_row + j] = chain over steps k of table[s * table_row + k][j] * g[k][j].
template <class T>
struct DepthwiseTaps {
  int64_t k;
  int64_t cols;
  int64_t segments;
  const T* const* table;
  int64_t table_row;
  const T* const* g;
  T* c;
  int64_t c_row;
};

inline constexpr int64_t kMostInputLines = 9;  // of the places that a tier takes at a time

// Depthwise windows along a line of places: tap k of place i is at lines[..] + (i * stride + k) *
// cols, but for the first tap of the first place and the last tap of the last one, which may lie
// outside.
template <class T>
struct DepthwiseLine {
  int64_t count;   // places
  int64_t cols;    // channels
  int64_t stride;  // 1 or 2
  bool starts_outside;
  bool ends_outside;
  const T* zeros;  // as many as channels
  const T* lines[kMostInputLines];
};

// y[i * y_step + j] = chain over the taps of x * w[tap * cols + j], which are 3 x 3, or with stride
// 1 also 1 or 2 along each axis. The same of `rows` such lines, y_row apart, whose windows begin
// x.stride lines below each other.
template <class T>
struct DepthwiseLineForward {
  DepthwiseLine<T> x;
  int64_t taps[2];
  const T* w;
  T* y;
  int64_t y_step;
  int64_t y_row;
  int64_t rows;
  const char* ahead;  // memory that will be read next: so many bytes for every place
  int64_t ahead_step;
  int64_t y_ahead;         // from a place to the one below it, which is written next
  bool past_caches;        // are places of y, whole lines of cache, stored so? Fence afterwards
  bool comes_from_memory;  // x; then neighbours share less, and lines are read more in order
};

// A line of places, and what meets the windows there: g[i * g_step].
template <class T>
struct DepthwiseTapLine {
  DepthwiseLine<T> x;
  const T* g;
};

// Of 3 x 3 taps, columns [begin, end): sums[tap * cols + j] goes on as a chain over the places of
// all lines, of x * g.
template <class T>
struct DepthwiseLineTaps {
  const DepthwiseTapLine<T>* lines;
  int64_t count;
  int64_t begin;
  int64_t end;
  int64_t g_step;
  T* sums;
  const char* x_ahead;  // what will be read next, if it lies in order; else null
  const char* g_ahead;
};

// The weights of `lines` stretches of `length` each, from a line of places: for stretch s, element
// e and filter j, sums[(s * length + e) * filters + j] goes on as a chain over places i of x[s *
// x_row][i * x_step + e] * g[i * g_row + j].
template <class T>
struct LineWeights {
  int64_t count;  // places
  int64_t lines;
  int64_t length;
  const T* const* x;
  int64_t x_row;
  int64_t x_step;  // above 0
  const T* g;
  int64_t g_row;
  int64_t filters;
  T* sums;
  const char* ahead[2];  // what will be read next: so many lines of cache from there
  int64_t ahead_lines[2];
};

// The most rows that `line` takes, of 3 x 3 windows with stride 1 and 2, and of smaller ones: just
// so many, or any number up to `few`.
struct RowsTogether {
  static constexpr int64_t few = 4;
  int64_t square;
  int64_t strided;
  int64_t small;
};

template <class T>
struct ConvKernels {
  void (*places)(const PlaceProduct<T>&);
  void (*line_product)(const LineProduct<T>&);
  void (*plane_product)(const PlaneProduct<T>&);
  void (*pack_taps)(const TapPacking<T>&);
  void (*depthwise)(const DepthwiseProduct<T>&);
  void (*depthwise_taps)(const DepthwiseTaps<T>&);
  bool stores_lines;  // whole lines of cache, so that to store them past it needs no buffer
  RowsTogether rows_together;
  void (*line)(const DepthwiseLineForward<T>&);
  void (*line_taps)(const DepthwiseLineTaps<T>&);
  void (*line_weights)(const LineWeights<T>&);
  void (*add)(T* sums, const T* terms, int64_t count, bool is_last);  // NaNs become the one NaN
};

struct ConvTier {
  ConvKernels<float> f32;
  ConvKernels<double> f64;
  ConvKernels<uint32_t> u32;
  ConvKernels<uint64_t> u64;
};

namespace portable {
extern const ConvTier kConvTier;
}
#if defined(__x86_64__)
namespace avx2 {
extern const ConvTier kConvTier;
}
namespace avx512 {
extern const ConvTier kConvTier;
}
#endif

}  // namespace weft::kernels
