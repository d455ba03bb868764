// index_at and update_at: several axes indexed at once, for reading and for updating.
//
// The indices of all axes become one offset for each position, checked, in memory of its own; then
// rows are read from there or joined to what is there. See index.h for what an index means.
#pragma once

#include "weft/core/native.h"
#include "weft/kernels/index_plan.h"
#include "weft/kernels/scratch.h"

namespace weft::kernels {

// A tensor whose axes [first, first + k) are indexed, as loops: what is before them (outer) and
// after them (inner) merged, strides in bytes; in between an offset for each position.
class Places {
 public:
  // `base` is copied if the axes around the indexed ones do not merge; `axes` are for errors.
  Places(const Tensor& base, TensorSpan indices, int64_t first, const Ints& axes, Blame blame);

  int64_t outer = 1, count = 1, inner = 1;  // extents; count: of positions
  ThreeLoops base;                          // `along` is not used
  const int64_t* offsets() const { return reinterpret_cast<const int64_t*>(scratch_.data()); }
  bool empty() const { return outer * count * inner == 0; }

 private:
  Tensor packed_;  // keeps the copy
  Scratch scratch_;
};

void index_at(const Tensor& out, const Tensor& in, TensorSpan indices, int64_t first,
              const Ints& axes, Blame blame);
void update_at(const Tensor& out, const Tensor& updates, TensorSpan indices, int64_t first,
               const Ints& axes, Join join, Blame blame);
void chain_at(const Tensor& out, const Tensor& before, const Tensor& a, const Tensor& b,
              TensorSpan indices, int64_t first, const Ints& axes, Blame blame);

}  // namespace weft::kernels
