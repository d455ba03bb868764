// conv: convolution and its weight gradient on raw strided memory, with every bit fixed by the
// operands alone.
//
// Elements lie as [batch, space.., channels]; taps as [taps.., channels of a group, filters].
// Output place o and tap k of an axis meet the input at
//     p = o * stride + k * dilation - low,
// in an input whose elements lie `input_dilation` apart: a p between two elements is no term at
// all, a p before the first or behind the last is data 0.
//
// conv. For each y[n, o.., f], terms (k.., c) ascending, in the accumulator type of matmul:
//     chain = +0;  chain = fma(x, w, chain)
// and a new chain at every 512 terms; the ends of the chains are added in ascending order. No term
// gives +0.
//
// conv_dw. For each w[k.., c, f], terms (n, o..) ascending, summed in the same way; every place of
// the output is a term if the input has no dilation, else those that meet an element or the
// outside.
//
// So no tile, thread, tier, layout or batch can change a bit. Dtypes, rounding and NaN are as in
// matmul/matmul.h; a complex term is four fmas as there. No bools.
#pragma once

#include <cstdint>

#include "weft/core/dtype.h"

namespace weft {
struct Buffer;
}

namespace weft::kernels {

inline constexpr int kConvAxes = 3;  // those that a problem has not got have size 1, in front

// One axis of space; strides count elements.
struct ConvAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t low = 0;
  int64_t input_dilation = 1;
  int64_t x_stride = 0;
  int64_t y_stride = 0;
  int64_t w_stride = 0;
};

struct ConvArgs {
  DType dtype = DType::kF32;
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t channels = 0;  // of one group
  int64_t filters = 0;   // of one group
  ConvAxis axis[kConvAxes];
  char* x = nullptr;
  int64_t x_batch = 0;
  int64_t x_channel = 1;
  char* w = nullptr;
  int64_t w_channel = 0;
  int64_t w_filter = 1;
  Buffer* w_keeper = nullptr;  // holds w; what conv makes of it may be kept there
  char* y = nullptr;
  int64_t y_batch = 0;
  int64_t y_channel = 1;
};

// Writes y, whose channels are contiguous.
void conv(const ConvArgs& args);
// Writes w; channels or filters that are contiguous need no copy.
void conv_dw(const ConvArgs& args);

// How often weights have been packed, since the start.
int64_t weight_packings();

// The same by the definition, one element after the other: what the tests compare with, and what
// serves where no fast path does.
void conv_by_definition(const ConvArgs& args);
void conv_dw_by_definition(const ConvArgs& args);

}  // namespace weft::kernels
