// Depthwise windows of 3 x 3: lines of the input are copied with their padding, then read from
// cache by every window that meets them.
#include <algorithm>
#include <cstring>

#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kBandElements = 64 * 1024;  // of the output, computed by one task

// The lines of the input that the windows of one output line meet, each copied once while windows
// move on along the first axis.
template <class T>
class PaddedLines {
 public:
  explicit PaddedLines(const ConvProblem<T>& p)
      : p_(p),
        length_(((p.axis[2].out - 1) * p.axis[2].stride + 3) * p.groups),
        memory_(kSlots * length_ * int64_t{sizeof(T)}) {}

  // Of output line `place` of image n.
  void move_to(int64_t n, int64_t place, const T* (&lines)[3]) {
    const ConvAxis& a = p_.axis[1];
    for (int64_t k = 0; k < 3; ++k) {
      const int64_t line = place * a.stride - a.low + k * a.dilation;
      const int64_t slot = ((line % kSlots) + kSlots) % kSlots;
      T* const to = memory_.template as<T>() + slot * length_;
      if (!is_filled_[slot] || image_[slot] != n || line_[slot] != line) {
        fill(n, line, to);
        is_filled_[slot] = true, image_[slot] = n, line_[slot] = line;
      }
      lines[k] = to;
    }
  }

  // Lets `args` ask for the lines that are new to output line `place`.
  void ask_for(int64_t n, int64_t place, DepthwiseLineForward<T>& args) const {
    const ConvAxis &a = p_.axis[1], &last = p_.axis[2];
    const int64_t end = place * a.stride - a.low + 2 * a.dilation + 1;
    const int64_t lines = lesser(a.stride, 3), first = end - lines;
    const bool is_inside = first >= 0 && end <= a.in && last.x_stride == p_.groups &&
                           a.x_stride == last.in * p_.groups && a.dilation == 1;
    args.ahead_step =
        is_inside ? ceil_div(lines * a.x_stride * int64_t{sizeof(T)}, last.out) : int64_t{0};
    args.ahead = reinterpret_cast<const char*>(
        p_.x + (is_inside ? n * p_.x_batch + first * a.x_stride : int64_t{0}));
  }

 private:
  static constexpr int64_t kSlots = 8;  // lines that are 1 or 3 apart share none

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
  int64_t length_;
  Workspace memory_;
  bool is_filled_[kSlots] = {};
  int64_t image_[kSlots];
  int64_t line_[kSlots];
};

}  // namespace

template <class T>
bool has_depthwise_lines(const ConvProblem<T>& p) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  return p.channels == 1 && p.filters == 1 && p.axis[0].taps == 1 && p.axis[0].out == 1 &&
         p.axis[0].low == 0 && a.taps == 3 && a.dilation <= 2 && last.taps == 3 &&
         last.dilation == 1 && last.stride <= 2 && p.groups >= 4;
}

template <class T>
void conv_depthwise_lines(const ConvProblem<T>& p, const T* weights) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const int64_t channels = p.groups;
  const int64_t line = last.out * channels;
  const int64_t bands = lesser(a.out, ceil_div(a.out * line, kBandElements));
  parallel_for(p.batch * bands, [&](int64_t task) {
    const int64_t n = task / bands, band = task % bands;
    PaddedLines<T> lines(p);
    DepthwiseLineForward<T> args{
        {last.out, channels, last.stride, {}}, weights, nullptr, last.y_stride, nullptr, 0};
    for (int64_t o = band * a.out / bands; o < (band + 1) * a.out / bands; ++o) {
      lines.move_to(n, o, args.x.lines);
      args.y = p.y + n * p.y_batch + o * a.y_stride;
      lines.ask_for(n, o + 1, args);
      p.tools.conv->line(args);
    }
  });
}

// One chain: places [first, first + count) of (n, o..), line after line.
template <class T>
void depthwise_lines_chain(const ConvProblem<T>& p, const T* y, int64_t y_row, int64_t first,
                           int64_t count, T* sums) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const int64_t channels = p.groups;
  std::fill_n(sums, 9 * channels, T(0));
  PaddedLines<T> lines(p);
  while (count > 0) {
    const int64_t at = first % last.out, line = first / last.out;
    const int64_t places = lesser(count, last.out - at);
    DepthwiseLineTaps<T> args{{places, channels, last.stride, {}}, y + first * y_row, y_row, sums};
    lines.move_to(line / a.out, line % a.out, args.x.lines);
    for (const T*& x : args.x.lines) x += at * last.stride * channels;
    p.tools.conv->line_taps(args);
    first += places;
    count -= places;
  }
}

template bool has_depthwise_lines(const ConvProblem<float>&);
template bool has_depthwise_lines(const ConvProblem<double>&);
template bool has_depthwise_lines(const ConvProblem<uint32_t>&);
template bool has_depthwise_lines(const ConvProblem<uint64_t>&);
template void conv_depthwise_lines(const ConvProblem<float>&, const float*);
template void conv_depthwise_lines(const ConvProblem<double>&, const double*);
template void conv_depthwise_lines(const ConvProblem<uint32_t>&, const uint32_t*);
template void conv_depthwise_lines(const ConvProblem<uint64_t>&, const uint64_t*);
template void depthwise_lines_chain(const ConvProblem<float>&, const float*, int64_t, int64_t,
                                    int64_t, float*);
template void depthwise_lines_chain(const ConvProblem<double>&, const double*, int64_t, int64_t,
                                    int64_t, double*);
template void depthwise_lines_chain(const ConvProblem<uint32_t>&, const uint32_t*, int64_t, int64_t,
                                    int64_t, uint32_t*);
template void depthwise_lines_chain(const ConvProblem<uint64_t>&, const uint64_t*, int64_t, int64_t,
                                    int64_t, uint64_t*);

}  // namespace weft::kernels
