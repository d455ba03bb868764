// Runs scans: neighbouring columns in vectors, short rows several at a time, long rows in blocks.
#include "weft/kernels/scan.h"

#include <algorithm>

#include "weft/kernels/loop.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"
#include "weft/kernels/tiled.h"

namespace weft::kernels {
namespace {

constexpr int64_t kRowsTogether = 4;     // rows, or blocks of a row, that the kernel scans in step
constexpr int64_t kPolled = 1 << 16;     // elements between two polls for Ctrl-C
constexpr int64_t kPackedBytes = 32768;  // of one packed operand
constexpr int64_t kColumns = 512;        // a row of totals stays in L1 until it is read again

// An operand without the scanned axis, and the stride of that axis in bytes.
struct Around {
  Dim dims[kMaxRank];
  int64_t strides[kMaxRank];
  Operand rest;
  int64_t step;

  Around(const Operand& operand, int axis)
      : rest(operand), step(operand.strides[axis] * operand.item) {
    rest.dims = dims;
    rest.strides = strides;
    rest.rank = 0;
    rest.contiguous = false;
    for (int d = 0; d < operand.rank; ++d) {
      if (d == axis) continue;
      dims[rest.rank] = operand.dims[d];
      strides[rest.rank++] = operand.strides[d];
    }
  }
};

// The parameters of one call, which all its tasks share.
struct ScanRun {
  const ScanKernels& kernels;
  int64_t count;              // elements of a row
  int64_t out_item, in_item;  // bytes of an element
  int64_t out_step, in_step;  // bytes from element to element along the row
  double ns;                  // estimate for one element

  bool reads_in_place() const { return in_step == in_item; }
  bool writes_in_place() const { return out_step == out_item; }
  void columns(const Loop& loop) const;  // a loop over columns
  void short_rows(Loop& loop) const;     // a loop over rows whose inner dim is the axis
  void long_rows(const Loop& loop) const;

