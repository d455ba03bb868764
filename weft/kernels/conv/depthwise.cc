// Depthwise convolution and its weight gradient: every channel has a window of its own.
#include <algorithm>
#include <deque>
#include <vector>

#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/conv/weights.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kTileElements = 16 * 1024;  // multiplications without the taps: about 10 us
constexpr int64_t kTasksWanted = 8;
constexpr int64_t kLeastChannels = 32;  // of a task

}  // namespace

template <class T>
void conv_depthwise(const ConvProblem<T>& p) {
  constexpr int64_t kSize = sizeof(T), kPointer = sizeof(T*);
  const int64_t taps = p.taps(), channels = p.groups;
  const DepthwiseWeights<T> weights(p);
  const Workspace zeros(channels * kSize);
  std::fill_n(zeros.as<T>(), channels, T(0));
  const int64_t rows_each = greater(4, kTileElements / channels / 4 * 4);
  parallel_for(ceil_div(p.rows(), rows_each), [&](int64_t tile) {
    const int64_t first = tile * rows_each, rows = lesser(rows_each, p.rows() - first);
    const Workspace pointers((taps + 1) * rows * kPointer);
    const T** table = pointers.as<const T*>();
    T** y = const_cast<T**>(table + taps * rows);
    fill_table<T>(p, false, zeros.as<const T>(), first, rows, table, rows, y);
    p.tools.conv->depthwise({rows, channels, taps, table, rows, weights.data(), channels, y});
  });
}

template <class T>
void conv_depthwise(std::span<const ConvProblem<T>> phases) {
  for (const ConvProblem<T>& p : phases) {
    if (has_depthwise_lines(p)) continue;
    for (const ConvProblem<T>& each : phases) conv_depthwise(each);
    return;
  }
  if (phases.empty()) return;
  std::deque<DepthwiseWeights<T>> weights;
  std::vector<const T*> pointers;
  for (const ConvProblem<T>& p : phases) pointers.push_back(weights.emplace_back(p).data());
  conv_depthwise_lines(phases, pointers.data());
}

// Chains are computed side by side and added in ascending order. Where they are few, their channels
// are shared out.
template <class T>
void conv_dw_depthwise(const ConvProblem<T>& p, const T* y, int64_t y_row, T* w) {
  constexpr int64_t kSize = sizeof(T), kPointer = sizeof(T*), kAtOnce = 64;
  const int64_t taps = p.taps(), channels = p.groups, size = taps * channels;
  const int64_t chains = ceil_div(p.rows(), kChain);
  const bool by_lines = has_depthwise_lines(p) && taps == 9;
  // No column's bits depend on how columns are shared out. One thread reads memory in order.
  const int64_t wanted = num_threads() > 1 ? ceil_div(kTasksWanted, chains) : int64_t{1};
  const int64_t parts = by_lines ? greater(1, lesser(wanted, channels / kLeastChannels)) : 1;
  const int64_t part = round_up(ceil_div(channels, parts), kLeastChannels / 2);
  const int64_t longest = by_lines ? depthwise_line_size(p) : channels;
  const Workspace zeros(longest * kSize), sums(lesser(chains, kAtOnce) * size * kSize);
  std::fill_n(zeros.as<T>(), longest, T(0));
  for (int64_t begin = 0; begin < chains; begin += kAtOnce) {
    const int64_t count = lesser(kAtOnce, chains - begin);
    parallel_for(count * ceil_div(channels, part), [&](int64_t task) {
      const int64_t i = task % count, column = task / count * part;
      const int64_t first = (begin + i) * kChain, rows = lesser(kChain, p.rows() - first);
      T* const own = sums.as<T>() + i * size;
      if (by_lines) {
        return depthwise_lines_chain(p, zeros.as<const T>(), y, y_row, {first, rows},
                                     {column, lesser(column + part, channels)}, own);
      }
      const Workspace pointers((taps + 1) * rows * kPointer);
      const T** table = pointers.as<const T*>();
      const T** g = table + taps * rows;
      fill_table<T>(p, false, zeros.as<const T>(), first, rows, table, rows, nullptr);
      for (int64_t r = 0; r < rows; ++r) g[r] = y + (first + r) * y_row;
      p.tools.conv->depthwise_taps({rows, channels, taps, table, rows, g, own, channels});
    });
    for (int64_t i = 0; i < count; ++i) {
      if (begin + i == 0) {
        std::copy_n(sums.as<T>(), size, w);
      } else {
        p.tools.conv->add(w, sums.as<T>() + i * size, size, false);
      }
    }
  }
  p.tools.conv->add(w, nullptr, size, true);
}

template void conv_depthwise(const ConvProblem<float>&);
template void conv_depthwise(std::span<const ConvProblem<float>>);
template void conv_depthwise(const ConvProblem<double>&);
template void conv_depthwise(std::span<const ConvProblem<double>>);
template void conv_depthwise(const ConvProblem<uint32_t>&);
template void conv_depthwise(std::span<const ConvProblem<uint32_t>>);
template void conv_depthwise(const ConvProblem<uint64_t>&);
template void conv_depthwise(std::span<const ConvProblem<uint64_t>>);
template void conv_dw_depthwise(const ConvProblem<float>&, const float*, int64_t, float*);
template void conv_dw_depthwise(const ConvProblem<double>&, const double*, int64_t, double*);
template void conv_dw_depthwise(const ConvProblem<uint32_t>&, const uint32_t*, int64_t, uint32_t*);
template void conv_dw_depthwise(const ConvProblem<uint64_t>&, const uint64_t*, int64_t, uint64_t*);

}  // namespace weft::kernels
