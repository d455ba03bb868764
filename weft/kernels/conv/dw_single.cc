// The weight gradient of one tap, if there are few weights: x and y are matrices of (places,
// channels) and (places, filters), which are read where they lie.
#include <algorithm>
#include <utility>

#include "weft/base/checked.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kFewWeights = 1 << 12;    // every chain has sums of its own, which stay in L1
constexpr int64_t kLeastChains = 8;         // so that threads share them evenly
constexpr int64_t kBlockBytes = 20 * 1024;  // of both matrices: stays in L1 for all sums
constexpr int64_t kLeastPlaces = 48;        // of a block: sums are loaded and stored for each

// sums[r, c] = the chain over places of rows[place, r] * cols[place, c].
template <class T>
struct ThinProduct {
  int64_t places;
  const T* rows;
  int64_t row_count;
  int64_t rows_step;
  const T* cols;
  int64_t col_count;
  int64_t cols_step;
};

template <class T>
void sum_chain(const ConvTools<T>& tools, const ThinProduct<T>& p, int64_t first, int64_t count,
               T* sums) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t place_bytes = (p.row_count + p.col_count) * int64_t{sizeof(T)};
  const int64_t block = greater(kLeastPlaces, kBlockBytes / place_bytes);
  std::fill_n(sums, p.row_count * p.col_count, T(0));
  for (int64_t i = first; i < first + count; i += block) {
    const int64_t next = i + block, more = greater(0, lesser(block, p.places - next));
    const T *const rows = p.rows + i * p.rows_step, *const cols = p.cols + i * p.cols_step;
    tools.conv->line_weights({lesser(block, first + count - i),
                              1,
                              p.row_count,
                              &rows,
                              0,
                              p.rows_step,
                              cols,
                              p.cols_step,
                              p.col_count,
                              sums,
                              {reinterpret_cast<const char*>(rows + block * p.rows_step),
                               reinterpret_cast<const char*>(cols + block * p.cols_step)},
                              {more * p.rows_step / kLine, more * p.cols_step / kLine}});
  }
}

template <class T>
void multiply(const ConvTools<T>& tools, const ThinProduct<T>& p, T* w) {
  add_chains<T>(
      tools, p.places, p.row_count * p.col_count, w,
      [&](int64_t first, int64_t count, T* sums) { sum_chain(tools, p, first, count, sums); });
}

}  // namespace

bool has_thin_weights(const ConvArgs& args) {
  const int64_t places =
      checked_mul(args.batch, args.axis[0].out * args.axis[1].out * args.axis[2].out);
  const RowStrides rows = single_tap_rows(args);
  return rows.x > 0 && rows.y > 0 && args.x_channel == 1 && args.y_channel == 1 &&
         !is_complex(args.dtype) && args.channels * args.filters <= kFewWeights &&
         args.channels * args.filters > 0 && places > (kLeastChains - 1) * kChain;
}

template <class T>
void conv_dw_thin(const ConvArgs& args, const ConvTools<T>& tools, RowStrides rows) {
  const int64_t places = args.batch * args.axis[0].out * args.axis[1].out * args.axis[2].out;
  ThinProduct<T> p{places, reinterpret_cast<const T*>(args.x), args.channels,
                   rows.x, reinterpret_cast<const T*>(args.y), args.filters,
                   rows.y};
  int64_t row = args.w_channel, col = args.w_filter;
  if (p.row_count > p.col_count) {  // the more columns, the fewer lanes stay empty
    std::swap(p.rows, p.cols), std::swap(p.row_count, p.col_count);
    std::swap(p.rows_step, p.cols_step), std::swap(row, col);
  }
  T* const w = reinterpret_cast<T*>(args.w);
  if (col == 1 && row == p.col_count) return multiply(tools, p, w);
  const Workspace sums(p.row_count * p.col_count * int64_t{sizeof(T)});
  multiply(tools, p, sums.as<T>());
  const T* from = sums.as<const T>();
  for (int64_t r = 0; r < p.row_count; ++r) {
    for (int64_t c = 0; c < p.col_count; ++c) w[r * row + c * col] = *from++;
  }
}

template void conv_dw_thin(const ConvArgs&, const ConvTools<float>&, RowStrides);
template void conv_dw_thin(const ConvArgs&, const ConvTools<double>&, RowStrides);
template void conv_dw_thin(const ConvArgs&, const ConvTools<uint32_t>&, RowStrides);
template void conv_dw_thin(const ConvArgs&, const ConvTools<uint64_t>&, RowStrides);

}  // namespace weft::kernels
