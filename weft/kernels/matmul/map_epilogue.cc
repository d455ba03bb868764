// Lays the operands of a generated kernel over one tile of C and calls it once.
#include "weft/kernels/matmul/map_epilogue.h"

#include <utility>

#include "weft/base/error.h"
#include "weft/kernels/matmul/workspace.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

// An input's part under the tile; strides in bytes.
struct Part {
  const char* data;
  int64_t row;
  int64_t col;
};

Part part_of(const EpilogueInput& input, const MapEpilogue& map, int64_t batch, int64_t row0,
             int64_t col0) {
  int64_t offset = row0 * input.row + col0 * input.col;
  if (input.batch != nullptr) {
    for (int64_t d = map.batch_rank; d-- > 0;) {
      offset += batch % map.batch[d].size * input.batch[d];
      batch /= map.batch[d].size;
    }
  }
  return {static_cast<const char*>(input.data) + offset * input.item, input.row * input.item,
          input.col * input.item};
}

// A dense column of C is better seen as one row, unless an input that is one value along a row
// would then vary.
bool can_turn(const MapEpilogue& map, int64_t cols, int64_t c_row) {
  if (cols != 1 || c_row != 1) return false;
  for (int64_t i = 0; i < map.count; ++i) {
    if (map.inputs[i].one_value && map.inputs[i].row != 0) return false;
  }
  return true;
}

}  // namespace

void MapEpilogue::apply(const void* self, void* tile, int64_t batch, int64_t row0, int64_t rows,
                        int64_t col0, int64_t cols, int64_t c_row) {
  const auto& map = *static_cast<const MapEpilogue*>(self);
  WEFT_ASSERT(map.count <= kMaxInputs, "an epilogue of ", map.count, " inputs");
  const bool turned = can_turn(map, cols, c_row);
  if (turned) std::swap(rows, cols);
  Workspace packed[kMaxInputs];
  void* operands[2 + kMaxInputs] = {tile, tile};
  int64_t row_strides[2 + kMaxInputs] = {c_row * map.item, c_row * map.item};
  for (int64_t i = 0; i < map.count; ++i) {
    const EpilogueInput& input = map.inputs[i];
    Part part = part_of(input, map, batch, row0, col0);
    if (turned) std::swap(part.row, part.col);
    if (!input.one_value && part.col != input.item && cols > 1) {
      const int64_t packed_rows = part.row == 0 ? 1 : rows;
      packed[i].renew(packed_rows * cols * input.item);
      const TileTarget target{packed[i].as<char>(), cols * input.item, input.item};
      copy_tile(target, {part.data, part.row, part.col}, packed_rows, cols, input.item);
      part = {target.data, part.row == 0 ? 0 : target.row, target.col};
    }
    operands[2 + i] = const_cast<char*>(part.data);
    row_strides[2 + i] = part.row;
  }
  map.kernel(operands, row_strides, cols, rows, 0);
}

}  // namespace weft::kernels
