// The elementwise driver: flat where everything is contiguous, else two inner dims to the kernel.
//
// Along the inner dim an operand is contiguous or one value, as a kernel wants it; anything else is
// packed tile by tile into a buffer in L1 (gathers inside the kernel are four times slower).
#include "weft/kernels/map.h"

#include <optional>

#include "weft/kernels/loop.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels {
namespace {

constexpr int64_t kNoStrides[kMaxOperands] = {};
constexpr int64_t kFlatUnit = 1024;     // elements; tasks begin at multiples of it
constexpr int64_t kDirectTile = 16384;  // elements of a tile that needs no packing
constexpr int64_t kBufferBytes =
    16384;                       // of one packed operand: three fit into L1 and the start of L2
constexpr int64_t kNarrow = 16;  // inner dims below it are packed several rows at a time
constexpr double kPackNs = 0.6;  // for one element of one operand

// Everything is contiguous, or one value; too much work for one thread.
void run_flat_parallel(MapKernel kernel, void* const* p, TensorSpan outputs, TensorSpan inputs,
                       int64_t n, double ns) {
  int64_t steps[kMaxOperands];
  int operands = 0;
  for (const TensorSpan tensors : {outputs, inputs}) {
    for (const Tensor& tensor : tensors) {
      const Operand operand = operand_of(tensor);
      steps[operands++] = operand.numel == n ? operand.item : 0;
    }
  }
  const int64_t units = (n + kFlatUnit - 1) / kFlatUnit;
  in_tasks(units, ns * kFlatUnit, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kFlatUnit;
    void* here[kMaxOperands];
    for (int k = 0; k < operands; ++k) here[k] = static_cast<char*>(p[k]) + first * steps[k];
    kernel(here, kNoStrides, std::min(n, end * kFlatUnit) - first, 1, static_cast<uint64_t>(first));
  });
}

enum class Along : uint8_t { kContiguous, kScalar, kPacked };

// How a kernel runs over a loop: which variant, which operands are packed.
struct Plan {
  Loop loop;
  Tiles tiles;
  MapKernel kernel = nullptr;
  int outputs = 1;
  bool uses_position = false;
  bool whole = false;  // tiles are contiguous as a whole: one row for the kernel
  int packed_count = 0;
  Along along[kMaxOperands];

  void classify(const MapKernels& kernels);
  void choose_variant(const MapKernels& kernels);
  void choose_tiles();
  void run(int64_t begin, int64_t end) const;

 private:
  int inner() const { return loop.rank - 1; }
  bool spans_rows(int operand) const {
    const int64_t step = loop.item[operand];
    return loop.stride[inner()][operand] == step &&
           loop.stride[inner() - 1][operand] == step * loop.size[inner()];
  }
  void run_tile(char* const* at, int64_t rows, int64_t cols, char* buffer, int64_t buffer_bytes,
                const char** last) const;
};

void Plan::classify(const MapKernels& kernels) {
  outputs = kernels.outputs;
  uses_position = kernels.uses_position;
  whole = loop.size[inner()] < kNarrow && loop.size[inner() - 1] > 1;
  for (int k = 0; k < outputs && whole; ++k) whole = spans_rows(k);
  for (int k = 0; k < loop.operands; ++k) {
    const int64_t step = loop.stride[inner()][k];
    along[k] = step == loop.item[k] ? Along::kContiguous : Along::kPacked;
    if (step == 0 && k >= outputs && k < outputs + 3) along[k] = Along::kScalar;
    // One value for all rows may stay what it is.
    if (whole && k >= outputs && !spans_rows(k) &&
        (step != 0 || loop.stride[inner() - 1][k] != 0)) {
      along[k] = Along::kPacked;
    }
  }
}

void Plan::choose_variant(const MapKernels& kernels) {
  unsigned scalars = 0;
  for (int i = 0; i < 3 && outputs + i < loop.operands; ++i) {
    if (along[outputs + i] == Along::kScalar) scalars |= 1u << i;
  }
  for (int i = 0; i < 3 && kernels.variant[scalars] == nullptr; ++i) {
    if (!(scalars >> i & 1)) continue;
    scalars &= ~(1u << i);
    along[outputs + i] = Along::kPacked;
  }
  kernel = kernels.variant[scalars];
  for (int k = 0; k < loop.operands; ++k) packed_count += along[k] == Along::kPacked;
}

void Plan::choose_tiles() {
  int64_t item = 4;
  int across = -1;  // a packed input that is read across its memory
  for (int k = loop.operands - 1; k >= 0; --k) {
    if (along[k] != Along::kPacked) continue;
    item = std::max(item, loop.item[k]);
    const int64_t step = loop.stride[inner()][k];
    if (step != 0 && step != loop.item[k]) across = k;
  }
  const int64_t area = packed_count == 0 ? kDirectTile : kBufferBytes / item;
  if (across >= 0 && !whole && !uses_position) {
    loop.move_to_row_dim(loop.row_dim_for(across));
    tiles = Tiles::of_squares(loop, area);
  } else {
    tiles = Tiles::of_rows(loop, area);
  }
  // The kernel counts positions from row to row without gaps.
  if (uses_position && tiles.col_tiles > 1) tiles = Tiles::of(loop, 1, tiles.cols);
}

