// Few channels (a first layer), line by line of the output: all taps of a line are one stretch of
// the input, at equal distances from place to place, and read where they lie.
#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/conv/weights.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kMostLines = 16;       // of a window
constexpr int64_t kLeastBand = 1 << 19;  // multiplications of a task, unless tasks are few
constexpr int64_t kTasksWanted = 16;
constexpr int64_t kPlacesTogether = 24;  // stretches have whole tiles of the kernels

// Places of an output line whose windows reach outside at its begin and its end are computed from
// copies with padding; those between read x.
struct Inside {
  int64_t begin;
  int64_t end;

  explicit Inside(const ConvAxis& a) {
    begin = lesser(ceil_div(greater(a.low, 0), a.stride), a.out);
    const int64_t last = a.in + a.low - a.taps;  // where the last window inside begins
    end = greater(begin, last < 0 ? 0 : lesser(last / a.stride + 1, a.out));
  }
};

// Elements that the windows of some neighbouring places meet.
int64_t span_of(const ConvAxis& a, int64_t places) { return (places - 1) * a.stride + a.taps; }

// What places [begin, end) meet on the line at x, or zeros if it is null.
template <class T>
void copy_padded(const ConvProblem<T>& p, const T* x, int64_t begin, int64_t end, T* to) {
  const ConvAxis& a = p.axis[2];
  const int64_t first = begin * a.stride - a.low, count = span_of(a, end - begin);
  for (int64_t i = first; i < first + count; ++i, to += p.channels) {
    if (x != nullptr && 0 <= i && i < a.in) {
      std::copy_n(x + i * p.channels, p.channels, to);
    } else {
      std::fill_n(to, p.channels, T(0));
    }
  }
}

// Computes lines of the output.
template <class T>
class LineRuns {
 public:
  LineRuns(const ConvProblem<T>& p, const T* zeros, const T* weights)
      : p_(p), zeros_(zeros), weights_(weights), inside_(p.axis[2]) {
    const int64_t edge = greater(inside_.begin, p.axis[2].out - inside_.end);
    copy_size_ = edge == 0 ? 0 : span_of(p.axis[2], edge) * p.channels;
    copies_.renew(p.axis[1].taps * copy_size_ * int64_t{sizeof(T)});
  }

  // Places [begin, end) of line o of image n.
  void compute(int64_t n, int64_t o, int64_t begin, int64_t end) {
    const ConvAxis& a = p_.axis[1];
    for (int64_t k = 0; k < a.taps; ++k) {
      const int64_t line = o * a.stride - a.low + k * a.dilation;
      const bool is_inside = 0 <= line && line < a.in;
      lines_[k] = is_inside ? p_.x + n * p_.x_batch + line * a.x_stride : nullptr;
    }
    T* const y = p_.y + n * p_.y_batch + o * a.y_stride;
    const int64_t from = lesser(greater(begin, inside_.begin), end);
    const int64_t upto = lesser(greater(from, inside_.end), end);
    run_copied(begin, from, y);
    const int64_t first = from * p_.axis[2].stride - p_.axis[2].low;
    const T* x[kMostLines];
    for (int64_t k = 0; k < a.taps; ++k) {
      x[k] = lines_[k] == nullptr ? zeros_ : lines_[k] + first * p_.channels;
    }
    if (from < upto) run(x, from, upto, y);
    run_copied(upto, end, y);
  }

 private:
  void run_copied(int64_t begin, int64_t end, T* y) {
    if (begin == end) return;
    const T* x[kMostLines];
    for (int64_t k = 0; k < p_.axis[1].taps; ++k) {
      T* const copy = copies_.template as<T>() + k * copy_size_;
      copy_padded(p_, lines_[k], begin, end, copy);
      x[k] = copy;
    }
    run(x, begin, end, y);
  }

  void run(const T* const* x, int64_t begin, int64_t end, T* y) {
    const ConvAxis& a = p_.axis[2];
    p_.tools.conv->line_product({end - begin, p_.filters, p_.axis[1].taps, a.taps * p_.channels, x,
                                 a.stride * p_.channels, weights_, y + begin * a.y_stride,
                                 a.y_stride});
  }

  const ConvProblem<T>& p_;
  const T* zeros_;  // as many as any line has
  const T* weights_;
  Inside inside_;
  int64_t copy_size_;
  Workspace copies_;
  const T* lines_[kMostLines];  // of x, or null
};

}  // namespace

template <class T>
bool has_few_channels(const ConvProblem<T>& p) {
  return pads_lines(p) && p.axis[2].x_stride == p.channels && p.axis[1].taps <= kMostLines &&
         p.taps() * p.channels <= p.chain();
}

template <class T>
void conv_few_channels(const ConvProblem<T>& p) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const int64_t lines = p.batch * a.out;
  if (p.rows() == 0) return;
  const PackedWeights<T> weights(p);
  const int64_t longest = span_of(last, last.out) * p.channels;
  const Workspace zeros(longest * int64_t{sizeof(T)});
  std::fill_n(zeros.as<T>(), longest, T(0));
  // A task is some lines, or, where lines are few and long, a stretch of one.
  const int64_t place = p.taps() * p.channels * p.filters;
  const int64_t band = greater(1, lesser(kLeastBand / (last.out * place), lines / kTasksWanted));
  const int64_t wanted = lesser(ceil_div(kTasksWanted, lines), last.out * place / kLeastBand);
  const int64_t stretch = round_up(ceil_div(last.out, greater(1, wanted)), kPlacesTogether);
  const int64_t stretches = ceil_div(last.out, stretch);
  parallel_for(ceil_div(lines, band) * stretches, [&](int64_t task) {
    LineRuns<T> runs(p, zeros.as<const T>(), weights.at(0, 0, 0));
    const int64_t first = task / stretches * band, begin = task % stretches * stretch;
    for (int64_t i = first; i < lesser(lines, first + band); ++i) {
      runs.compute(i / a.out, i % a.out, begin, lesser(last.out, begin + stretch));
    }
  });
}

template bool has_few_channels(const ConvProblem<float>&);
template bool has_few_channels(const ConvProblem<double>&);
template bool has_few_channels(const ConvProblem<uint32_t>&);
template bool has_few_channels(const ConvProblem<uint64_t>&);
template void conv_few_channels(const ConvProblem<float>&);
template void conv_few_channels(const ConvProblem<double>&);
template void conv_few_channels(const ConvProblem<uint32_t>&);
template void conv_few_channels(const ConvProblem<uint64_t>&);

}  // namespace weft::kernels
