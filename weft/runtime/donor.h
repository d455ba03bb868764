// Donor: a caller that lets a run write in the memory of arguments which results replace.
#pragma once

#include "weft/runtime/plan.h"

namespace weft {

class Donor {
 public:
  virtual ~Donor() = default;
  // Gives up what it gave for these parameters, all of them or none. The run puts something back
  // before anything else happens.
  virtual Tensors give_up(std::span<const Replaced> places) = 0;
  virtual void put_back(TensorSpan values) = 0;
};

}  // namespace weft
