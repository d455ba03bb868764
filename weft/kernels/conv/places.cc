// Convolution as a product of matrices that are never made: rows of the input by pointers, weights
// packed once.
#include <algorithm>

#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kTileBytes = 240 * 1024;   // of the input under one tile and chain: stays in L2
constexpr int64_t kTablePointers = 1 << 17;  // of one tile
constexpr int64_t kTilesWanted = 16;         // enough for some threads to share evenly
constexpr int64_t kLeastTile = 1 << 18;      // multiplications; less is not worth a task
constexpr int64_t kMostTaps = 128;           // packed together, if they lie so
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

// The weights in panels, chain after chain of each group.
template <class T>
class PackedWeights {
 public:
  explicit PackedWeights(const ConvProblem<T>& p)
      : p_(p),
        steps_(p.taps() * p.channels),
        cols_(round_up(p.filters, p.tools.product->max_cols)),
        memory_((checked_mul(checked_mul(steps_, cols_), p.groups) + p.tools.product->lanes) *
                int64_t{sizeof(T)}) {
    const int64_t width = p.tools.product->max_cols, panels = cols_ / width;
    const int64_t chains = ceil_div(steps_, p.chain());
    if (has_inner_taps()) {
      const int64_t blocks = ceil_div(p.channels, kChannelsAtOnce);
      parallel_for(p.groups * panels * blocks, [&](int64_t task) {
        pack_taps(task / blocks / panels, task / blocks % panels * width,
                  task % blocks * kChannelsAtOnce);
      });
      return;
    }
    parallel_for(p.groups * chains * panels, [&](int64_t task) {
      pack(task / panels / chains, task / panels % chains * p.chain(), task % panels * width);
    });
  }

  // Panels from column j (a multiple of the panel's width) on, for the chain that begins at step k.
  T* at(int64_t group, int64_t k, int64_t j) const {
    const int64_t depth = lesser(p_.chain(), steps_ - k);
    return memory_.template as<T>() + (group * steps_ + k) * cols_ + j * depth;
  }

 private:
  static constexpr int64_t kChannelsAtOnce = 32;

  // Are the taps innermost in memory, in order or all of them reversed? So they are where weights
  // are [filters, channels, taps..].
  bool has_inner_taps() const {
    const ConvAxis(&a)[kConvAxes] = p_.axis;
    const int64_t strides[] = {a[1].taps * a[2].taps, a[2].taps, 1};
    if (p_.taps() == 1 || p_.taps() > kMostTaps || p_.tools.parts != 1) return false;
    bool in_order = true, reversed = true;
    for (int d = 0; d < kConvAxes; ++d) {
      in_order = in_order && (a[d].taps == 1 || a[d].w_stride == strides[d]);
      reversed = reversed && (a[d].taps == 1 || a[d].w_stride == -strides[d]);
    }
    return (in_order || reversed) && p_.w_filter != 1;
  }

  // Some channels of one panel: all taps are transposed as they lie, then put where they belong.
  void pack_taps(int64_t group, int64_t j, int64_t first) const {
    const int64_t taps = p_.taps(), channels = lesser(kChannelsAtOnce, p_.channels - first);
    const int64_t cols = lesser(p_.tools.product->max_cols, p_.filters - j);
    const int64_t width = round_up(cols, p_.tools.product->lanes);
    bool reversed = false;
    for (const ConvAxis& a : p_.axis) reversed = reversed || (a.taps > 1 && a.w_stride < 0);
    const int64_t low = reversed ? 1 - taps : 0;
    const Workspace room((channels * taps * width + p_.tools.product->lanes) * int64_t{sizeof(T)});
    const bool merges = p_.w_channel == taps;
    for (int64_t c = 0; c < channels; c += merges ? channels : 1) {
      const int64_t offset = (group * p_.filters + j) * p_.w_filter + (first + c) * p_.w_channel;
      p_.tools.storage->pack_b(Packing{room.as<T>() + c * taps * width,
                                       p_.w + (offset + low) * p_.tools.element, cols,
                                       merges ? channels * taps : taps, p_.w_filter, 1});
    }
    for (int64_t tap = 0; tap < taps; ++tap) {
      const T* from = room.as<T>() + (reversed ? taps - 1 - tap : tap) * width;
      for (int64_t c = 0; c < channels; ++c, from += taps * width) {
        const int64_t k = tap * p_.channels + first + c, chain = k / p_.chain() * p_.chain();
        std::copy_n(from, width, at(group, chain, j) + (k - chain) * width);
      }
    }
  }

  // One panel, stretch by stretch: the channels of a tap.
  void pack(int64_t group, int64_t k, int64_t j) const {
    const int64_t end = lesser(k + p_.chain(), steps_);
    const int64_t cols = lesser(p_.tools.product->max_cols, p_.filters - j);
    const int64_t width = round_up(cols, p_.tools.product->lanes), parts = p_.tools.parts;
    T* to = at(group, k, j);
    while (k < end) {
      const int64_t tap = k / p_.channels, channel = k % p_.channels;
      const int64_t steps = lesser(p_.channels - channel, end - k);
      int64_t offset = (group * p_.filters + j) / parts * p_.w_filter +
                       channel / parts * p_.w_channel + tap % p_.axis[2].taps * p_.axis[2].w_stride;
      const int64_t outer = tap / p_.axis[2].taps;
      offset += outer % p_.axis[1].taps * p_.axis[1].w_stride +
                outer / p_.axis[1].taps * p_.axis[0].w_stride;
      p_.tools.storage->pack_b(
          Packing{to, p_.w + offset * p_.tools.element, cols, steps, p_.w_filter, p_.w_channel});
      to += steps * width;
      k += steps;
    }
  }

  const ConvProblem<T>& p_;
  int64_t steps_;
  int64_t cols_;
  Workspace memory_;
};

}  // namespace

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
                              chain_flags(k, end, steps), segments == 1});
      }
    }
  });
}

template void conv_places(const ConvProblem<float>&);
template void conv_places(const ConvProblem<double>&);
template void conv_places(const ConvProblem<uint32_t>&);
template void conv_places(const ConvProblem<uint64_t>&);

}  // namespace weft::kernels
