// The packed path: slabs of B packed once for all threads, blocks of A packed by the task using
// them.
#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/matmul/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

// How the work is cut, by shape alone.
struct Cut {
  int64_t slab;        // columns of B packed at once
  int64_t row_panels;  // micro-tiles along the rows
  int64_t row_blocks;  // tasks along the rows: as equal as panels allow
  int64_t block_cols;  // columns a task computes
  int64_t col_blocks;
};

constexpr int64_t kBlockBytes = 240 * 1024;  // of packed A: stays in L2 beside a panel of B
constexpr int64_t kSlabBytes = 4 << 20;      // of packed B: stays in L3
constexpr int64_t kTasksWanted = 8;
constexpr int64_t kLeastTask = 1 << 18;  // multiplications; less is not worth a task

template <class T>
Cut cut_of(const Problem<T>& p) {
  const ProductKernels<T>& kernels = *p.kernels;
  const int64_t depth = lesser(p.k, p.chain);
  const int64_t bytes = static_cast<int64_t>(sizeof(T)) * depth;
  Cut cut;
  cut.slab = greater(kSlabBytes / bytes / kernels.max_cols, 8) * kernels.max_cols;
  cut.slab = round_up(ceil_div(p.n, ceil_div(p.n, cut.slab)), kernels.max_cols);
  const int64_t most = greater(kBlockBytes / bytes / kernels.max_rows, 1) * kernels.max_rows;
  cut.row_blocks = ceil_div(p.m, most);
  const int64_t work = p.m * lesser(p.n, cut.slab) / kLeastTask * depth +
                       p.m * lesser(p.n, cut.slab) % kLeastTask * depth / kLeastTask;
  const int64_t tasks = greater(1, lesser(kTasksWanted, work));
  // Rows are cut first, down to four micro-tiles: that repeats no packing.
  const int64_t least_rows = 4 * kernels.max_rows;
  cut.row_blocks = greater(cut.row_blocks, lesser(tasks, p.m / least_rows));
  cut.row_blocks = greater(cut.row_blocks, 1);
  cut.row_panels = ceil_div(p.m, kernels.max_rows);
  const int64_t columns = lesser(p.n, cut.slab);
  const int64_t col_blocks = lesser(ceil_div(tasks, cut.row_blocks), ceil_div(columns, 64));
  cut.block_cols = round_up(ceil_div(columns, col_blocks), kernels.max_cols);
  cut.col_blocks = ceil_div(columns, cut.block_cols);
  return cut;
}

// One slab of columns of C.
template <class T>
struct Slab {
  const Problem<T>& p;
  Cut cut;
  int64_t j0;
  int64_t cols;
  T* packed_b;
  T* sums;  // accumulators of the slab where C cannot hold them
  int64_t sums_row;

  void pack_b(int64_t k0, int64_t k1) const {
    const int64_t width = p.kernels->max_cols;
    const int64_t group = width * greater(1, 16384 / (width * (k1 - k0)));
    parallel_for(ceil_div(cols, group), [&](int64_t tile) {
      const int64_t j = tile * group;
      p.storage->pack_b(Packing{packed_b + j * (k1 - k0), p.b_at(k0, j0 + j),
                                lesser(group, cols - j), k1 - k0, p.b_col, p.b_row});
    });
  }

  T* c_at(int64_t i, int64_t j) const {
    return sums != nullptr ? sums + i * sums_row + j : p.c_accumulators(i, j0 + j);
  }
  int64_t c_row() const { return sums != nullptr ? sums_row : p.c_accumulator_row(); }

  // The first row of a block of rows.
  int64_t row_of(int64_t block) const {
    return lesser(p.m, block * cut.row_panels / cut.row_blocks * p.kernels->max_rows);
  }

  // The block's part of C from steps [k0, k1): strips of columns, finished while they are in cache.
  void multiply_block(int64_t tile, int64_t k0, int64_t k1) const {
    const int64_t i = row_of(tile / cut.col_blocks);
    const int64_t begin = tile % cut.col_blocks * cut.block_cols;
    const int64_t end = lesser(begin + cut.block_cols, cols);
    const int64_t rows = row_of(tile / cut.col_blocks + 1) - i;
    const int64_t depth = k1 - k0;
    const Workspace packed_a((rows * depth + p.kernels->lanes) * static_cast<int64_t>(sizeof(T)));
    p.storage->pack_a(Packing{packed_a.as<T>(), p.a_at(i, k0), rows, depth, p.a_row, p.a_col});
    const bool last = k1 == p.k;
    const bool in_strips = last && (sums != nullptr || p.epilogue != nullptr);
    const int64_t strip = in_strips ? greater(64, p.kernels->max_cols) : end - begin;
    for (int64_t j = begin; j < end; j += strip) {
      const int64_t width = lesser(strip, end - j);
      p.kernels->product({rows, width, depth, packed_a.as<T>(), 0, 0, true, packed_b + j * depth, 0,
                          true, c_at(i, j), c_row(), chain_flags(k0, k1, p.k)});
      if (!last) continue;
      if (sums != nullptr) {
        p.storage->store(Storing{c_at(i, j), sums_row, p.c_at(i, j0 + j), p.c_row, rows, width});
      }
      p.finish(i, rows, j0 + j, width);
    }
  }
};

}  // namespace

template <class T>
void multiply_packed(const Problem<T>& p) {
  const Cut cut = cut_of(p);
  const int64_t size = static_cast<int64_t>(sizeof(T));
  const int64_t depth = lesser(p.k, p.chain);
  const int64_t slab_cols = lesser(cut.slab, p.n);
  const int64_t sums_row = round_up(slab_cols, p.kernels->lanes);
  const Workspace packed_b(depth * round_up(slab_cols, p.kernels->max_cols) * size);
  const Workspace sums(p.c_is_direct() ? 0 : checked_mul(p.m, sums_row * size));
  for (int64_t j0 = 0; j0 < p.n; j0 += cut.slab) {
    Slab<T> slab{p,
                 cut,
                 j0,
                 lesser(cut.slab, p.n - j0),
                 packed_b.as<T>(),
                 p.c_is_direct() ? nullptr : sums.as<T>(),
                 sums_row};
    slab.cut.col_blocks = ceil_div(slab.cols, cut.block_cols);
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      const int64_t k1 = lesser(k0 + p.chain, p.k);
      slab.pack_b(k0, k1);
      parallel_for(cut.row_blocks * slab.cut.col_blocks,
                   [&](int64_t tile) { slab.multiply_block(tile, k0, k1); });
    }
  }
}

// Each task packs the columns of B it uses, and all of A is used from where it lies if it can be.
template <class T>
void multiply_columns(const Problem<T>& p) {
  const int64_t size = static_cast<int64_t>(sizeof(T));
  const int64_t width = p.kernels->max_cols;
  const int64_t depth = lesser(p.k, p.chain);
  const int64_t wanted = kLeastTask / greater(1, p.m * depth);
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
