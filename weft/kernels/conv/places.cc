// Convolution as a product of matrices that are never made: rows of the input by pointers, weights
// in panels.
#include <algorithm>

#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/conv/weights.h"
#include "weft/kernels/matmul/workspace.h"
#include "weft/kernels/stream.h"

namespace weft::kernels {
namespace {

constexpr int64_t kTileBytes = 240 * 1024;   // of the input under one tile and chain: stays in L2
constexpr int64_t kTablePointers = 1 << 17;  // of one tile
constexpr int64_t kTilesWanted = 16;         // enough for some threads to share evenly
constexpr int64_t kLeastTile = 1 << 18;      // multiplications; less is not worth a task
constexpr int64_t kLeastCols = 64;           // narrower tiles read the input too often

// How y is cut, by the shape alone.
struct Cut {
  int64_t rows;  // of a tile
  int64_t cols;
  int64_t row_tiles;
  int64_t col_tiles;
};

template <class T>
Cut cut_of(const ConvProblem<T>& p, int64_t steps, int64_t segments) {
  const int64_t panel = 6 * 4, width = p.tools.product->max_cols, total = p.rows();
  const int64_t depth = lesser(greater(steps, 1), p.chain());
  const int64_t most =
      greater(lesser(kTileBytes / (depth * int64_t{sizeof(T)}), kTablePointers / segments) / panel,
              1) *
      panel;
  const int64_t each = greater(1, steps) * p.filters * p.groups;  // multiplications of a row
  const int64_t wanted =
      greater(1, lesser(kTilesWanted, each > kLeastTile ? total : total * each / kLeastTile));
  Cut cut;
  cut.row_tiles = ceil_div(total, lesser(most, total));
  // Two and four threads get equally many tiles.
  if (cut.row_tiles > 1) cut.row_tiles = round_up(cut.row_tiles, 4);
  cut.row_tiles = greater(cut.row_tiles, lesser(wanted, ceil_div(total, 2 * panel)));
  cut.rows = ceil_div(total, cut.row_tiles);
  if (cut.rows > panel / 4) cut.rows = round_up(cut.rows, panel / 4);
  cut.row_tiles = ceil_div(total, cut.rows);
  cut.col_tiles = 1;
  if (cut.row_tiles < wanted && p.groups == 1) {
    cut.col_tiles = greater(1, lesser(ceil_div(wanted, cut.row_tiles), p.filters / kLeastCols));
  }
  cut.cols = round_up(ceil_div(p.filters, cut.col_tiles), width);
  cut.col_tiles = ceil_div(p.filters, cut.cols);
  return cut;
}

}  // namespace

// Is y so large that it does not stay in the caches, its rows whole lines, and written once?
template <class T>
bool goes_past_caches(const ConvProblem<T>& p, int64_t steps) {
  constexpr int64_t kLine = kLineBytes / sizeof(T);
  bool is_whole = reinterpret_cast<uintptr_t>(p.y) % kLineBytes == 0 && p.filters % kLine == 0 &&
                  p.y_batch % kLine == 0;
  for (const ConvAxis& a : p.axis) is_whole = is_whole && a.y_stride % kLine == 0;
  const int64_t least = p.tools.conv->stores_lines ? kPastBytes : kBypassBytes;
  return is_whole && steps <= p.chain() &&
         p.rows() * p.groups * p.filters * int64_t{sizeof(T)} > least;
}

template <class T>
void conv_places(const ConvProblem<T>& problem) {
  constexpr int64_t kSize = sizeof(T), kPointer = sizeof(T*);
  const bool joined = wants_padding(problem), by_lines = pads_lines(problem);
  const Workspace copy(joined && !by_lines ? padded_size(problem) * kSize : 0);
  const ConvProblem<T> p = joined && !by_lines ? padded(problem, copy.as<T>()) : problem;
  const int64_t steps = p.taps() * p.channels;
  const int64_t segments = p.taps() / (joined ? p.axis[2].taps : 1);
  const int64_t length = steps / segments, all_channels = p.groups * p.channels;
  const PackedWeights<T> weights(p);
  const Workspace zeros(all_channels * kSize);
  for (int64_t i = 0; i < all_channels; ++i) zeros.as<T>()[i] = T(0);
  const Cut cut = cut_of(p, steps, segments);
  const bool past = goes_past_caches(p, steps);
  parallel_for(cut.row_tiles * cut.col_tiles, [&](int64_t tile) {
    const int64_t first = tile / cut.col_tiles * cut.rows;
    const int64_t rows = lesser(cut.rows, p.rows() - first);
    const int64_t j = tile % cut.col_tiles * cut.cols, cols = lesser(cut.cols, p.filters - j);
    const Workspace pointers((segments + 1) * rows * kPointer);
    const T** table = pointers.as<const T*>();
    T** y = const_cast<T**>(table + segments * rows);
    const Workspace lines(by_lines ? padded_lines_size(p, rows) * kSize : 0);
    if (by_lines) {
      fill_padded_table(p, lines.as<T>(), first, rows, table, rows, y);
    } else {
      fill_table(p, joined, zeros.as<const T>(), first, rows, table, rows, y);
    }
    for (int64_t group = 0; group < p.groups; ++group) {
      for (int64_t k = 0; k < steps; k += p.chain()) {
        const int64_t end = lesser(k + p.chain(), steps);
        p.tools.conv->places({rows, cols, length, k, end, table, rows, group * p.channels,
                              weights.at(group, k, j), y, group * p.filters + j,
                              chain_flags(k, end, steps), segments == 1, past});
      }
    }
    if (past) finish_bypass();
  });
}

template void conv_places(const ConvProblem<float>&);
template void conv_places(const ConvProblem<double>&);
template void conv_places(const ConvProblem<uint32_t>&);
template void conv_places(const ConvProblem<uint64_t>&);

}  // namespace weft::kernels
