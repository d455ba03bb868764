// Describes the tensors of a convolution to its kernels.
#include "weft/kernels/conv/bind.h"

#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/kernels/conv/conv.h"
#include "weft/kernels/operand.h"

namespace weft::kernels {
namespace {

// The distance between neighbours along an axis of `count` places. A single one has no neighbours,
// so its stride may be any number, also one that overflows when the kernels multiply it.
int64_t step_between(int64_t count, int64_t step) { return count > 1 ? step : 1; }

ConvArgs args_of(const Operand& x, const Operand& w, const Operand& y, DType dtype,
                 const ConvWindow& window) {
  ConvArgs args;
  const int axes = x.rank - 2;
  const int first = kConvAxes - axes;
  args.dtype = dtype;
  args.batch = x.dims[0].value();
  args.groups = window.groups;
  args.channels = w.dims[axes].value();
  args.filters = w.dims[axes + 1].value() / window.groups;
  for (int d = 0; d < axes; ++d) {
    const auto i = static_cast<size_t>(d);
    ConvAxis& axis = args.axis[first + d];
    axis.in = x.dims[1 + d].value();
    axis.out = y.dims[1 + d].value();
    axis.taps = w.dims[d].value();
    axis.stride = step_between(axis.out, window.stride[i]);
    axis.dilation = step_between(axis.taps, window.dilation[i]);
    axis.low = window.low[i];
    axis.input_dilation = step_between(axis.in, window.input_dilation[i]);
    axis.x_stride = x.strides[1 + d];
    axis.y_stride = y.strides[1 + d];
    axis.w_stride = w.strides[d];
  }
  args.x = x.data, args.x_batch = x.strides[0], args.x_channel = x.strides[axes + 1];
  args.w = w.data, args.w_channel = w.strides[axes], args.w_filter = w.strides[axes + 1];
  args.y = y.data, args.y_batch = y.strides[0], args.y_channel = y.strides[axes + 1];
  return args;
}

}  // namespace

void conv_tensor(const Tensor& y, const Tensor& x, const Tensor& w, const ConvWindow& window) {
  if (y.numel() == 0) return;
  ConvArgs args = args_of(operand_of(x), operand_of(w), operand_of(y), y.dtype(), window);
  args.w_keeper = keeper_of(w);
  conv(args);
}

void conv_dw_tensor(const Tensor& w, const Tensor& x, const Tensor& y, const ConvWindow& window) {
  if (w.numel() == 0) return;
  conv_dw(args_of(operand_of(x), operand_of(w), operand_of(y), w.dtype(), window));
}

}  // namespace weft::kernels
