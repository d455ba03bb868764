// The weight gradient of few channels (a first layer): along a line of the output every weight's
// inputs lie at equal distances, so nothing is unfolded or packed.
#include <algorithm>

#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kFewWeights = 1 << 14;  // every chain has sums of its own
constexpr int64_t kChainsAtOnce = 64;
constexpr int64_t kShort = 16;  // elements behind the last line

// One chain: places [first, first + count) of (n, o..), line after line.
template <class T>
void sum_chain(const ConvProblem<T>& p, const T* y, int64_t y_row, int64_t first, int64_t count,
               T* sums) {
  const int64_t stretches = p.taps() / p.axis[2].taps, out = p.axis[2].out;
  const Workspace lines((padded_lines_size(p, count) + kShort) * int64_t{sizeof(T)});
  const Workspace pointers(checked_mul(stretches, count) * int64_t{sizeof(T*)});
  const T** const table = pointers.as<const T*>();
  fill_padded_table<T>(p, lines.as<T>(), first, count, table, count, nullptr);
  std::fill_n(sums, p.taps() * p.channels * p.filters, T(0));
  for (int64_t r = 0; r < count;) {
    const int64_t places = lesser(count - r, out - (first + r) % out);
    p.tools.conv->line_weights({places,
                                stretches,
                                p.axis[2].taps * p.channels,
                                table + r,
                                count,
                                p.axis[2].stride * p.channels,
                                y + (first + r) * y_row,
                                y_row,
                                p.filters,
                                sums,
                                {},
                                {}});
    r += places;
  }
}

}  // namespace

template <class T>
bool has_line_weights(const ConvProblem<T>& p) {
  return pads_lines(p) && p.taps() * p.channels * p.filters <= kFewWeights;
}

template <class T>
void add_chains(const ConvTools<T>& tools, int64_t places, int64_t weights, T* w,
                FunctionRef<void(int64_t, int64_t, T*)> sum_chain) {
  const int64_t chains = ceil_div(places, kChain);
  const Workspace memory(lesser(chains, kChainsAtOnce) * weights * int64_t{sizeof(T)});
  T* const sums = memory.as<T>();
  for (int64_t begin = 0; begin < chains; begin += kChainsAtOnce) {
    const int64_t count = lesser(kChainsAtOnce, chains - begin);
    parallel_for(count, [&](int64_t i) {
      const int64_t first = (begin + i) * kChain;
      sum_chain(first, lesser(kChain, places - first), sums + i * weights);
    });
    for (int64_t i = 0; i < count; ++i) {
      if (begin + i == 0) {
        std::copy_n(sums, weights, w);
      } else {
        tools.conv->add(w, sums + i * weights, weights, false);
      }
    }
  }
  tools.conv->add(w, nullptr, weights, true);
}

template <class T>
void conv_dw_lines(const ConvProblem<T>& p, const T* y, int64_t y_row, T* w) {
  add_chains<T>(
      p.tools, p.rows(), p.taps() * p.channels * p.filters, w,
      [&](int64_t first, int64_t count, T* sums) { sum_chain(p, y, y_row, first, count, sums); });
}

template bool has_line_weights(const ConvProblem<float>&);
template bool has_line_weights(const ConvProblem<double>&);
template bool has_line_weights(const ConvProblem<uint32_t>&);
template bool has_line_weights(const ConvProblem<uint64_t>&);
template void add_chains(const ConvTools<float>&, int64_t, int64_t, float*,
                         FunctionRef<void(int64_t, int64_t, float*)>);
template void add_chains(const ConvTools<double>&, int64_t, int64_t, double*,
                         FunctionRef<void(int64_t, int64_t, double*)>);
template void add_chains(const ConvTools<uint32_t>&, int64_t, int64_t, uint32_t*,
                         FunctionRef<void(int64_t, int64_t, uint32_t*)>);
template void add_chains(const ConvTools<uint64_t>&, int64_t, int64_t, uint64_t*,
                         FunctionRef<void(int64_t, int64_t, uint64_t*)>);
template void conv_dw_lines(const ConvProblem<float>&, const float*, int64_t, float*);
template void conv_dw_lines(const ConvProblem<double>&, const double*, int64_t, double*);
template void conv_dw_lines(const ConvProblem<uint32_t>&, const uint32_t*, int64_t, uint32_t*);
template void conv_dw_lines(const ConvProblem<uint64_t>&, const uint64_t*, int64_t, uint64_t*);

}  // namespace weft::kernels
