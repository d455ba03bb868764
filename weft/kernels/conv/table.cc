// Tables of pointers into the input, and its copy with padding.
#include <algorithm>
#include <cstring>

#include "weft/base/checked.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

// Pointers `step` apart.
template <class T>
void fill_line(T** to, int64_t count, T* first, int64_t step) {
  for (int64_t i = 0; i < count; ++i) to[i] = first + i * step;
}

// Places [begin, begin + count) of one line of the output, of its last axis.
template <class T>
struct Line {
  int64_t n;
  int64_t at[2];
  int64_t begin;
  int64_t count;

  Line(const ConvProblem<T>& p, int64_t place, int64_t most) {
    begin = place % p.axis[2].out;
    count = lesser(most, p.axis[2].out - begin);
    place /= p.axis[2].out;
    at[1] = place % p.axis[1].out;
    place /= p.axis[1].out;
    at[0] = place % p.axis[0].out;
    n = place / p.axis[0].out;
  }
};

// Where tap k2 of the line's places lies on the input's line at x: outside, inside, outside.
template <class T>
void fill_tap(const ConvAxis& a, const Line<T>& line, int64_t k2, const T* x, const T* zero,
              const T** to) {
  const int64_t start = k2 * a.dilation - a.low;  // of place 0
  const int64_t first = start < 0 ? ceil_div(-start, a.stride) : 0;
  const int64_t end = start < a.in ? ceil_div(a.in - start, a.stride) : 0;
  const int64_t from = lesser(greater(first - line.begin, 0), line.count);
  const int64_t upto = greater(from, lesser(end - line.begin, line.count));
  fill_line(to, from, zero, 0);
  if (upto > from) {
    fill_line(to + from, upto - from, x + (start + (line.begin + from) * a.stride) * a.x_stride,
              a.stride * a.x_stride);
  }
  fill_line(to + upto, line.count - upto, zero, 0);
}

// Line i of image n and of the last two axes, counted with padding: zeros, elements of x, zeros.
template <class T>
void copy_padded_line(const ConvProblem<T>& p, int64_t n, int64_t i, T* to) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const int64_t size = (last.out - 1) * last.stride + last.taps, line = i - a.low;
  const bool is_inside = 0 <= line && line < a.in;
  const int64_t begin = is_inside ? lesser(greater(last.low, 0), size) : size;
  const int64_t end = is_inside ? greater(begin, lesser(last.low + last.in, size)) : size;
  std::fill(to, to + begin * p.channels, T(0));
  if (begin < end) {
    const T* from = p.x + n * p.x_batch + line * a.x_stride + (begin - last.low) * last.x_stride;
    if (last.x_stride == p.channels) {
      std::memcpy(to + begin * p.channels, from,
                  static_cast<size_t>((end - begin) * p.channels) * sizeof(T));
    } else {
      for (int64_t at = begin; at < end; ++at, from += last.x_stride) {
        std::copy_n(from, p.channels, to + at * p.channels);
      }
    }
  }
  std::fill(to + end * p.channels, to + size * p.channels, T(0));
}

}  // namespace

template <class T>
void fill_table(const ConvProblem<T>& p, bool joined, const T* zero, int64_t first, int64_t rows,
                const T** table, int64_t table_row, T** y) {
  const ConvAxis &a0 = p.axis[0], &a1 = p.axis[1], &a2 = p.axis[2];
  for (int64_t r = 0; r < rows;) {
    const Line<T> line(p, first + r, rows - r);
    const T** to = table + r;
    for (int64_t k0 = 0; k0 < a0.taps; ++k0) {
      const int64_t i0 = line.at[0] * a0.stride - a0.low + k0 * a0.dilation;
      for (int64_t k1 = 0; k1 < a1.taps; ++k1) {
        const int64_t i1 = line.at[1] * a1.stride - a1.low + k1 * a1.dilation;
        const bool is_inside = 0 <= i0 && i0 < a0.in && 0 <= i1 && i1 < a1.in;
        const int64_t offset = is_inside ? i0 * a0.x_stride + i1 * a1.x_stride : 0;
        const T* const x = p.x + line.n * p.x_batch + offset;
        for (int64_t k2 = 0; k2 < (joined ? 1 : a2.taps); ++k2, to += table_row) {
          if (is_inside) {
            fill_tap(a2, line, k2, x, zero, to);
          } else {
            fill_line(to, line.count, zero, 0);
          }
        }
      }
    }
    if (y != nullptr) {
      fill_line(y + r, line.count,
                p.y + line.n * p.y_batch + line.at[0] * a0.y_stride + line.at[1] * a1.y_stride +
                    line.begin * a2.y_stride,
                a2.y_stride);
    }
    r += line.count;
  }
}

// Enough for all the lines that `rows` places in order can meet, whatever the first.
template <class T>
int64_t padded_lines_size(const ConvProblem<T>& p, int64_t rows) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const int64_t lines = rows / last.out + 2, images = lines / a.out + 2;
  const int64_t all = lines * a.stride + images * ((a.taps - 1) * a.dilation + 1);
  return all * ((last.out - 1) * last.stride + last.taps) * p.channels;
}

template <class T>
void fill_padded_table(const ConvProblem<T>& p, T* room, int64_t first, int64_t rows,
                       const T** table, int64_t table_row, T** y) {
  ConvProblem<T> part = p;
  ConvAxis &a = part.axis[1], &last = part.axis[2];
  last.in = (last.out - 1) * last.stride + last.taps;
  last.x_stride = p.channels;
  const int64_t length = last.in * p.channels, reach = (a.taps - 1) * a.dilation + 1;
  a.in = (a.out - 1) * a.stride + reach;
  a.x_stride = length;
  part.x_batch = a.low = last.low = 0;
  for (int64_t r = 0; r < rows;) {
    const int64_t n = (first + r) / p.places(), begin = (first + r) % p.places();
    const int64_t count = lesser(rows - r, p.places() - begin);
    const int64_t line = begin / last.out * a.stride;
    const int64_t end = (begin + count - 1) / last.out * a.stride + reach;
    part.x = room - line * length;
    for (int64_t i = line; i < end; ++i, room += length) copy_padded_line(p, n, i, room);
    fill_table<T>(part, true, nullptr, first + r, count, table + r, table_row,
                  y == nullptr ? nullptr : y + r);
    r += count;
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
template int64_t padded_lines_size(const ConvProblem<float>&, int64_t);
template int64_t padded_lines_size(const ConvProblem<double>&, int64_t);
template int64_t padded_lines_size(const ConvProblem<uint32_t>&, int64_t);
template int64_t padded_lines_size(const ConvProblem<uint64_t>&, int64_t);
template void fill_padded_table(const ConvProblem<float>&, float*, int64_t, int64_t, const float**,
                                int64_t, float**);
template void fill_padded_table(const ConvProblem<double>&, double*, int64_t, int64_t,
                                const double**, int64_t, double**);
template void fill_padded_table(const ConvProblem<uint32_t>&, uint32_t*, int64_t, int64_t,
                                const uint32_t**, int64_t, uint32_t**);
template void fill_padded_table(const ConvProblem<uint64_t>&, uint64_t*, int64_t, int64_t,
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
