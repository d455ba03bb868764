// ConvProblem: one convolution in units of accumulators, without input dilation, and its paths.
#pragma once

#include <span>

#include "weft/base/function_ref.h"
#include "weft/kernels/conv/conv.h"
#include "weft/kernels/conv/tier.h"
#include "weft/kernels/matmul/problem.h"

namespace weft::kernels {

inline constexpr int64_t kPastBytes = 12 << 20;  // results that are stored past the caches

// The kernels of one accumulator type and one stored type.
template <class T>
struct ConvTools {
  const ProductKernels<T>* product;
  const StorageKernels* storage;
  const ConvKernels<T>* conv;
  int64_t element;  // bytes of a stored element
  int64_t parts;    // accumulators in an element: 2 if it is complex
};

// x and y hold accumulators, their channels contiguous; all their strides count accumulators. w is
// as stored, and its strides count elements.
template <class T>
struct ConvProblem {
  ConvTools<T> tools;
  int64_t batch;
  int64_t groups;
  int64_t channels;  // of one group
  int64_t filters;
  ConvAxis axis[kConvAxes];
  const T* x;
  int64_t x_batch;
  const char* w;
  int64_t w_channel;
  int64_t w_filter;
  Buffer* w_keeper;  // where packed weights are kept, or null
  T* y;
  int64_t y_batch;

  int64_t taps() const { return axis[0].taps * axis[1].taps * axis[2].taps; }
  int64_t places() const { return axis[0].out * axis[1].out * axis[2].out; }
  int64_t rows() const { return batch * places(); }
  int64_t chain() const { return kChain * tools.parts; }
};

// For each of places [first, first + rows) of (n, o..) in order: where it begins in y, and where
// each of the window's stretches begins in x, or in `zero` if it lies outside. A stretch is a tap,
// or (joined) all taps of the last axis, which are inside then.
template <class T>
void fill_table(const ConvProblem<T>& p, bool joined, const T* zero, int64_t first, int64_t rows,
                const T** table, int64_t table_row, T** y);

// Windows of one tap as products of matrices; false, and nothing done, if they are not such, or if
// another path is better.
bool conv_single(const ConvArgs& args);
bool conv_dw_single(const ConvArgs& args);
// The weight gradient of one tap, if it has few weights and many places, the rows of x and y so
// many elements apart: the quicker way, for dtypes that are their own accumulators.
bool has_thin_weights(const ConvArgs& args);
// The rows of x, or of y, as such a product reads them; 0 if it does not.
struct RowStrides {
  int64_t x;
  int64_t y;
};
RowStrides single_tap_rows(const ConvArgs& args);
template <class T>
void conv_dw_thin(const ConvArgs& args, const ConvTools<T>& tools, RowStrides rows);
// The weight gradient of one tap with x and y exchanged, if that makes the filters, which are rows,
// fewer: a product has the same bits both ways round. Else as it is.
ConvArgs with_fewer_rows(const ConvArgs& args);

// The paths; each computes all of y, or of the weights, and runs in the thread pool.
template <class T>
void conv_places(const ConvProblem<T>& p);
template <class T>
bool has_few_channels(const ConvProblem<T>& p);  // so that this is the quicker one
template <class T>
void conv_few_channels(const ConvProblem<T>& p);
template <class T>
bool has_few_filters(const ConvProblem<T>& p);  // the same of this one
template <class T>
void conv_few_filters(const ConvProblem<T>& p);
template <class T>
void conv_depthwise(const ConvProblem<T>& p);  // channels and filters are 1, taps at most a chain
// The phases of one convolution, band by band if all read lines.
template <class T>
void conv_depthwise(std::span<const ConvProblem<T>> phases);
// Here y is read, as stored: row r of (n, o..) is at y + r * y_row elements, contiguous. `w` is
// written: accumulators [taps.., groups, filters, channels], or [filters, taps.., channels] where
// the problem wants padding.
template <class T>
void conv_dw_places(const ConvProblem<T>& p, const char* y, int64_t y_row, T* w);
// The same of few weights on few channels, y as accumulators: [taps.., channels, filters].
template <class T>
bool has_line_weights(const ConvProblem<T>& p);
template <class T>
void conv_dw_lines(const ConvProblem<T>& p, const T* y, int64_t y_row, T* w);
// The sums of all chains over `places`, few weights each, in ascending order: sum_chain(first,
// count, sums) computes those of one chain, and chains are tasks.
template <class T>
void add_chains(const ConvTools<T>& tools, int64_t places, int64_t weights, T* w,
                FunctionRef<void(int64_t, int64_t, T*)> sum_chain);
// Of accumulators [taps.., groups].
template <class T>
void conv_dw_depthwise(const ConvProblem<T>& p, const T* y, int64_t y_row, T* w);

// The same for windows of at most 3 x 3: all of y from weights [taps, groups] of each part, or, for
// 3 x 3, some channels of one chain of a weight gradient.
template <class T>
bool has_depthwise_lines(const ConvProblem<T>& p);
template <class T>
void conv_depthwise_lines(std::span<const ConvProblem<T>> parts, const T* const* weights);
struct Places {
  int64_t first;
  int64_t count;
};
struct Columns {
  int64_t begin;
  int64_t end;
};
template <class T>
void depthwise_lines_chain(const ConvProblem<T>& p, const T* zeros, const T* y, int64_t y_row,
                           Places places, Columns columns, T* sums);
// Elements that the windows of a line meet, with those outside: so many zeros it takes.
template <class T>
int64_t depthwise_line_size(const ConvProblem<T>& p);

// fill_table of joined windows, where only the last two axes have more than one element: the lines
// of x that these places meet are copied with their padding into `room`, of so many accumulators.
template <class T>
int64_t padded_lines_size(const ConvProblem<T>& p, int64_t rows);
template <class T>
void fill_padded_table(const ConvProblem<T>& p, T* room, int64_t first, int64_t rows,
                       const T** table, int64_t table_row, T** y);

// x copied with its padding into `to`, which then is the x of a problem that needs none.
template <class T>
int64_t padded_size(const ConvProblem<T>& p);  // in accumulators
template <class T>
ConvProblem<T> padded(const ConvProblem<T>& p, T* to);

// Is a copy with padding worth its cost, so that the taps of the last axis are one stretch?
template <class T>
bool wants_padding(const ConvProblem<T>& p) {
  return p.groups == 1 && p.channels < 16 && p.axis[2].taps > 1 && p.axis[2].dilation == 1;
}

// Do only the last two axes have more than one element?
template <class T>
bool is_flat(const ConvProblem<T>& p) {
  const ConvAxis& a = p.axis[0];
  return a.in == 1 && a.out == 1 && a.taps == 1 && a.low == 0;
}

// Can that be done line by line, where the lines are needed?
template <class T>
bool pads_lines(const ConvProblem<T>& p) {
  return wants_padding(p) && is_flat(p);
}

}  // namespace weft::kernels
