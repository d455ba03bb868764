// Depthwise windows of few taps: along a line of the output they read from at most three lines of
// the input.
#include <algorithm>
#include <cstring>

#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"
#include "weft/kernels/stream.h"

namespace weft::kernels {
namespace {

constexpr int64_t kBandElements = 64 * 1024;  // of the output, computed by one task
constexpr int64_t kCacheBytes = 16 << 20;     // more does not stay in cache from op to op
constexpr int64_t kNearBytes = 40 << 10;      // what stays in L1 from one place to the next
constexpr int64_t kPlacesTogether = 192;      // of one vector: they stay in L1 for the next one
constexpr int64_t kFewTogether = 21;          // if they lie in an eighth of its sets
constexpr int64_t kLinesTogether = 32;

// Rows that the tier best takes together: many, or few if only what they read stays in L1.
template <class T>
int64_t most_rows_together(const ConvProblem<T>& p) {
  const RowsTogether& rows = p.tools.conv->rows_together;
  if (p.axis[1].taps < 3) return rows.small;
  if (p.axis[1].stride > 1) return rows.strided;
  const auto stays = [&](int64_t count) {
    return (count + 2) * 3 * p.groups * int64_t{sizeof(T)} <= kNearBytes;
  };
  return stays(rows.square) || !stays(rows.few) ? rows.square : lesser(rows.square, rows.few);
}

// The lines of the input that the windows of one output line meet. They are read where they lie if
// windows reach at most one element outside, else copied with their padding, once while windows
// move on along the first axis.
template <class T>
class InputLines {
 public:
  // `zeros` are a whole line of them.
  InputLines(const ConvProblem<T>& p, const T* zeros)
      : p_(p),
        zeros_(zeros),
        length_(depthwise_line_size(p)),
        beyond_(length_ / p.groups - p.axis[2].low - p.axis[2].in),
        copies_(p.axis[2].low > 1 || beyond_ > 1 || p.axis[2].x_stride != p.groups),
        memory_(copies_ ? kSlots * length_ * int64_t{sizeof(T)} : 0) {}

  // The inputs of places [begin, begin + count) of output line `place` of image n, and of the lines
  // below it.
  DepthwiseLine<T> at(int64_t n, int64_t place, int64_t begin, int64_t count, int64_t rows = 1) {
    const ConvAxis &a = p_.axis[1], &last = p_.axis[2];
    const int64_t first = begin * last.stride;
    DepthwiseLine<T> x{count, p_.groups, last.stride, false, false, zeros_, {}};
    for (int64_t k = 0; k < (rows - 1) * a.stride + a.taps; ++k) {
      const int64_t line = place * a.stride - a.low + k * a.dilation;
      if (copies_) {
        x.lines[k] = copied(n, line) + first * p_.groups;
      } else if (0 <= line && line < a.in) {
        x.lines[k] = p_.x + n * p_.x_batch + line * a.x_stride + (first - last.low) * p_.groups;
      } else {
        x.lines[k] = zeros_;
      }
    }
    if (!copies_) {
      x.starts_outside = begin == 0 && last.low == 1;
      x.ends_outside = begin + count == last.out && beyond_ == 1;
    }
    return x;
  }

  // Lets `args` ask for the lines that are new to output line `place`.
  void ask_for(int64_t n, int64_t place, DepthwiseLineForward<T>& args) const {
    const ConvAxis &a = p_.axis[1], &last = p_.axis[2];
    const int64_t end = place * a.stride - a.low + (a.taps - 1) * a.dilation + 1;
    const int64_t lines = lesser(a.stride, a.taps), first = end - lines;
    const bool is_inside = first >= 0 && end <= a.in && last.x_stride == p_.groups &&
                           a.x_stride == last.in * p_.groups && a.dilation == 1;
    args.ahead_step =
        is_inside ? ceil_div(lines * a.x_stride * int64_t{sizeof(T)}, last.out) : int64_t{0};
    args.ahead = reinterpret_cast<const char*>(
        p_.x + (is_inside ? n * p_.x_batch + first * a.x_stride : int64_t{0}));
  }

  // The same for weight gradients, of the lines after that before output line `line` of (n, o).
  void ask_for(int64_t line, DepthwiseLineTaps<T>& args) const {
    const ConvAxis &a = p_.axis[1], &last = p_.axis[2];
    const int64_t first = line % a.out * a.stride - a.low + (a.taps - a.stride) * a.dilation;
    const bool is_inside = 0 <= first && first < a.in && last.x_stride == p_.groups &&
                           a.x_stride == last.in * p_.groups && a.dilation == 1;
    if (!is_inside) return;
    args.x_ahead =
        reinterpret_cast<const char*>(p_.x + line / a.out * p_.x_batch + first * a.x_stride);
  }

