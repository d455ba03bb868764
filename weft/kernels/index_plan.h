// IndexPlan: a take, gather or one of their transposes as three loops: before, along and after the
// axis.
#pragma once

#include "weft/core/native.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"

namespace weft::kernels {

// An operand with its dims before, along and after the axis merged; strides in bytes.
struct ThreeLoops {
  char* data = nullptr;
  int64_t outer = 0, along = 0, inner = 0;
};

// Memory that holds a contiguous copy of an operand whose strides do not merge; usually none.
struct Packed {
  MemoryBlock block;
  ~Packed() { deallocate(block); }
};

// The dims of `operand` are [0, first) before the axis, [first, last) along it, [last, rank) after
// it. `sizes` are the extents to use of them (null: its own).
ThreeLoops three_loops(const Operand& operand, int64_t first, int64_t last, const Dim* sizes,
                       Packed& packed);

// The dims [first, last) as one loop, if they nest: its stride in bytes. Dims of size 1 do not
// matter.
bool merge(const Operand& operand, const Dim* sizes, int64_t first, int64_t last, int64_t* stride);

struct IndexPlan {
  int64_t outer = 1, along = 1, inner = 1;  // extents of the loops; `along` counts indices
  int64_t axis_size = 0;                    // what the indices run over
  ThreeLoops indices;                       // strides 0 where the index does not vary

  int64_t numel() const { return outer * along * inner; }
};

// One index for all elements before and after the axis (take), or one for each (gather).
IndexPlan plan_take(const Tensor& indices, ShapeView shape, int64_t axis, Packed& packed);
IndexPlan plan_gather(const Tensor& indices, int64_t axis_size, int64_t axis, Packed& packed);

// Raises for the index with the lowest position that is out of range: there is one.
[[noreturn]] void fail_index(const Tensor& indices, int64_t axis, int64_t size, Blame blame);

template <class Index>
inline int64_t index_at(const ThreeLoops& indices, int64_t o, int64_t j, int64_t i) {
  return *reinterpret_cast<const Index*>(indices.data + o * indices.outer + j * indices.along +
                                         i * indices.inner);
}

// -1 counts from the end. The result is out of range, as an unsigned number, if the index was.
inline uint64_t wrapped(int64_t index, int64_t size) {
  return static_cast<uint64_t>(index < 0 ? index + size : index);
}

// Asks for memory that will be read soon: rows that indices name come from anywhere.
inline void ask_for(const char* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
}

}  // namespace weft::kernels
