// Copies cut into tiles of the two inner dims: rows by memcpy, transposes through vector registers.
#include "weft/kernels/copy.h"

#include <cstring>

#include "weft/base/error.h"
#include "weft/kernels/loop.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

// Estimates for a byte copied in rows and for an item copied across; from cache, one thread.
constexpr double kNsPerByte = 0.04, kNsPerItemAcross = 0.5;

void copy_bytes(char* to, const char* from, int64_t bytes) {
  // In pages, so that no two tasks write to one cache line.
  constexpr int64_t kPage = 4096;
  in_tasks((bytes + kPage - 1) / kPage, kPage * kNsPerByte, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kPage, last = std::min(bytes, end * kPage);
    std::memcpy(to + first, from + first, static_cast<size_t>(last - first));
  });
}

// An inner dim that is contiguous in both operands and fits a wider item becomes that item: pairs
// of floats are then transposed as one double.
void widen_items(Loop& loop) {
  while (loop.rank > 1) {
    const int inner = loop.rank - 1;
    const int64_t item = loop.item[0], wide = item * loop.size[inner];
    const bool contiguous = loop.stride[inner][0] == item && loop.stride[inner][1] == item;
    if (!contiguous || (wide != 2 && wide != 4 && wide != 8 && wide != 16)) return;
    loop.item[0] = loop.item[1] = wide;
    --loop.rank;
  }
}

}  // namespace

void copy(const Operand& out, const Operand& in) {
  WEFT_ASSERT(out.item == in.item, "copy of items of ", int{in.item}, " into ", int{out.item});
  if (out.contiguous && in.contiguous && out.numel == in.numel) {
    return copy_bytes(out.data, in.data, out.numel * out.item);
  }
  Loop loop;
  const Operand both[] = {out, in};
  if (!loop.build(both)) return;
  widen_items(loop);
  loop.pad_to_two_dims();
  const int inner = loop.rank - 1;
  const int64_t item = loop.item[0], in_step = loop.stride[inner][1];
  const bool across = in_step != item && in_step != 0;
  if (across) loop.move_to_row_dim(loop.row_dim_for(1));
  const Tiles tiles = across ? Tiles::of_squares(loop, 4096) : Tiles::of_rows(loop, 16384);
  const int64_t* const row = loop.stride[inner - 1];
  const int64_t* const col = loop.stride[inner];
  const double ns = across ? kNsPerItemAcross : kNsPerByte * static_cast<double>(item);
  const double items = static_cast<double>(tiles.rows * tiles.cols);
  in_tasks(tiles.total, items * ns, [&](int64_t begin, int64_t end) {
    for_tiles(loop, tiles, begin, end, [&](char* const* p, int64_t rows, int64_t cols) {
      copy_tile({p[0], row[0], col[0]}, {p[1], row[1], col[1]}, rows, cols, item);
    });
  });
}

void fill(const Operand& out, const void* value) {
  const char* const bytes = static_cast<const char*>(value);
  if (out.contiguous) {
    return in_tasks(out.numel, kNsPerByte * out.item, [&](int64_t begin, int64_t end) {
      fill_items(out.data + begin * out.item, bytes, end - begin, out.item);
    });
  }
  // A source of one item, read with stride 0 everywhere; copy() does not write to it.
  copy(out, {.data = const_cast<char*>(bytes), .numel = 1, .item = out.item, .contiguous = true});
}

}  // namespace weft::kernels
