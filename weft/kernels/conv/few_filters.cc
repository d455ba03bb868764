// Few filters (an image as the result, the gradient of a layer on few channels): vectors of filters
// would be half empty, so lanes are neighbouring places. What some lines of the output meet is laid
// out plane by plane, a channel each, with its padding.
#include <algorithm>
#include <vector>

#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/conv/weights.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kRoomBytes = 128 << 10;  // of the planes: they stay in L2
constexpr int64_t kTasksWanted = 16;
constexpr int64_t kLeastTaps = 4;  // what is laid out is read so often

// Planes [channels][lines][width] of what `band` lines of the output meet.
struct PlaneShape {
  int64_t lines;
  int64_t width;

  template <class T>
  PlaneShape(const ConvProblem<T>& p, int64_t band) {
    const ConvAxis &a = p.axis[1], &last = p.axis[2];
    lines = (band - 1) * a.stride + (a.taps - 1) * a.dilation + 1;
    width = round_up(last.out, p.tools.product->lanes) + (last.taps - 1) * last.dilation;
  }
  int64_t size() const { return lines * width; }
};

// Lines of the output that are computed together.
template <class T>
int64_t band_of(const ConvProblem<T>& p) {
  const int64_t wanted = ceil_div(p.axis[1].out, ceil_div(kTasksWanted, p.batch));
  int64_t band = greater(wanted, lesser(p.axis[1].out, kLeastTaps));
  const auto is_large = [&] {
    return PlaneShape(p, band).size() * p.channels * int64_t{sizeof(T)} > kRoomBytes;
  };
  while (band > 1 && is_large()) band = ceil_div(band, 2);
  return band;
}

// One line of x into each plane; null stands for one outside.
template <class T>
void lay_out_line(const ConvProblem<T>& p, const T* x, T* to, int64_t plane) {
  const ConvAxis& a = p.axis[2];
  const int64_t width = a.out + (a.taps - 1) * a.dilation;  // lanes behind it are never stored
  const int64_t begin = lesser(greater(a.low, 0), width);
  const int64_t end = x == nullptr ? begin : lesser(greater(a.in + a.low, begin), width);
  for (int64_t c = 0; c < p.channels; ++c, to += plane) {
    std::fill(to, to + begin, T(0));
    for (int64_t i = begin; i < end; ++i) to[i] = x[(i - a.low) * a.x_stride + c];
    std::fill(to + end, to + width, T(0));
  }
}

}  // namespace

template <class T>
bool has_few_filters(const ConvProblem<T>& p) {
  const ConvAxis& last = p.axis[2];
  const int64_t lanes = p.tools.product->lanes;
  if (!is_flat(p) || p.groups != 1 || p.tools.parts != 1 || last.stride != 1) return false;
  if (p.filters >= lanes || p.filters > kMostPlaneFilters) return false;
  if (p.taps() < kLeastTaps || p.taps() * p.channels > p.chain()) return false;
  // Lanes in use, as places and as filters; planes cost what is written to be read again.
  const auto share = [&](int64_t used) {
    return static_cast<double>(used) / static_cast<double>(round_up(used, lanes));
  };
  return 0.8 * share(last.out) > share(p.filters);
}

template <class T>
void conv_few_filters(const ConvProblem<T>& p) {
  if (p.rows() == 0) return;
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const PackedWeights<T> weights(p);
  const int64_t band = band_of(p), bands = ceil_div(a.out, band);
  const PlaneShape shape(p, band);
  std::vector<int64_t> offsets;
  for (int64_t k = 0; k < a.taps; ++k) {
    for (int64_t l = 0; l < last.taps; ++l) {
      const int64_t tap = k * a.dilation * shape.width + l * last.dilation;
      for (int64_t c = 0; c < p.channels; ++c) offsets.push_back(c * shape.size() + tap);
    }
  }
  parallel_for(p.batch * bands, [&](int64_t task) {
    const int64_t n = task / bands, first = task % bands * band;
    const int64_t lines = lesser(band, a.out - first);
    const Workspace room(p.channels * shape.size() * int64_t{sizeof(T)});
    const int64_t met = PlaneShape(p, lines).lines;
    for (int64_t i = 0; i < met; ++i) {
      const int64_t line = first * a.stride - a.low + i;
      const bool is_inside = 0 <= line && line < a.in;
      lay_out_line(p, is_inside ? p.x + n * p.x_batch + line * a.x_stride : nullptr,
                   room.as<T>() + i * shape.width, shape.size());
    }
    p.tools.conv->plane_product({lines, last.out, p.filters, static_cast<int64_t>(offsets.size()),
                                 offsets.data(), room.as<const T>(), a.stride * shape.width,
                                 weights.at(0, 0, 0), p.y + n * p.y_batch + first * a.y_stride,
                                 a.y_stride, last.y_stride});
  });
}

template bool has_few_filters(const ConvProblem<float>&);
template bool has_few_filters(const ConvProblem<double>&);
template bool has_few_filters(const ConvProblem<uint32_t>&);
template bool has_few_filters(const ConvProblem<uint64_t>&);
template void conv_few_filters(const ConvProblem<float>&);
template void conv_few_filters(const ConvProblem<double>&);
template void conv_few_filters(const ConvProblem<uint32_t>&);
template void conv_few_filters(const ConvProblem<uint64_t>&);

}  // namespace weft::kernels