void Plan::run(int64_t begin, int64_t end) const {
  alignas(64) char small[4096];
  const int64_t area = (tiles.rows * tiles.cols + 63) / 64 * 64;
  int64_t item = 1;
  for (int k = 0; k < loop.operands; ++k) {
    if (along[k] == Along::kPacked) item = std::max(item, loop.item[k]);
  }
  const int64_t each = area * item;
  std::optional<Scratch> scratch;
  char* buffer = small;
  if (packed_count * each > static_cast<int64_t>(sizeof(small))) {
    buffer = scratch.emplace(packed_count * each).data();
  }
  const char* last[kMaxOperands] = {};
  for_tiles(loop, tiles, begin, end, [&](char* const* at, int64_t rows, int64_t cols) {
    run_tile(at, rows, cols, buffer, each, last);
  });
}

// `last` holds what each buffer was packed from, so that an input broadcast over the outer dims is
// packed once. Only tiles of full size are remembered.
void Plan::run_tile(char* const* at, int64_t rows, int64_t cols, char* buffer, int64_t buffer_bytes,
                    const char** last) const {
  const int64_t* const row = loop.stride[inner() - 1];
  const int64_t* const col = loop.stride[inner()];
  const bool full = rows == tiles.rows && cols == tiles.cols;
  void* p[kMaxOperands];
  int64_t row_strides[kMaxOperands];
  char* next = buffer;
  for (int k = 0; k < loop.operands; ++k) {
    p[k] = at[k];
    row_strides[k] = row[k];
    if (along[k] != Along::kPacked) continue;
    p[k] = next;
    next += buffer_bytes;
    row_strides[k] = cols * loop.item[k];
    if (k < outputs || (full && last[k] == at[k])) continue;
    copy_tile({static_cast<char*>(p[k]), row_strides[k], loop.item[k]}, {at[k], row[k], col[k]},
              rows, cols, loop.item[k]);
    last[k] = full ? at[k] : nullptr;
  }
  const auto position = static_cast<uint64_t>((at[0] - loop.data[0]) / loop.item[0]);
  if (whole) {
    kernel(p, kNoStrides, rows * cols, 1, position);
  } else {
    kernel(p, row_strides, cols, rows, position);
  }
  for (int k = 0; k < outputs; ++k) {
    if (along[k] != Along::kPacked) continue;
    copy_tile({at[k], row[k], col[k]}, {static_cast<char*>(p[k]), row_strides[k], loop.item[k]},
              rows, cols, loop.item[k]);
  }
}

}  // namespace

void map(const MapKernels& kernels, std::span<const Operand> operands) {
  WEFT_ASSERT(!kernels.uses_position || operands[0].contiguous, "positions of a strided output");
  Plan plan;
  if (!plan.loop.build(operands)) return;
  plan.loop.pad_to_two_dims();
  plan.classify(kernels);
  plan.choose_variant(kernels);
  plan.choose_tiles();
  const double ns = kernels.ns_per_element + kPackNs * plan.packed_count;
  in_tasks(plan.tiles.total, ns * static_cast<double>(plan.tiles.rows * plan.tiles.cols),
           [&](int64_t begin, int64_t end) { plan.run(begin, end); });
}

void map(const MapKernels& kernels, TensorSpan outputs, TensorSpan inputs) {
  void* p[kMaxOperands];
  const int64_t n = static_cast<const Concrete*>(outputs[0].node())->numel;
  bool flat = true;
  int count = 0;
  unsigned scalars = 0;
  for (const Tensor& output : outputs) {
    const auto& node = *static_cast<const Concrete*>(output.node());
    flat &= node.contiguous;
    p[count++] = node.data;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& node = *static_cast<const Concrete*>(inputs[i].node());
    const bool same = node.numel == n;  // it broadcasts to n elements: then it has the same shape
    flat &= node.contiguous & (same | ((node.numel == 1) & (i < 3)));
    scalars |= static_cast<unsigned>(!same) << i;
    p[count++] = node.data;
  }
  if (n == 0) return;
  const MapKernel kernel = flat ? kernels.variant[scalars] : nullptr;
  if (kernel != nullptr) {
    const double ns = kernels.ns_per_element;
    if (static_cast<double>(n) * ns <= kSerialNs) return kernel(p, kNoStrides, n, 1, 0);
    return run_flat_parallel(kernel, p, outputs, inputs, n, ns);
  }
  Operand operands[kMaxOperands];
  count = 0;
  for (const Tensor& output : outputs) operands[count++] = operand_of(output);
  for (const Tensor& input : inputs) operands[count++] = operand_of(input);
  map(kernels, std::span<const Operand>(operands, static_cast<size_t>(count)));
}

}  // namespace weft::kernels