 private:
  struct Wave;
  void column_tile(char* out, char* in, int64_t columns) const;
  void rows_in_pieces(char* const* at, int64_t rows, const int64_t* row_strides) const;
  void long_row(char* out, const char* in, int64_t wave_blocks) const;
  void scan_blocks(const Wave& wave, int64_t begin, int64_t end) const;
  void add_offsets(const Wave& wave, int64_t begin, int64_t end) const;
  void clear(char* totals, int64_t n) const {
    fill_items(totals, kernels.identity, n, kernels.total_item);
  }
};

// Scans down a tile of columns. The kernel computes row j of the result from row j of the input and
// the running totals; its rows run in order, so one call handles a whole block.
void ScanRun::column_tile(char* out, char* in, int64_t columns) const {
  alignas(64) char totals[kColumns * 16], offsets[kColumns * 16];
  clear(totals, columns);
  if (kernels.carry != nullptr) clear(offsets, columns);
  const int64_t block = kernels.carry != nullptr ? kScanBlock : std::min(count, kPolled);
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t n = std::min(block, count - begin);
    const bool has_offset = kernels.carry != nullptr && begin > 0;
    if (has_offset) {
      void* const p[] = {offsets, offsets, totals};
      kernels.carry(p, kNoStrides, columns, 1, 0);
      clear(totals, columns);
    }
    if (begin > 0) poll_interrupt();
    void* const p[] = {out + begin * out_step, totals, totals, in + begin * in_step, offsets};
    const int64_t row_strides[] = {out_step, 0, 0, in_step, 0};
    (has_offset ? kernels.offset_step : kernels.step)(p, row_strides, columns, n, 0);
  }
}

void ScanRun::columns(const Loop& loop) const {
  const Tiles tiles = Tiles::of(loop, 1, kColumns);
  in_tasks(tiles.total, ns * static_cast<double>(tiles.cols * count),
           [&](int64_t begin, int64_t end) {
             for_tiles(loop, tiles, begin, end, [&](char* const* at, int64_t, int64_t columns) {
               column_tile(at[0], at[1], columns);
             });
           });
}

// Scans several rows in step, each from left to right. Elements that are not adjacent are packed,
// piece by piece.
void ScanRun::rows_in_pieces(char* const* at, int64_t rows, const int64_t* row_strides) const {
  const int64_t total_bytes = rows * kernels.total_item;
  const bool packs = !reads_in_place() || !writes_in_place();
  int64_t piece = kPolled;
  if (packs) piece = std::max<int64_t>(64, kPackedBytes / (rows * std::max(in_item, out_item)));
  piece = std::min(piece, count);
  const int64_t in_bytes = reads_in_place() ? 0 : rows * piece * in_item;
  const int64_t out_bytes = writes_in_place() ? 0 : rows * piece * out_item;
  const auto aligned = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  // Totals that are wider than results are rounded after the scan, by a vectorised kernel.
  const bool is_wide = kernels.totals != kernels.scan && kernels.totals != nullptr;
  const int64_t wide_bytes = is_wide ? rows * piece * kernels.total_item : 0;
  const Scratch scratch(aligned(total_bytes) + aligned(in_bytes) + aligned(out_bytes) + wide_bytes);
  char* const totals = scratch.data();
  char* const packed_in = totals + aligned(total_bytes);
  char* const packed_out = packed_in + aligned(in_bytes);
  char* const wide = is_wide ? packed_out + aligned(out_bytes) : nullptr;
  clear(totals, rows);
  for (int64_t begin = 0; begin < count; begin += piece) {
    const int64_t n = std::min(piece, count - begin);
    if (begin > 0) poll_interrupt();
    const char* in = at[1] + begin * in_step;
    char* const out = at[0] + begin * out_step;
    int64_t in_row = row_strides[1];
    if (!reads_in_place()) {
      copy_tile({packed_in, n * in_item, in_item}, {in, in_row, in_step}, rows, n, in_item);
      in = packed_in;
      in_row = n * in_item;
    }
    char* const to = writes_in_place() ? out : packed_out;
    const int64_t to_row = writes_in_place() ? row_strides[0] : n * out_item;
    if (wide != nullptr) {
      kernels.totals(wide, in, n, rows, n * kernels.total_item, in_row, totals);
      void* const p[] = {to, const_cast<char*>(kernels.identity), wide};
      const int64_t strides[] = {to_row, 0, n * kernels.total_item};
      kernels.offset(p, strides, n, rows, 0);
    } else {
      kernels.scan(to, in, n, rows, to_row, in_row, totals);
    }
    if (writes_in_place()) continue;
    copy_tile({out, row_strides[0], out_step}, {packed_out, n * out_item, out_item}, rows, n,
              out_item);
  }
}

void ScanRun::short_rows(Loop& loop) const {
  const double row_ns = ns * static_cast<double>(count);
  int64_t rows = std::max(kRowsTogether, static_cast<int64_t>(kTaskNs / row_ns));
  if (!reads_in_place() || !writes_in_place()) {
    // A strided row shares its cache lines with its neighbours, so many rows are packed together.
    rows = std::clamp<int64_t>(kPackedBytes / (count * std::max(in_item, out_item)), 16, 1024);
    loop.move_to_row_dim(loop.row_dim_for(reads_in_place() ? 0 : 1));
  }
  const Tiles tiles = Tiles::of(loop, rows, count);
  in_tasks(tiles.total, row_ns * static_cast<double>(tiles.rows), [&](int64_t begin, int64_t end) {
    for_tiles(loop, tiles, begin, end, [&](char* const* at, int64_t n, int64_t) {
      rows_in_pieces(at, n, loop.stride[loop.rank - 2]);
    });
  });
}

// A group of blocks of a long row that is scanned at once: their totals, and their offsets.
struct ScanRun::Wave {
  char* out;
  const char* in;
  int64_t elements;  // all blocks are full but for the last of a row
  char* all_totals;  // of every element
  char* last;        // the total of each block
  char* offsets;     // of each block, and of the one behind them
};

// The distance in bytes between the totals of two blocks. Not a multiple of 4096: stores at such
// distances conflict.
int64_t block_bytes(int64_t item) { return kScanBlock * item + 192; }

void ScanRun::scan_blocks(const Wave& wave, int64_t begin, int64_t end) const {
  const int64_t item = kernels.total_item, first = begin * kScanBlock;
  const int64_t n = std::min(wave.elements, end * kScanBlock) - first;
  const int64_t full = n / kScanBlock;
  const char* in = wave.in + first * in_step;
  const Scratch packed(reads_in_place() ? 0 : n * in_item);
  if (!reads_in_place()) {
    copy_tile({packed.data(), 0, in_item}, {in, 0, in_step}, 1, n, in_item);
    in = packed.data();
  }
  char* const to = wave.all_totals + begin * block_bytes(item);
  clear(wave.last + begin * item, end - begin);
  kernels.totals(to, in, kScanBlock, full, block_bytes(item), kScanBlock * in_item,
                 wave.last + begin * item);
  if (full == end - begin) return;
  kernels.totals(to + full * block_bytes(item), in + full * kScanBlock * in_item,
                 n - full * kScanBlock, 1, 0, 0, wave.last + (begin + full) * item);
}

void ScanRun::add_offsets(const Wave& wave, int64_t begin, int64_t end) const {
  const int64_t item = kernels.total_item, first = begin * kScanBlock;
  const int64_t n = std::min(wave.elements, end * kScanBlock) - first;
  const int64_t full = n / kScanBlock;
  const Scratch packed(writes_in_place() ? 0 : n * out_item);
  char* const out = wave.out + first * out_step;
  char* const to = writes_in_place() ? out : packed.data();
  char* const totals = wave.all_totals + begin * block_bytes(item);
  void* const p[] = {to, wave.offsets + begin * item, totals};
  const int64_t row_strides[] = {kScanBlock * out_item, item, block_bytes(item)};
  kernels.offset(p, row_strides, kScanBlock, full, 0);
  if (full < end - begin) {
    const int64_t done = full * kScanBlock;
    void* const rest[] = {to + done * out_item, wave.offsets + (begin + full) * item,
                          totals + full * block_bytes(item)};
    kernels.offset(rest, kNoStrides, n - done, 1, 0);
  }
  if (!writes_in_place()) copy_tile({out, 0, out_step}, {to, 0, out_item}, 1, n, out_item);
}

// For each wave: scans its blocks in parallel, computes their offsets in order, and then combines
// offsets and totals in parallel.
void ScanRun::long_row(char* out, const char* in, int64_t wave_blocks) const {
  const int64_t item = kernels.total_item;
  const int64_t blocks = std::min(wave_blocks, (count + kScanBlock - 1) / kScanBlock);
  const int64_t of_blocks = (blocks + 1) * item + 63;
  const Scratch scratch(blocks * block_bytes(item) + 2 * of_blocks);
  char* const last = scratch.data() + blocks * block_bytes(item);
  Wave wave{out, in, 0, scratch.data(), last, last + of_blocks / 64 * 64};
  clear(wave.offsets, 1);
  const double block_ns = ns * kScanBlock;
  const double groups_ns = block_ns * kRowsTogether;
  for (int64_t begin = 0; begin < count; begin += blocks * kScanBlock) {
    if (begin > 0) poll_interrupt();
    wave.elements = std::min(blocks * kScanBlock, count - begin);
    wave.out = out + begin * out_step;
    wave.in = in + begin * in_step;
    const int64_t here = (wave.elements + kScanBlock - 1) / kScanBlock;
    const int64_t groups = (here + kRowsTogether - 1) / kRowsTogether;
    const auto blocks_until = [&](int64_t group) { return std::min(here, group * kRowsTogether); };
    in_tasks(groups, groups_ns, [&](int64_t first, int64_t behind) {
      scan_blocks(wave, first * kRowsTogether, blocks_until(behind));
    });
    void* const p[] = {wave.offsets + item, wave.offsets, wave.last};
    const int64_t row_strides[] = {item, item, item};
    kernels.carry(p, row_strides, 1, here, 0);
    in_tasks(groups, groups_ns / 2, [&](int64_t first, int64_t behind) {
      add_offsets(wave, first * kRowsTogether, blocks_until(behind));
    });
    std::copy_n(wave.offsets + here * item, item, wave.offsets);
  }
}

void ScanRun::long_rows(const Loop& loop) const {
  const Tiles tiles = Tiles::of(loop, 1, count);
  const auto all = [&](int64_t wave_blocks) {
    return [this, &loop, &tiles, wave_blocks](int64_t begin, int64_t end) {
      for_tiles(loop, tiles, begin, end,
                [&](char* const* at, int64_t, int64_t) { long_row(at[0], at[1], wave_blocks); });
    };
  };
  constexpr int64_t kWave = 64;  // blocks of one thread: 256 kB of totals in f64
  const int64_t threads = num_threads();
  if (tiles.total < threads) return all(kWave * threads)(0, tiles.total);
  in_tasks(tiles.total, ns * static_cast<double>(count), all(kWave));
}

}  // namespace

