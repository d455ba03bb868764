// Windows of one tap, which are products of matrices.
#include <utility>

#include "weft/base/checked.h"
#include "weft/kernels/conv/problem.h"

namespace weft::kernels {

static constexpr int64_t kFewFilters = 128;
static constexpr int64_t kFarApart = 8192;  // bytes: so rows of x meet in the same sets of L1
// With so many rows a product packs its weights, and packing is a part of the time that matters.
static constexpr int64_t kFewRows[] = {15, 256};

static bool has_single_taps(const ConvArgs& args) {
  for (const ConvAxis& a : args.axis) {
    const bool is_same = a.in == a.out && a.stride == 1 && a.low == 0 && a.input_dilation == 1;
    if (a.taps != 1 || !is_same) return false;
  }
  return args.groups == 1;
}

// The stride between places of (space..), or of (n, space..), in order; 0 if it is not the same.
static int64_t place_stride(const ConvArgs& args, bool of_x, bool with_batch) {
  int64_t stride = 0, size = 1;
  const auto merge = [&](int64_t extent, int64_t step) {
    if (extent == 1) return true;
    if (size == 1) stride = step;
    if (step != stride * size) return false;
    size *= extent;
    return true;
  };
  for (int d = kConvAxes; d-- > 0;) {
    const ConvAxis& a = args.axis[d];
    if (!merge(of_x ? a.in : a.out, of_x ? a.x_stride : a.y_stride)) return 0;
  }
  if (with_batch && !merge(args.batch, of_x ? args.x_batch : args.y_batch)) return 0;
  return size == 1 ? 1 : stride;
}

// Packing the input costs more than it gains, unless there are many filters and it has to be
// converted, or lies badly; with few rows, packing the weights anew at every call does.
static bool is_large_product(const ConvArgs& args) {
  if (!has_single_taps(args)) return false;
  if (args.x_channel != 1) return true;
  const int64_t places = args.axis[0].out * args.axis[1].out * args.axis[2].out;
  const int64_t rows = checked_mul(args.batch, places);
  const bool keeps = args.w_keeper != nullptr && kFewRows[0] <= rows && rows <= kFewRows[1];
  if (args.filters <= kFewFilters || keeps) return false;
  const bool is_plain = args.dtype == DType::kF32 || args.dtype == DType::kF64;
  return !is_plain || rows <= kFewRows[1] || args.channels * size_of(args.dtype) >= kFarApart;
}

bool conv_single(const ConvArgs& args) {
  if (!is_large_product(args)) return false;
  const int64_t places = args.axis[0].out * args.axis[1].out * args.axis[2].out;
  MatmulArgs product{.dtype = args.dtype,
                     .m = places,
                     .n = args.filters,
                     .k = args.channels,
                     .a = args.x,
                     .a_col = args.x_channel,
                     .b = args.w,
                     .b_row = args.w_channel,
                     .b_col = args.w_filter,
                     .c = args.y,
                     .c_row = args.filters};
  const BatchDim images{args.batch, args.x_batch, 0, args.y_batch};
  product.a_row = place_stride(args, true, true);
  if (product.a_row != 0 && args.x_channel == 1) {
    product.m = checked_mul(places, args.batch);
  } else {
    product.a_row = place_stride(args, true, false);
    if (product.a_row == 0) return false;
    product.batch = &images;
    product.batch_rank = 1;
  }
  matmul(product);
  return true;
}

RowStrides single_tap_rows(const ConvArgs& args) {
  if (!has_single_taps(args)) return {0, 0};
  return {place_stride(args, true, true), place_stride(args, false, true)};
}

ConvArgs with_fewer_rows(const ConvArgs& args) {
  if (!has_single_taps(args) || args.channels >= args.filters || is_complex(args.dtype))
    return args;
  ConvArgs out = args;
  std::swap(out.x, out.y);
  std::swap(out.x_batch, out.y_batch);
  std::swap(out.x_channel, out.y_channel);
  std::swap(out.channels, out.filters);
  std::swap(out.w_channel, out.w_filter);
  for (ConvAxis& a : out.axis) std::swap(a.x_stride, a.y_stride);
  return out;
}

bool conv_dw_single(const ConvArgs& args) {
  if (!has_single_taps(args)) return false;
  if (args.filters <= kFewFilters && !is_complex(args.dtype) && args.batch > 0) return false;
  const int64_t x_row = place_stride(args, true, true), y_row = place_stride(args, false, true);
  if (x_row == 0 || y_row == 0) return false;
  const int64_t places =
      checked_mul(args.axis[0].out * args.axis[1].out * args.axis[2].out, args.batch);
  MatmulArgs product{.dtype = args.dtype, .k = places, .c = args.w};
  const bool rows_are_channels = args.w_filter == 1;  // as the complex product wants them, too
  if (!rows_are_channels && (args.w_channel != 1 || is_complex(args.dtype))) return false;
  product.m = args.channels, product.a = args.x;
  product.a_row = args.x_channel, product.a_col = x_row;
  product.n = args.filters, product.b = args.y;
  product.b_row = y_row, product.b_col = args.y_channel;
  product.c_row = args.w_channel;
  if (!rows_are_channels) {
    product.m = args.filters, product.a = args.y;
    product.a_row = args.y_channel, product.a_col = y_row;
    product.n = args.channels, product.b = args.x;
    product.b_row = x_row, product.b_col = args.x_channel;
    product.c_row = args.w_filter;
  }
  matmul(product);
  return true;
}

}  // namespace weft::kernels
