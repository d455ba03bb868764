// The weight gradient as products of matrices: places are the steps, taps and channels the rows.
#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kRoundBytes = 1 << 20;  // of packed y: what all tiles of a round read
constexpr int64_t kMostRows = 96;         // of a tile: its packed rows stay in L2
constexpr int64_t kTilesWanted = 12;

// Some chains of all places: y packed, and pointers to what each tap meets.
template <class T>
class Round {
 public:
  Round(const ConvProblem<T>& problem, bool joined, const char* y, int64_t y_row, T* w)
      : p(problem),
        joined_(joined),
        segments_(p.taps() / (joined ? p.axis[2].taps : 1)),
        channels_(p.channels * (joined ? p.axis[2].taps : 1)),
        cols_(round_up(p.filters, p.tools.product->max_cols)),
        y_(y),
        y_row_(y_row),
        w_(w) {
    const int64_t chain = checked_mul(kChain * p.groups, cols_) * kSize;
    chains_ = greater(1, lesser(kRoundBytes / chain, ceil_div(p.rows(), kChain)));
    packed_.renew(chains_ * chain + p.tools.product->lanes * kSize);
    table_.renew(checked_mul(chains_ * kChain, segments_) * int64_t{sizeof(T*)});
    zeros_.renew(p.groups * p.channels * kSize);
    for (int64_t i = 0; i < p.groups * p.channels; ++i) zeros_.template as<T>()[i] = T(0);
    row_tiles_ = ceil_div(channels_, kMostRows);
    col_tiles_ = 1;
    const int64_t tiles = segments_ * row_tiles_ * p.groups;
    if (tiles < kTilesWanted) {
      col_tiles_ = greater(1, lesser(ceil_div(kTilesWanted, tiles), p.filters / 64));
    }
    tile_cols_ = round_up(ceil_div(p.filters, col_tiles_), p.tools.product->max_cols);
    col_tiles_ = ceil_div(p.filters, tile_cols_);
  }

  void run() {
    for (first_ = 0; first_ < p.rows(); first_ += chains_ * kChain) {
      rows_ = lesser(chains_ * kChain, p.rows() - first_);
      const int64_t count = ceil_div(rows_, kChain);
      parallel_for(count * (p.groups + 1),
                   [&](int64_t task) { prepare(task % count, task / count); });
      parallel_for(segments_ * row_tiles_ * col_tiles_ * p.groups,
                   [&](int64_t tile) { multiply(tile); });
    }
  }

 private:
  static constexpr int64_t kSize = sizeof(T);

  int64_t depth_of(int64_t chain) const { return lesser(kChain, rows_ - chain * kChain); }
  T* packed(int64_t chain, int64_t group, int64_t j) const {
    const int64_t depth = depth_of(chain);
    return packed_.template as<T>() + chain * kChain * p.groups * cols_ + group * depth * cols_ +
           j * depth;
  }
  const T** pointers(int64_t chain) const {
    return table_.template as<const T*>() + chain * kChain;
  }

  void prepare(int64_t chain, int64_t group) const {
    const int64_t place = first_ + chain * kChain, depth = depth_of(chain);
    if (group == p.groups) {
      return fill_table<T>(p, joined_, zeros_.template as<const T>(), place, depth, pointers(chain),
                           chains_ * kChain, nullptr);
    }
    p.tools.storage->pack_b(Packing{packed(chain, group, 0),
                                    y_ + (place * y_row_ + group * p.filters) * p.tools.element,
                                    p.filters, depth, 1, y_row_});
  }

  // One tile of the weights, from all chains of the round.
  void multiply(int64_t tile) const {
    const int64_t group = tile % p.groups;
    tile /= p.groups;
    const int64_t j = tile % col_tiles_ * tile_cols_, block = tile / col_tiles_ % row_tiles_,
                  segment = tile / col_tiles_ / row_tiles_;
    const int64_t begin = block * channels_ / row_tiles_;
    const int64_t rows = (block + 1) * channels_ / row_tiles_ - begin;
    const int64_t filters = p.groups * p.filters;
    T* const w = w_ + (segment * channels_ + begin) * filters + group * p.filters + j;
    const Workspace a((rows * kChain + p.tools.product->lanes) * kSize);
    for (int64_t chain = 0; chain * kChain < rows_; ++chain) {
      const int64_t place = first_ + chain * kChain, depth = depth_of(chain);
      p.tools.conv->pack_taps({a.template as<T>(), rows, depth,
                               pointers(chain) + segment * chains_ * kChain,
                               group * p.channels + begin});
      p.tools.product->product({rows, lesser(tile_cols_, p.filters - j), depth, a.template as<T>(),
                                0, 0, true, packed(chain, group, j), 0, true, w, filters,
                                chain_flags(place, place + depth, p.rows())});
    }
  }

  const ConvProblem<T>& p;
  bool joined_;
  int64_t segments_, channels_, cols_;
  const char* y_;
  int64_t y_row_;
  T* w_;
  int64_t chains_ = 0, row_tiles_ = 0, col_tiles_ = 0, tile_cols_ = 0, first_ = 0, rows_ = 0;
  Workspace packed_, table_, zeros_;
};

}  // namespace

template <class T>
void conv_dw_places(const ConvProblem<T>& problem, const char* y, int64_t y_row, T* w) {
  const bool joined = wants_padding(problem);
  const Workspace copy(joined ? padded_size(problem) * int64_t{sizeof(T)} : 0);
  const ConvProblem<T> p = joined ? padded(problem, copy.as<T>()) : problem;
  Round<T>(p, joined, y, y_row, w).run();
}

template void conv_dw_places(const ConvProblem<float>&, const char*, int64_t, float*);
template void conv_dw_places(const ConvProblem<double>&, const char*, int64_t, double*);
template void conv_dw_places(const ConvProblem<uint32_t>&, const char*, int64_t, uint32_t*);
template void conv_dw_places(const ConvProblem<uint64_t>&, const char*, int64_t, uint64_t*);

}  // namespace weft::kernels