  // Lines that `at` can give before it needs their memory for others.
  int64_t lines_at_once() const { return copies_ ? 1 : kLinesTogether; }
  // Rows of one call, neighbours that share lines, if so many are left.
  int64_t rows_at_once(int64_t left) const {
    const ConvAxis &a = p_.axis[1], &last = p_.axis[2];
    const bool shares = !copies_ && a.dilation == 1 && a.stride == last.stride;
    const int64_t most = shares ? most_rows_together(p_) : 1;
    if (most > RowsTogether::few && left >= most) return most;
    return ceil_div(left, ceil_div(left, lesser(most, RowsTogether::few)));
  }

 private:
  static constexpr int64_t kSlots = 8;  // lines that are 1 or 3 apart share none

  const T* copied(int64_t n, int64_t line) {
    const int64_t slot = ((line % kSlots) + kSlots) % kSlots;
    T* const to = memory_.template as<T>() + slot * length_;
    if (!is_filled_[slot] || image_[slot] != n || line_[slot] != line) {
      fill(n, line, to);
      is_filled_[slot] = true, image_[slot] = n, line_[slot] = line;
    }
    return to;
  }

  void fill(int64_t n, int64_t line, T* to) const {
    const ConvAxis &a = p_.axis[1], &last = p_.axis[2];
    const int64_t channels = p_.groups, size = length_ / channels;
    if (line < 0 || line >= a.in) return std::fill_n(to, length_, T(0)), void();
    const int64_t begin = lesser(greater(last.low, 0), size);
    const int64_t end = greater(begin, lesser(last.low + last.in, size));
    std::fill_n(to, begin * channels, T(0));
    const T* from = p_.x + n * p_.x_batch + line * a.x_stride + (begin - last.low) * last.x_stride;
    if (last.x_stride == channels) {
      std::memcpy(to + begin * channels, from,
                  static_cast<size_t>((end - begin) * channels) * sizeof(T));
    } else {
      for (int64_t i = begin; i < end; ++i, from += last.x_stride) {
        std::copy_n(from, channels, to + i * channels);
      }
    }
    std::fill(to + end * channels, to + length_, T(0));
  }

  const ConvProblem<T>& p_;
  const T* zeros_;
  int64_t length_;
  int64_t beyond_;  // elements that windows reach behind the last one
  bool copies_;
  Workspace memory_;  // copies of lines
  bool is_filled_[kSlots] = {};
  int64_t image_[kSlots];
  int64_t line_[kSlots];
};

// Do the places of y fill lines of cache?
template <class T>
bool has_whole_lines(const ConvProblem<T>& p) {
  const auto is_whole = [](int64_t elements) {
    return elements * int64_t{sizeof(T)} % kLineBytes == 0;
  };
  return reinterpret_cast<uintptr_t>(p.y) % kLineBytes == 0 && is_whole(p.groups) &&
         is_whole(p.y_batch) && is_whole(p.axis[1].y_stride) && is_whole(p.axis[2].y_stride);
}

// Places of a weight gradient that one vector after the other reads.
template <class T>
int64_t places_together(const ConvProblem<T>& p) {
  const bool meet = p.groups * int64_t{sizeof(T)} % (8 * kLineBytes) == 0;
  return (meet ? kFewTogether : kPlacesTogether) / (p.axis[1].stride * p.axis[2].stride);
}

}  // namespace

template <class T>
int64_t depthwise_line_size(const ConvProblem<T>& p) {
  return ((p.axis[2].out - 1) * p.axis[2].stride + p.axis[2].taps) * p.groups;
}

template <class T>
bool has_depthwise_lines(const ConvProblem<T>& p) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const bool is_square = a.taps == 3 && last.taps == 3 && last.stride <= 2;
  const bool is_small = a.taps <= 2 && last.taps <= 2 && last.stride == 1;
  return p.channels == 1 && p.filters == 1 && p.axis[0].taps == 1 && p.axis[0].out == 1 &&
         p.axis[0].low == 0 && (is_square || is_small) && a.dilation <= 2 && last.dilation == 1 &&
         p.groups >= 4;
}

