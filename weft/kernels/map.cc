// The elementwise driver: flat where everything is contiguous, else two inner dims to the kernel.
//
// Along the inner dim an operand is contiguous or one value, as a kernel wants it; anything else is
// packed tile by tile into a buffer in L1 (gathers inside the kernel are four times slower).
#include "weft/kernels/map.h"

#include "weft/kernels/streamed.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tiled.h"

namespace weft::kernels {
namespace {

constexpr int64_t kFlatUnit = 1024;      // elements; tasks begin at multiples of it
constexpr int64_t kDirectTile = 16384;   // elements of a tile that needs no packing
constexpr int64_t kBufferBytes = 16384;  // of one packed operand: two fit into L1

// Inner dims below it are packed several rows at a time: a kernel with much to do for a vector
// loses more by vectors that are not full than the packing costs.
int64_t narrow(const MapKernels& kernels) { return kernels.ns_per_element > 0.5f ? 16 : 4; }

// Everything is contiguous and does not fit into the caches: in parts whose results fit into L1.
void run_streamed(MapKernel kernel, void* const* p, const int64_t* steps, int outputs, int operands,
                  int64_t n, double ns) {
  StreamedRows run;
  run.kernel = kernel;
  run.length = kFlatUnit;
  run.count = n;
  run.outputs = outputs;
  run.operands = operands;
  while (true) {
    for (int k = 0; k < operands; ++k) {
      run.p[k] = p[k];
      run.item[k] = steps[k];
      run.step[k] = run.length * steps[k];
    }
    if (run.fits()) break;
    run.length /= 2;
  }
  in_tasks((n + run.length - 1) / run.length, ns * static_cast<double>(run.length),
           [&](int64_t begin, int64_t end) { run.run(begin, end); });
}

// Everything is contiguous, or one value; too much work for one thread.
void run_flat_parallel(const MapKernels& kernels, MapKernel kernel, std::span<const Operand> all) {
  const int64_t n = all[0].numel;
  const double ns = kernels.ns_per_element;
  void* p[kMaxOperands];
  int64_t steps[kMaxOperands], bytes = 0;
  int operands = 0;
  for (const Operand& operand : all) {
    p[operands] = operand.data;
    steps[operands] = operand.numel == n ? operand.item : 0;
    bytes += n * steps[operands++];
  }
  if (kernels.streams && bytes > kStreamedBytes) {
    return run_streamed(kernel, p, steps, kernels.outputs, operands, n, ns);
  }
  const int64_t units = (n + kFlatUnit - 1) / kFlatUnit;
  in_tasks(units, ns * kFlatUnit, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kFlatUnit;
    void* here[kMaxOperands];
    for (int k = 0; k < operands; ++k) here[k] = static_cast<char*>(p[k]) + first * steps[k];
    kernel(here, kNoStrides, std::min(n, end * kFlatUnit) - first, 1, static_cast<uint64_t>(first));
  });
}

// Contiguous over the two inner dims.
bool spans_rows(const Loop& loop, int operand) {
  const int inner = loop.rank - 1;
  const int64_t step = loop.item[operand];
  return loop.stride[inner][operand] == step &&
         loop.stride[inner - 1][operand] == step * loop.size[inner];
}

// One row for all: packed once, however many rows a tile has.
bool repeats_a_row(const Loop& loop, int operand) {
  for (int d = 0; d + 1 < loop.rank; ++d) {
    if (loop.stride[d][operand] != 0) return false;
  }
  return true;
}

// Many rows shorter than vectors, taken together where that needs no packing but of one row for all
// (a bias): it is packed once for each task, as often as fills a small buffer.
constexpr int64_t kShortRow = 16, kManyElements = 8192, kRepeatedElements = 512;
bool has_short_rows(const Loop& loop) {
  if (loop.size[loop.rank - 1] >= kShortRow || loop.numel() < kManyElements) return false;
  for (int k = 0; k < loop.operands; ++k) {
    if (!spans_rows(loop, k) && !repeats_a_row(loop, k)) return false;
  }
  return true;
}

// Decides what is packed, and returns the kernel for the inputs that are one value along the row.
MapKernel choose_kernel(const MapKernels& kernels, TiledRun& run) {
  const Loop& loop = run.loop;
  const int inner = run.inner(), outputs = run.outputs = kernels.outputs;
  run.whole =
      (loop.size[inner] < narrow(kernels) || has_short_rows(loop)) && loop.size[inner - 1] > 1;
  for (int k = 0; k < outputs && run.whole; ++k) run.whole = spans_rows(loop, k);
  unsigned scalars = 0;
  for (int k = 0; k < loop.operands; ++k) {
    const int64_t step = loop.stride[inner][k];
    const bool scalar = step == 0 && k >= outputs && k < outputs + MapKernels::kVariantInputs;
    // In a whole tile one value has to serve all rows.
    const bool readable = run.whole
                              ? spans_rows(loop, k) || (scalar && loop.stride[inner - 1][k] == 0)
                              : scalar || step == loop.item[k];
    if (!readable) run.packed |= 1u << k;
    if (readable && scalar) scalars |= 1u << (k - outputs);
  }
  for (int i = 0; i < MapKernels::kVariantInputs && kernels.variant[scalars] == nullptr; ++i) {
    if (!(scalars >> i & 1)) continue;
    scalars &= ~(1u << i);
    run.packed |= 1u << (outputs + i);
  }
  return kernels.variant[scalars];
}

void choose_tiles(const MapKernels& kernels, TiledRun& run) {
  Loop& loop = run.loop;
  int64_t item = 4;
  int across = -1;  // a packed operand that lies across
  for (int k = loop.operands - 1; k >= 0; --k) {
    if (!run.is_packed(k)) continue;
    item = std::max(item, loop.item[k]);
    const int64_t step = loop.stride[run.inner()][k];
    if (step != 0 && step != loop.item[k]) across = k;
  }
  int64_t area = run.packed == 0 ? kDirectTile : kBufferBytes / item;
  if (run.packed != 0 && has_short_rows(loop)) area = kRepeatedElements;
  if (across >= 0 && !run.whole && !kernels.uses_position) {
    loop.move_to_row_dim(loop.row_dim_for(across));
    run.tiles = Tiles::of_squares(loop, area);
  } else {
    run.tiles = Tiles::of_rows(loop, area);
  }
  // The kernel counts positions from row to row without gaps.
  if (kernels.uses_position && run.tiles.col_tiles > 1) {
    run.tiles = Tiles::of(loop, 1, run.tiles.cols);
  }
}

// The kernel for operands that are all contiguous or one value; null if they are not.
MapKernel flat_kernel(const MapKernels& kernels, std::span<const Operand> operands) {
  const int64_t n = operands[0].numel;
  unsigned scalars = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    if (!operand.contiguous) return nullptr;
    if (operand.numel == n) continue;
    const size_t input = k - kernels.outputs;
    if (operand.numel != 1 || input >= MapKernels::kVariantInputs) return nullptr;
    scalars |= 1u << input;
  }
  return kernels.variant[scalars];
}

