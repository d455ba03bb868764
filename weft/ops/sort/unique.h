// What the ops for sets share: the distinct elements of a tensor.
#pragma once

#include "weft/ops/sort/sort_ops.h"

namespace weft {

// Distinct elements in ascending order; of equal ones the first. Raises [op.concrete] where x is
// not known: how many there are decides a shape.
class Distinct {
 public:
  Distinct(std::string_view op, const Tensor& x);

  Tensor values() const;
  Tensor indices() const;  // where each value occurs first, in the flattened x
  Tensor inverse() const;  // for each element the place of its value; of x's shape
  Tensor counts() const;   // how often each value occurs

 private:
  Tensor flat_;
  Shape shape_;
  std::vector<int64_t> order_;   // of the flattened x
  std::vector<int64_t> starts_;  // where in `order_` each value begins
};

}  // namespace weft
