// The packed path: rectangles of C whose operands are packed once for all threads, then computed
// tile by tile.
#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/matmul/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kSlabBytes = 4 << 20;       // of packed A, and of packed B: stay in L3
constexpr int64_t kTileABytes = 240 * 1024;   // of packed A under one tile: stays in L2
constexpr int64_t kMostTileCols = 256;        // so that the last tile is not long waited for
constexpr int64_t kLeastTileCols = 64;        // narrower tiles read packed A too often
constexpr int64_t kLeastTilePanels = 4;       // along the rows: lower tiles read B too often
constexpr int64_t kTilesWanted = 32;          // enough for some threads to share evenly
constexpr int64_t kLeastTile = 1 << 20;       // multiplications; less is not worth a task
constexpr int64_t kPackedAtOnce = 16 * 1024;  // elements of B packed by one task

// How C is cut, by the shape alone: into slabs, and a slab into tiles.
struct Cut {
  int64_t slab_rows;
  int64_t slab_cols;
  int64_t row_blocks;  // tiles of a slab along the rows: as equal as panels allow
  int64_t tile_cols;
};

// The largest slab of at most `bytes` packed whose fellows are as large.
int64_t slab_of(int64_t size, int64_t bytes_each, int64_t panel) {
  const int64_t most = greater(kSlabBytes / bytes_each / panel, 8) * panel;
  return round_up(ceil_div(size, ceil_div(size, most)), panel);
}

template <class T>
Cut cut_of(const Problem<T>& p) {
  const int64_t panel_rows = p.kernels->max_rows;
  const int64_t panel_cols = p.kernels->max_cols;
  const int64_t depth = lesser(p.k, p.chain);
  const int64_t bytes = static_cast<int64_t>(sizeof(T)) * depth;
  Cut cut;
  cut.slab_rows = slab_of(p.m, bytes, panel_rows);
  cut.slab_cols = slab_of(p.n, bytes, panel_cols);
  const int64_t rows = lesser(p.m, cut.slab_rows);
  const int64_t cols = lesser(p.n, cut.slab_cols);
  const int64_t wanted =
      greater(1, lesser(kTilesWanted, rows * cols / ceil_div(kLeastTile, depth)));
  const int64_t most_col_blocks = greater(1, cols / kLeastTileCols);
  cut.row_blocks = ceil_div(rows, greater(kTileABytes / bytes / panel_rows, 1) * panel_rows);
  int64_t col_blocks = lesser(ceil_div(wanted, cut.row_blocks), most_col_blocks);
  col_blocks = greater(col_blocks, ceil_div(cols, kMostTileCols));
  // Two and four threads get equally many tiles.
  if (cut.row_blocks * col_blocks % 4 != 0) {
    col_blocks = greater(col_blocks, lesser(round_up(col_blocks, 4), most_col_blocks));
  }
  const int64_t least_rows = kLeastTilePanels * panel_rows;
  cut.row_blocks = greater(cut.row_blocks, lesser(ceil_div(wanted, col_blocks), rows / least_rows));
  cut.tile_cols = round_up(ceil_div(cols, col_blocks), panel_cols);
  return cut;
}

// Rows and columns of C that are computed from operands packed together.
template <class T>
struct Slab {
  const Problem<T>& p;
  Cut cut;
  int64_t i0;
  int64_t rows;
  int64_t j0;
  int64_t cols;
  T* packed_a;  // row block by row block
  T* packed_b;
  T* sums;  // accumulators of the slab where C cannot hold them
  int64_t sums_row;

  int64_t col_blocks() const { return ceil_div(cols, cut.tile_cols); }

  // The first row of a block of rows, within the slab.
  int64_t row_of(int64_t block) const {
    const int64_t panels = ceil_div(rows, p.kernels->max_rows);
    return lesser(rows, block * panels / cut.row_blocks * p.kernels->max_rows);
  }
  // Every block has its own slack, so that threads packing neighbours do not meet.
  T* packed_rows(int64_t block, int64_t depth) const {
    return packed_a + row_of(block) * depth + block * p.kernels->lanes;
  }

  void pack(int64_t k0, int64_t k1) const {
    const int64_t depth = k1 - k0;
    const int64_t width = p.kernels->max_cols;
    const int64_t group = width * greater(1, kPackedAtOnce / (width * depth));
    parallel_for(cut.row_blocks + ceil_div(cols, group), [&](int64_t task) {
      if (task < cut.row_blocks) {
        const int64_t i = row_of(task);
        p.storage->pack_a(Packing{packed_rows(task, depth), p.a_at(i0 + i, k0),
                                  row_of(task + 1) - i, depth, p.a_row, p.a_col});
      } else {
        const int64_t j = (task - cut.row_blocks) * group;
        p.storage->pack_b(Packing{packed_b + j * depth, p.b_at(k0, j0 + j), lesser(group, cols - j),
                                  depth, p.b_col, p.b_row});
      }
    });
  }

  T* c_at(int64_t i, int64_t j) const {
    return sums != nullptr ? sums + i * sums_row + j : p.c_accumulators(i0 + i, j0 + j);
  }
  int64_t c_row() const { return sums != nullptr ? sums_row : p.c_accumulator_row(); }

