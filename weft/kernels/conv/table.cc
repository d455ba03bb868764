// Tables of pointers into the input, and its copy with padding.
#include <algorithm>
#include <cstring>

#include "weft/base/checked.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

// The places of an output in order, and where each begins.
template <class T>
struct Place {
  const ConvProblem<T>& p;
  int64_t n;
  int64_t at[kConvAxes];

  Place(const ConvProblem<T>& problem, int64_t row) : p(problem) {
    for (int d = kConvAxes; d-- > 0;) {
      at[d] = row % p.axis[d].out;
      row /= p.axis[d].out;
    }
    n = row;
  }
  void next() {
    for (int d = kConvAxes; d-- > 0;) {
      if (++at[d] < p.axis[d].out) return;
      at[d] = 0;
    }
    ++n;
  }
  // The input's place that tap 0 meets.
  int64_t start(int d) const { return at[d] * p.axis[d].stride - p.axis[d].low; }
};

}  // namespace

template <class T>
void fill_table(const ConvProblem<T>& p, bool joined, const T* zero, int64_t first, int64_t rows,
                const T** table, int64_t table_row, T** y) {
  const ConvAxis &a0 = p.axis[0], &a1 = p.axis[1], &a2 = p.axis[2];
  const int64_t last_taps = joined ? 1 : a2.taps;
  Place<T> place(p, first);
  for (int64_t r = 0; r < rows; ++r, place.next()) {
    if (y != nullptr) {
      y[r] = p.y + place.n * p.y_batch + place.at[0] * a0.y_stride + place.at[1] * a1.y_stride +
             place.at[2] * a2.y_stride;
    }
    const int64_t p0 = place.start(0), p1 = place.start(1), p2 = place.start(2);
    const T* const base = p.x + place.n * p.x_batch;
    const T** to = table + r;
    for (int64_t k0 = 0; k0 < a0.taps; ++k0) {
      const int64_t i0 = p0 + k0 * a0.dilation;
      for (int64_t k1 = 0; k1 < a1.taps; ++k1) {
        const int64_t i1 = p1 + k1 * a1.dilation;
        const bool is_inside = 0 <= i0 && i0 < a0.in && 0 <= i1 && i1 < a1.in;
        const T* const row = base + (is_inside ? i0 * a0.x_stride + i1 * a1.x_stride : 0);
        for (int64_t k2 = 0; k2 < last_taps; ++k2, to += table_row) {
          const int64_t i2 = p2 + k2 * a2.dilation;
          *to = is_inside && 0 <= i2 && i2 < a2.in ? row + i2 * a2.x_stride : zero;
        }
      }
    }
  }
}

template <class T>
int64_t padded_size(const ConvProblem<T>& p) {
  int64_t size = checked_mul(p.batch, p.groups * p.channels);
  for (const ConvAxis& a : p.axis) {
    size = checked_mul(size, (a.out - 1) * a.stride + (a.taps - 1) * a.dilation + 1);
  }
  return size;
}

template <class T>
ConvProblem<T> padded(const ConvProblem<T>& p, T* to) {
  ConvProblem<T> out = p;
  const int64_t channels = p.groups * p.channels;
  int64_t stride = channels;
  for (int d = kConvAxes; d-- > 0;) {
    ConvAxis& a = out.axis[d];
    a.in = (a.out - 1) * a.stride + (a.taps - 1) * a.dilation + 1;
    a.low = 0;
    a.x_stride = stride;
    stride *= a.in;
  }
  out.x = to;
  out.x_batch = stride;
  const int64_t lines = out.axis[0].in * out.axis[1].in, length = out.axis[2].in * channels;
  const ConvAxis& last = p.axis[2];
  // Of a line of the copy: zeros, elements of x, zeros.
  const int64_t begin = lesser(greater(last.low, 0), out.axis[2].in);
  const int64_t end = greater(begin, lesser(last.low + last.in, out.axis[2].in));
  in_tasks(p.batch * lines, static_cast<double>(length) * 0.5, [&](int64_t first, int64_t stop) {
    for (int64_t line = first; line < stop; ++line) {
      const int64_t n = line / lines, i0 = line % lines / out.axis[1].in - p.axis[0].low,
                    i1 = line % out.axis[1].in - p.axis[1].low;
      T* const at = to + line * length;
      const bool is_inside = 0 <= i0 && i0 < p.axis[0].in && 0 <= i1 && i1 < p.axis[1].in;
      const int64_t from = is_inside ? begin : out.axis[2].in, upto = is_inside ? end : from;
      std::fill(at, at + from * channels, T(0));
      const T* x = p.x + n * p.x_batch + i0 * p.axis[0].x_stride + i1 * p.axis[1].x_stride;
      if (is_inside && last.x_stride == channels) {
        std::memcpy(at + from * channels, x + (from - last.low) * channels,
                    static_cast<size_t>((upto - from) * channels) * sizeof(T));
      } else if (is_inside) {
        for (int64_t i2 = from; i2 < upto; ++i2) {
          std::copy_n(x + (i2 - last.low) * last.x_stride, channels, at + i2 * channels);
        }
      }
      std::fill(at + upto * channels, at + length, T(0));
    }
  });
  return out;
}

template void fill_table(const ConvProblem<float>&, bool, const float*, int64_t, int64_t,
                         const float**, int64_t, float**);
template void fill_table(const ConvProblem<double>&, bool, const double*, int64_t, int64_t,
                         const double**, int64_t, double**);
template void fill_table(const ConvProblem<uint32_t>&, bool, const uint32_t*, int64_t, int64_t,
                         const uint32_t**, int64_t, uint32_t**);
template void fill_table(const ConvProblem<uint64_t>&, bool, const uint64_t*, int64_t, int64_t,
                         const uint64_t**, int64_t, uint64_t**);
template int64_t padded_size(const ConvProblem<float>&);
template int64_t padded_size(const ConvProblem<double>&);
template int64_t padded_size(const ConvProblem<uint32_t>&);
template int64_t padded_size(const ConvProblem<uint64_t>&);
template ConvProblem<float> padded(const ConvProblem<float>&, float*);
template ConvProblem<double> padded(const ConvProblem<double>&, double*);
template ConvProblem<uint32_t> padded(const ConvProblem<uint32_t>&, uint32_t*);
template ConvProblem<uint64_t> padded(const ConvProblem<uint64_t>&, uint64_t*);

}  // namespace weft::kernels
