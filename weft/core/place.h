// Places: memory that waits for the results of the op that is about to run.
//
// A plan has an arena with a slot for every value. While an op runs, Tensor::empty of exactly the
// type of an output gives that output's slot instead of new memory. The op is free to use it
// otherwise: for scratch, for another output of the same type, or for a result that is a transposed
// view of it. The plan compares the results with the slots, and copies (Frame::store_outputs).
#pragma once

#include "weft/base/thread_local.h"
#include "weft/core/tensor.h"

namespace weft {

// Contiguous tensors that nobody reads now; each is given away once.
struct Places {
  std::span<TensorNode* const> nodes;
  uint32_t taken = 0;  // a bit each
};
inline constexpr size_t kMostPlaces = 32;

// What Tensor::empty looks at; null: nothing waits.
extern WEFT_THREAD_LOCAL Places* places;

// The places of this thread for as long as it lives (null: none).
class PlacesAre {
 public:
  explicit PlacesAre(Places* here) : outer_(places) { places = here; }
  ~PlacesAre() { places = outer_; }
  PlacesAre(const PlacesAre&) = delete;
  PlacesAre& operator=(const PlacesAre&) = delete;

 private:
  Places* const outer_;
};

// A place of that type, or undefined.
Tensor take_place(DType dtype, ShapeView shape);

// Ops that are tried out for the layout of their results copy nothing meanwhile.
extern WEFT_THREAD_LOCAL bool copies_nothing;
class CopiesNothing {
 public:
  CopiesNothing() { copies_nothing = true; }
  ~CopiesNothing() { copies_nothing = false; }
  CopiesNothing(const CopiesNothing&) = delete;
  CopiesNothing& operator=(const CopiesNothing&) = delete;
};

// What Buffer::state says of an arena: its contents pass away while tensors over it live.
inline constexpr uint8_t kPassing = 4;
bool is_passing(const Tensor& tensor);
// The same value in memory that lasts, for those who keep it.
Tensor lasting(const Tensor& tensor);

// Whether the address ranges of two concrete tensors, from the lowest element to the end of the
// highest one, have a byte in common. True for a tensor and its transpose.
bool overlap(const Tensor& a, const Tensor& b);

}  // namespace weft