void run_tiled(const MapKernels& kernels, std::span<const Operand> operands) {
  WEFT_ASSERT(!kernels.uses_position || operands[0].contiguous, "positions of a strided output");
  TiledRun run;
  if (!run.loop.build(operands)) return;
  run.loop.pad_to_two_dims();
  run.uses_position = kernels.uses_position;
  const MapKernel kernel = choose_kernel(kernels, run);
  const Loop& loop = run.loop;
  const auto work = static_cast<double>(loop.size[0] * loop.size[1]) * kernels.ns_per_element;
  if (run.packed == 0 && loop.rank == 2 && work <= kSerialNs && !run.whole) {
    return kernel(reinterpret_cast<void* const*>(loop.data), loop.stride[0], loop.size[1],
                  loop.size[0], 0);
  }
  choose_tiles(kernels, run);
  const double ns = kernels.ns_per_element + kPackNs * run.packed_count();
  in_tasks(run.tiles.total, ns * static_cast<double>(run.tiles.rows * run.tiles.cols),
           [&](int64_t begin, int64_t end) { run.run(begin, end, kernel); });
}

}  // namespace

void map(const MapKernels& kernels, std::span<const Operand> operands) {
  const int64_t n = operands[0].numel;
  if (n == 0) return;
  const MapKernel kernel = flat_kernel(kernels, operands);
  if (kernel == nullptr) return run_tiled(kernels, operands);
  run_flat_parallel(kernels, kernel, operands);
}

MapCall direct_map(const MapKernels& kernels, std::span<const Operand> operands) {
  MapCall call;
  const int64_t n = operands[0].numel;
  const bool is_small = static_cast<double>(n) * kernels.ns_per_element <= kSerialNs;
  if (n == 0 || !is_small || kernels.uses_position || operands.size() > std::size(call.strides)) {
    return call;
  }
  call.n = n;
  call.kernel = flat_kernel(kernels, operands);
  if (call.kernel != nullptr) return call;
  TiledRun run;
  if (!run.loop.build(operands)) return call;
  run.loop.pad_to_two_dims();
  const MapKernel kernel = choose_kernel(kernels, run);
  const Loop& loop = run.loop;
  bool is_direct = run.packed == 0 && loop.rank == 2 && !run.whole;
  for (size_t k = 0; k < operands.size(); ++k) is_direct &= loop.data[k] == operands[k].data;
  if (!is_direct) return call;
  call.kernel = kernel;
  call.n = loop.size[1];
  call.rows = loop.size[0];
  for (size_t k = 0; k < operands.size(); ++k) call.strides[k] = loop.stride[0][k];
  return call;
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
    flat &= node.contiguous & (same | ((node.numel == 1) & (i < MapKernels::kVariantInputs)));
    scalars |= static_cast<unsigned>(!same) << i;
    p[count++] = node.data;
  }
  if (n == 0) return;
  const MapKernel kernel = flat ? kernels.variant[scalars] : nullptr;
  if (kernel != nullptr) {
    const double work = static_cast<double>(n) * kernels.ns_per_element;
    if (work <= kSerialNs) return kernel(p, kNoStrides, n, 1, 0);
  }
  Operand operands[kMaxOperands];
  count = 0;
  for (const Tensor& output : outputs) operands[count++] = operand_of(output);
  for (const Tensor& input : inputs) operands[count++] = operand_of(input);
  const std::span<const Operand> all(operands, static_cast<size_t>(count));
  if (kernel != nullptr) return run_flat_parallel(kernels, kernel, all);
  run_tiled(kernels, all);
}

}  // namespace weft::kernels
