// Copies cut into tiles of the two inner dims: rows by memcpy, transposes through vector registers.
#include "weft/kernels/copy.h"

#include "weft/base/error.h"
#include "weft/kernels/loop.h"
#include "weft/kernels/stream.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

// Estimates for a byte copied in rows and for an item copied across; from cache, one thread.
constexpr double kNsPerByte = 0.04, kNsPerItemAcross = 0.5;

void copy_bytes(char* to, const char* from, int64_t bytes) {
  // In pages, so that no two tasks write to one cache line.
  constexpr int64_t kPage = 4096;
  const bool bypass = bytes > kBypassBytes;
  in_tasks((bytes + kPage - 1) / kPage, kPage * kNsPerByte, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kPage, last = std::min(bytes, end * kPage);
    copy_run(to + first, from + first, last - first, bypass);
    if (bypass) finish_bypass();
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

// Transposes through a buffer in L1, so that the target is written in whole cache lines: its rows
// often lie a power of two apart, where a few of them fill all ways of a cache set.
class Transposer {
 public:
  explicit Transposer(const Loop& loop)
      : row_(loop.stride[loop.rank - 2]),
        col_(loop.stride[loop.rank - 1]),
        item_(loop.item[0]),
        bypass_(loop.numel() * loop.item[0] > kBypassBytes) {}

  void operator()(char* const* p, int64_t rows, int64_t cols) {
    const int64_t pitch = cols * item_;
    const bool near = row_[0] < 1024;  // rows so close do not meet in one set
    if (near || rows == 1 || rows * pitch > static_cast<int64_t>(sizeof(buffer_))) {
      return copy_tile({p[0], row_[0], col_[0]}, {p[1], row_[1], col_[1]}, rows, cols, item_);
    }
    copy_tile({buffer_, pitch, item_}, {p[1], row_[1], col_[1]}, rows, cols, item_);
    for (int64_t r = 0; r < rows; ++r) {
      copy_run(p[0] + r * row_[0], buffer_ + r * pitch, pitch, bypass_);
    }
  }
  void finish() const {
    if (bypass_) finish_bypass();
  }

 private:
  const int64_t *row_, *col_;
  int64_t item_;
  bool bypass_;
  alignas(64) char buffer_[16384];
};

// The source is read across: neighbours in the target are not neighbours in it.
void copy_across(Loop& loop) {
  loop.move_to_row_dim(loop.row_dim_for(1));
  const Tiles tiles = Tiles::of_squares(loop, 4096);
  const double items = static_cast<double>(tiles.rows * tiles.cols);
  in_tasks(tiles.total, items * kNsPerItemAcross, [&](int64_t begin, int64_t end) {
    Transposer transpose(loop);
    for_tiles(loop, tiles, begin, end, transpose);
    transpose.finish();
  });
}

bool reads_one_value(const Loop& loop) {
  for (int d = 0; d < loop.rank; ++d) {
    if (loop.stride[d][1] != 0) return false;
  }
  return true;
}

// Pieces of a filled buffer, which stays in cache.
void fill_past_caches(const Operand& out, const char* value) {
  alignas(64) char buffer[4096];
  const int64_t most = int64_t{sizeof(buffer)};
  fill_items(buffer, value, most / out.item, out.item);
  in_tasks(out.numel, kNsPerByte * out.item, [&](int64_t begin, int64_t end) {
    const int64_t last = end * out.item;
    for (int64_t at = begin * out.item; at < last; at += most) {
      copy_run(out.data + at, buffer, std::min(most, last - at), true);
    }
    finish_bypass();
  });
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
  if (out.contiguous && reads_one_value(loop)) return fill(out, in.data);
  widen_items(loop);
  loop.pad_to_two_dims();
  const int64_t* const row = loop.stride[loop.rank - 2];
  const int64_t* const col = loop.stride[loop.rank - 1];
  const int64_t item = loop.item[0];
  if (col[0] == item && col[1] != item && col[1] != 0) return copy_across(loop);
  const Tiles tiles = Tiles::of_rows(loop, 16384);
  const double ns = kNsPerByte * static_cast<double>(tiles.rows * tiles.cols * item);
  in_tasks(tiles.total, ns, [&](int64_t begin, int64_t end) {
    for_tiles(loop, tiles, begin, end, [&](char* const* p, int64_t rows, int64_t cols) {
      copy_tile({p[0], row[0], col[0]}, {p[1], row[1], col[1]}, rows, cols, item);
    });
  });
}

void fill(const Operand& out, const void* value) {
  const char* const bytes = static_cast<const char*>(value);
  if (out.contiguous && out.numel * out.item > kBypassBytes) return fill_past_caches(out, bytes);
  if (out.contiguous) {
    return in_tasks(out.numel, kNsPerByte * out.item, [&](int64_t begin, int64_t end) {
      fill_items(out.data + begin * out.item, bytes, end - begin, out.item);
    });
  }
  // A source of one item, read with stride 0 everywhere; copy() does not write to it.
  copy(out, {.data = const_cast<char*>(bytes), .numel = 1, .item = out.item, .contiguous = true});
}

}  // namespace weft::kernels
