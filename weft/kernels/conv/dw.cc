// The weight gradient as products of matrices: places are the steps, filters the rows, channels of
// a tap the columns.
#include <algorithm>
#include <cstring>

#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kRoundBytes = 1 << 20;  // of packed y: what all tiles of a round read
constexpr int64_t kMostRows = 128;        // of a tile: its packed rows stay in L2
constexpr int64_t kMostCols = 128;
constexpr int64_t kTilesWanted = 16;
constexpr int64_t kShort = 16;  // elements of a stretch
constexpr int64_t kFewWeights = 1 << 12;
constexpr int64_t kChainsWanted = 16;
constexpr int64_t kCacheBytes = 16 << 20;  // more does not stay in cache from op to op

// Some chains of all places: y packed, and pointers to what each tap meets.
template <class T>
class Round {
 public:
  Round(const ConvProblem<T>& problem, bool joined, const char* y, int64_t y_row, T* w)
      : p(problem),
        joined_(joined),
        stretches_(p.taps() / (joined ? p.axis[2].taps : 1)),
        segments_(joined ? 1 : p.taps()),
        together_(joined ? 1 : p.axis[2].taps),
        channels_(p.channels * (joined ? p.taps() : 1)),
        y_(y),
        y_row_(y_row),
        w_(w) {
    cut();
    packs_ = segments_ > 1 || p.groups > 1 || p.tools.storage->store != nullptr ||
             channels_ > 2 * p.tools.product->max_cols;
    const int64_t chain = checked_mul(kChain * p.groups, p.filters) * kSize + slack();
    chains_ = lesser(greater(kRoundBytes / chain, by_chains() ? kChainsWanted : 1),
                     ceil_div(p.rows(), kChain));
    if (by_chains()) sums_.renew(chains_ * size() * kSize);
    if (packs_) packed_.renew(chains_ * p.groups * row_tiles_ * tile_bytes());
    table_.renew(checked_mul(chains_ * kChain, stretches_) * int64_t{sizeof(T*)});
    if (joined_) unfolded_.renew(chains_ * unfolded_size() * kSize);
    zeros_.renew(p.groups * p.channels * kSize);
    for (int64_t i = 0; i < p.groups * p.channels; ++i) zeros_.template as<T>()[i] = T(0);
  }

  void run() {
    const int64_t packings = packs_ ? p.groups * row_tiles_ : 0;
    const int64_t tiles = segments_ / together_ * row_tiles_ * col_tiles_ * p.groups;
    for (first_ = 0; first_ < p.rows(); first_ += chains_ * kChain) {
      rows_ = lesser(chains_ * kChain, p.rows() - first_);
      const int64_t count = ceil_div(rows_, kChain);
      if (by_chains()) {
        parallel_for(count, [&](int64_t chain) {
          for (int64_t part = 0; part <= packings; ++part) prepare(chain, part);
          for (int64_t tile = 0; tile < tiles; ++tile) multiply(tile, chain, chain + 1);
        });
        add_sums(count);
        continue;
      }
      parallel_for(count * (packings + 1),
                   [&](int64_t task) { prepare(task / (packings + 1), task % (packings + 1)); });
      parallel_for(tiles, [&](int64_t tile) { multiply(tile, 0, count); });
    }
    if (by_chains()) p.tools.conv->add(w_, nullptr, size(), true);
  }

 private:
  static constexpr int64_t kSize = sizeof(T);

  int64_t size() const { return p.taps() * p.channels * p.groups * p.filters; }
  // Few weights: each chain is a task with sums of its own, and what it reads stays in its cache.
  bool by_chains() const { return size() <= kFewWeights && p.rows() > kChain; }
  // Columns come from memory, whole rows at a time.
  bool streams() const {
    return segments_ == 1 && p.groups == 1 && col_tiles_ == 1 &&
           p.rows() * channels_ * kSize > kCacheBytes;
  }
  void add_sums(int64_t count) const {
    for (int64_t chain = 0; chain < count; ++chain) {
      const T* const sums = sums_.template as<T>() + chain * size();
      if (first_ + chain == 0) {
        std::copy_n(sums, size(), w_);
      } else {
        p.tools.conv->add(w_, sums, size(), false);
      }
    }
  }

  // Tiles as equal as panels allow, and enough of them for some threads. Columns are packed anew
  // for every tile of rows, so there are few of those.
  void cut() {
    const int64_t width = p.tools.product->max_cols;
    row_tiles_ = ceil_div(p.filters, kMostRows);
    tile_rows_ = round_up(ceil_div(p.filters, row_tiles_), p.tools.product->max_rows);
    row_tiles_ = ceil_div(p.filters, tile_rows_);
    const int64_t others =
        by_chains() ? kTilesWanted : segments_ / together_ * row_tiles_ * p.groups;
    col_tiles_ = greater(ceil_div(channels_, kMostCols), ceil_div(kTilesWanted, others));
    tile_cols_ = round_up(ceil_div(channels_, lesser(col_tiles_, channels_)), width);
    col_tiles_ = ceil_div(channels_, tile_cols_);
  }

  int64_t slack() const { return p.tools.product->lanes * kSize; }
  int64_t tile_bytes() const { return tile_rows_ * kChain * kSize + slack(); }
  int64_t depth_of(int64_t chain) const { return lesser(kChain, rows_ - chain * kChain); }
  T* packed(int64_t chain, int64_t group, int64_t row_tile) const {
    const int64_t index = (chain * p.groups + group) * row_tiles_ + row_tile;
    return reinterpret_cast<T*>(packed_.template as<char>() + index * tile_bytes());
  }
  // The columns of a chain, packed for all tiles.
  int64_t unfolded_size() const { return round_up(channels_, p.tools.product->max_cols) * kChain; }
  T* unfolded(int64_t chain) const { return unfolded_.template as<T>() + chain * unfolded_size(); }
  const T** pointers(int64_t chain) const {
    return table_.template as<const T*>() + chain * kChain;
  }