  // The tile's part of C from steps [k0, k1): strips of columns, finished while they are in cache.
  void multiply_tile(int64_t tile, int64_t k0, int64_t k1) const {
    const int64_t block = tile / col_blocks();
    const int64_t i = row_of(block);
    const int64_t tile_rows = row_of(block + 1) - i;
    const int64_t begin = tile % col_blocks() * cut.tile_cols;
    const int64_t end = lesser(begin + cut.tile_cols, cols);
    const int64_t depth = k1 - k0;
    const bool last = k1 == p.k;
    const bool in_strips = last && (sums != nullptr || p.epilogue != nullptr);
    const int64_t strip = in_strips ? greater(64, p.kernels->max_cols) : end - begin;
    for (int64_t j = begin; j < end; j += strip) {
      const int64_t width = lesser(strip, end - j);
      p.kernels->product({tile_rows, width, depth, packed_rows(block, depth), 0, 0, true,
                          packed_b + j * depth, 0, true, c_at(i, j), c_row(),
                          chain_flags(k0, k1, p.k)});
      if (!last) continue;
      if (sums != nullptr) {
        p.storage->store(
            Storing{c_at(i, j), sums_row, p.c_at(i0 + i, j0 + j), p.c_row, tile_rows, width});
      }
      p.finish(i0 + i, tile_rows, j0 + j, width);
    }
  }

  void multiply() const {
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      const int64_t k1 = lesser(k0 + p.chain, p.k);
      pack(k0, k1);
      parallel_for(cut.row_blocks * col_blocks(),
                   [&](int64_t tile) { multiply_tile(tile, k0, k1); });
    }
  }
};

}  // namespace

template <class T>
void multiply_packed(const Problem<T>& p) {
  const Cut cut = cut_of(p);
  const int64_t size = static_cast<int64_t>(sizeof(T));
  const int64_t depth = lesser(p.k, p.chain);
  const int64_t rows = lesser(cut.slab_rows, p.m);
  const int64_t cols = round_up(lesser(cut.slab_cols, p.n), p.kernels->max_cols);
  const Workspace packed_a((rows * depth + cut.row_blocks * p.kernels->lanes) * size);
  const Workspace packed_b(depth * cols * size);
  const Workspace sums(p.c_is_direct() ? 0 : rows * cols * size);
  T* const own_sums = p.c_is_direct() ? nullptr : sums.as<T>();
  for (int64_t j = 0; j < p.n; j += cut.slab_cols) {
    for (int64_t i = 0; i < p.m; i += cut.slab_rows) {
      Slab<T>{p,
              cut,
              i,
              lesser(cut.slab_rows, p.m - i),
              j,
              lesser(cut.slab_cols, p.n - j),
              packed_a.as<T>(),
              packed_b.as<T>(),
              own_sums,
              cols}
          .multiply();
    }
  }
}

constexpr int64_t kLeastColumns = 1 << 18;  // multiplications of a task

// Each task packs the columns of B it uses, and all of A is used from where it lies if it can be.
template <class T>
void multiply_columns(const Problem<T>& p) {
  const int64_t size = static_cast<int64_t>(sizeof(T));
  const int64_t width = p.kernels->max_cols;
  const int64_t depth = lesser(p.k, p.chain);
  const int64_t wanted = kLeastColumns / greater(1, p.m * depth);
  const int64_t group = lesser(round_up(p.n, width), width * greater(1, lesser(8, wanted / width)));
  const bool strided_a = p.is_plain();
  parallel_for(ceil_div(p.n, group), [&](int64_t tile) {
    const int64_t j = tile * group;
    const int64_t cols = lesser(group, p.n - j);
    const int64_t b_size = depth * group;
    const int64_t a_size = strided_a ? 0 : p.m * depth + p.kernels->lanes;
    const Workspace panels((b_size + p.kernels->lanes + a_size) * size);
    const Workspace own_sums(p.c_is_direct() ? 0 : p.m * group * size);
    T* packed_b = panels.as<T>();
    T* packed_a = packed_b + b_size + p.kernels->lanes;
    T* sums = p.c_is_direct() ? p.c_accumulators(0, j) : own_sums.as<T>();
    const int64_t sums_row = p.c_is_direct() ? p.c_accumulator_row() : group;
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      const int64_t k1 = lesser(k0 + p.chain, p.k);
      p.storage->pack_b(Packing{packed_b, p.b_at(k0, j), cols, k1 - k0, p.b_col, p.b_row});
      const T* a = strided_a ? static_cast<const T*>(p.a_at(0, k0)) : packed_a;
      if (!strided_a) {
        p.storage->pack_a(Packing{packed_a, p.a_at(0, k0), p.m, k1 - k0, p.a_row, p.a_col});
      }
      p.kernels->product({p.m, cols, k1 - k0, a, p.a_row, p.a_col, !strided_a, packed_b, 0, true,
                          sums, sums_row, chain_flags(k0, k1, p.k)});
    }
    if (!p.c_is_direct()) {
      p.storage->store(Storing{sums, sums_row, p.c_at(0, j), p.c_row, p.m, cols});
    }
    p.finish(0, p.m, j, cols);
  });
}

template void multiply_packed(const Problem<float>&);
template void multiply_columns(const Problem<float>&);
template void multiply_packed(const Problem<double>&);
template void multiply_columns(const Problem<double>&);
template void multiply_packed(const Problem<uint32_t>&);
template void multiply_columns(const Problem<uint32_t>&);
template void multiply_packed(const Problem<uint64_t>&);
template void multiply_columns(const Problem<uint64_t>&);

}  // namespace weft::kernels