void scan(const ScanKernels& kernels, const Operand& out, const Operand& in, int64_t axis) {
  const Around to(out, static_cast<int>(axis)), from(in, static_cast<int>(axis));
  const int64_t count = out.dims[axis].value();
  const ScanRun run{.kernels = kernels,
                    .count = count,
                    .out_item = out.item,
                    .in_item = in.item,
                    .out_step = count == 1 ? out.item : to.step,
                    .in_step = count == 1 ? in.item : from.step,
                    .ns = static_cast<double>(kernels.ns_per_element)};
  const Operand rest[] = {to.rest, from.rest};
  Loop loop;
  if (run.count == 0 || !loop.build(rest)) return;
  if (!(run.reads_in_place() && run.writes_in_place()) && loop.rank > 0) {
    const int inner = loop.rank - 1;
    const int64_t* const column = loop.stride[inner];
    if (column[0] == out.item && column[1] == in.item && loop.size[inner] >= 4) {
      loop.pad_to_two_dims();
      return run.columns(loop);
    }
  }
  loop.size[loop.rank] = run.count;
  loop.stride[loop.rank][0] = run.out_step;
  loop.stride[loop.rank++][1] = run.in_step;
  loop.pad_to_two_dims();
  if (kernels.totals != nullptr && run.count > kScanBlock) return run.long_rows(loop);
  run.short_rows(loop);
}

}  // namespace weft::kernels
