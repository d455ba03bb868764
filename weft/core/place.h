// Places: memory that waits for the results of the op that is about to run.
//
// A plan has an arena with room for every value. Around a kernel it says where the results belong,
// and Tensor::empty of exactly that type gives the place and not new memory. A kernel that makes
// its results otherwise is right all the same: the plan looks, and copies.
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

}  // namespace weft