  void prepare(int64_t chain, int64_t part) const {
    const int64_t place = first_ + chain * kChain, depth = depth_of(chain);
    if (!packs_ || part == p.groups * row_tiles_) {
      const bool by_lines = pads_lines(p);
      const Workspace lines(by_lines ? (padded_lines_size(p, depth) + kShort) * kSize : 0);
      if (by_lines) {
        fill_padded_table<T>(p, lines.template as<T>(), place, depth, pointers(chain),
                             chains_ * kChain, nullptr);
      } else {
        fill_table<T>(p, joined_, zeros_.template as<const T>(), place, depth, pointers(chain),
                      chains_ * kChain, nullptr);
      }
      return joined_ ? unfold(chain) : void();
    }
    const int64_t group = part / row_tiles_, row = part % row_tiles_ * tile_rows_;
    const int64_t from = place * y_row_ + group * p.filters + row;
    p.tools.storage->pack_a(Packing{packed(chain, group, part % row_tiles_),
                                    y_ + from * p.tools.element,
                                    lesser(tile_rows_, p.filters - row), depth, 1, y_row_});
  }

  // All taps of a place side by side, then packed.
  void unfold(int64_t chain) const {
    const int64_t depth = depth_of(chain), length = channels_ / stretches_;
    const Workspace rows(depth * (channels_ * kSize + int64_t{sizeof(T*)}) + kShort * kSize);
    const T** const begins = rows.template as<const T*>();
    T* to = reinterpret_cast<T*>(begins + depth);
    for (int64_t k = 0; k < depth; ++k) {
      const T* const* from = pointers(chain) + k;
      begins[k] = to;
      for (int64_t s = 0; s < stretches_; ++s, to += length, from += chains_ * kChain) {
        // A whole short stretch by a copy of fixed size; the next one overwrites the rest.
        if (length <= kShort) {
          std::memcpy(to, *from, kShort * sizeof(T));
        } else {
          std::copy_n(*from, length, to);
        }
      }
    }
    p.tools.conv->pack_taps({unfolded(chain), channels_, depth, begins, 0, false});
  }

  // One tile of the weights of some neighbouring taps, from some chains of the round.
  void multiply(int64_t tile, int64_t first_chain, int64_t end_chain) const {
    const int64_t row_tile = tile % row_tiles_, row = row_tile * tile_rows_;
    tile /= row_tiles_;
    const int64_t column = tile % col_tiles_ * tile_cols_, group = tile / col_tiles_ % p.groups,
                  first_segment = tile / col_tiles_ / p.groups * together_;
    const int64_t cols = lesser(tile_cols_, channels_ - column);
    const Workspace room(tile_cols_ * kChain * kSize);
    T* const b = room.template as<T>();
    T* const all = by_chains() ? sums_.template as<T>() + first_chain * size() : w_;
    for (int64_t chain = first_chain; chain < end_chain; ++chain) {
      const int64_t place = first_ + chain * kChain, depth = depth_of(chain);
      for (int64_t i = first_segment; i < first_segment + together_; ++i) {
        T* const w = all + ((i * p.groups + group) * p.filters + row) * channels_ + column;
        const T* columns = b;
        if (joined_) {
          columns = unfolded(chain) + column * depth;
        } else {
          p.tools.conv->pack_taps({b, cols, depth, pointers(chain) + i * chains_ * kChain,
                                   group * p.channels + column, streams()});
        }
        const T* const rows = packs_ ? packed(chain, group, row_tile)
                                     : reinterpret_cast<const T*>(y_) + place * y_row_ + row;
        p.tools.product->product({lesser(tile_rows_, p.filters - row), cols, depth, rows, 1, y_row_,
                                  packs_, columns, 0, true, w, channels_,
                                  by_chains() ? 0u : chain_flags(place, place + depth, p.rows())});
      }
    }
  }

  const ConvProblem<T>& p;
  bool joined_;
  bool packs_;                              // y; where it serves few columns it is read as it lies
  int64_t stretches_;                       // contiguous in x, of each place
  int64_t segments_, together_, channels_;  // of the segments, so many follow each other on a line
  const char* y_;
  int64_t y_row_;
  T* w_;
  int64_t row_tiles_ = 0, tile_rows_ = 0, col_tiles_ = 0, tile_cols_ = 0;
  int64_t chains_ = 0, first_ = 0, rows_ = 0;
  Workspace packed_, table_, zeros_, unfolded_, sums_;
};

}  // namespace

template <class T>
void conv_dw_places(const ConvProblem<T>& problem, const char* y, int64_t y_row, T* w) {
  const bool joined = wants_padding(problem), copies = joined && !pads_lines(problem);
  const Workspace copy(copies ? (padded_size(problem) + kShort) * int64_t{sizeof(T)} : 0);
  const ConvProblem<T> p = copies ? padded(problem, copy.as<T>()) : problem;
  Round<T>(p, joined, y, y_row, w).run();
}

template void conv_dw_places(const ConvProblem<float>&, const char*, int64_t, float*);
template void conv_dw_places(const ConvProblem<double>&, const char*, int64_t, double*);
template void conv_dw_places(const ConvProblem<uint32_t>&, const char*, int64_t, uint32_t*);
template void conv_dw_places(const ConvProblem<uint64_t>&, const char*, int64_t, uint64_t*);

}  // namespace weft::kernels