template <class T>
void conv_depthwise_lines(std::span<const ConvProblem<T>> parts, const T* const* weights) {
  int64_t most = 0, elements = 0, longest = 0;
  bool is_whole = true;
  for (const ConvProblem<T>& p : parts) {
    most = greater(most, p.axis[1].out);
    longest = greater(longest, depthwise_line_size(p));
    elements += p.axis[1].out * p.axis[2].out * p.groups;
    is_whole = is_whole && has_whole_lines(p);
  }
  // Lines of a band, as many as the kernel takes at a time or a multiple of it.
  const int64_t height =
      round_up(ceil_div(most, ceil_div(elements, kBandElements)), most_rows_together(parts[0]));
  const int64_t bands = ceil_div(most, height);
  const int64_t read = parts[0].batch * parts[0].x_batch * int64_t{sizeof(T)};
  const int64_t written = parts[0].batch * elements * int64_t{sizeof(T)};
  const bool writes_much = written > kCacheBytes / 2, is_large = read > kCacheBytes;
  // Nor does y stay in cache if x takes its place, but a buffer costs more than that gains.
  const bool past =
      is_whole &&
      (written > kPastBytes || (parts[0].tools.conv->stores_lines && read + written > kCacheBytes));
  const Workspace zeros(longest * int64_t{sizeof(T)});
  std::fill_n(zeros.as<T>(), longest, T(0));
  parallel_for(parts[0].batch * bands, [&](int64_t task) {
    const int64_t n = task / bands, band = task % bands;
    for (size_t i = 0; i < parts.size(); ++i) {
      const ConvProblem<T>& p = parts[i];
      const ConvAxis &a = p.axis[1], &last = p.axis[2];
      InputLines<T> lines(p, zeros.as<const T>());
      DepthwiseLineForward<T> args{{},
                                   {a.taps, last.taps},
                                   weights[i],
                                   nullptr,
                                   last.y_stride,
                                   a.y_stride,
                                   1,
                                   nullptr,
                                   0,
                                   0,
                                   past,
                                   is_large};
      const int64_t end = lesser((band + 1) * height, a.out);
      for (int64_t o = band * height; o < end; o += args.rows) {
        args.rows = lines.rows_at_once(end - o);
        lines.ask_for(n, o + args.rows, args);
        args.y_ahead = writes_much && o + args.rows < end ? a.y_stride : 0;
        args.x = lines.at(n, o, 0, last.out, args.rows);
        args.y = p.y + n * p.y_batch + o * a.y_stride;
        p.tools.conv->line(args);
      }
    }
    if (past) finish_bypass();
  });
}

// One chain: places [first, first + count) of (n, o..), some lines after the other.
template <class T>
void depthwise_lines_chain(const ConvProblem<T>& p, const T* zeros, const T* y, int64_t y_row,
                           Places places, Columns columns, T* sums) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  for (int64_t tap = 0; tap < 9; ++tap) {
    std::fill_n(sums + tap * p.groups + columns.begin, columns.end - columns.begin, T(0));
  }
  InputLines<T> input(p, zeros);
  const int64_t enough = places_together(p);
  const bool in_order = columns.end - columns.begin == p.groups && y_row == p.groups;
  DepthwiseTapLine<T> lines[kLinesTogether];
  while (places.count > 0) {
    DepthwiseLineTaps<T> args{lines, 0, columns.begin, columns.end, y_row, sums, nullptr, nullptr};
    int64_t together = 0;
    do {
      const int64_t begin = places.first % last.out, line = places.first / last.out;
      const int64_t count = lesser(places.count, last.out - begin);
      lines[args.count++] = {input.at(line / a.out, line % a.out, begin, count),
                             y + places.first * y_row};
      places.first += count, places.count -= count, together += count;
    } while (places.count > 0 && args.count < input.lines_at_once() && together < enough);
    if (in_order && places.count > 0) input.ask_for(places.first / last.out, args);
    if (args.x_ahead != nullptr)
      args.g_ahead = reinterpret_cast<const char*>(y + places.first * y_row);
    p.tools.conv->line_taps(args);
  }
}

template bool has_depthwise_lines(const ConvProblem<float>&);
template bool has_depthwise_lines(const ConvProblem<double>&);
template bool has_depthwise_lines(const ConvProblem<uint32_t>&);
template bool has_depthwise_lines(const ConvProblem<uint64_t>&);
template void conv_depthwise_lines(std::span<const ConvProblem<float>>, const float* const*);
template void conv_depthwise_lines(std::span<const ConvProblem<double>>, const double* const*);
template void conv_depthwise_lines(std::span<const ConvProblem<uint32_t>>, const uint32_t* const*);
template void conv_depthwise_lines(std::span<const ConvProblem<uint64_t>>, const uint64_t* const*);
template void depthwise_lines_chain(const ConvProblem<float>&, const float*, const float*, int64_t,
                                    Places, Columns, float*);
template int64_t depthwise_line_size(const ConvProblem<float>&);
template void depthwise_lines_chain(const ConvProblem<double>&, const double*, const double*,
                                    int64_t, Places, Columns, double*);
template int64_t depthwise_line_size(const ConvProblem<double>&);
template void depthwise_lines_chain(const ConvProblem<uint32_t>&, const uint32_t*, const uint32_t*,
                                    int64_t, Places, Columns, uint32_t*);
template int64_t depthwise_line_size(const ConvProblem<uint32_t>&);
template void depthwise_lines_chain(const ConvProblem<uint64_t>&, const uint64_t*, const uint64_t*,
                                    int64_t, Places, Columns, uint64_t*);
template int64_t depthwise_line_size(const ConvProblem<uint64_t>&);

}  // namespace weft::kernels
