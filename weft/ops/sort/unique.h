// What the ops for sets share: the distinct elements of a tensor.
#pragma once

#include "weft/ops/sort/sort_ops.h"

namespace weft {

// Distinct elements in ascending order; of equal ones the first. Raises [op.batch] where x differs
// between the examples of a vmap.
class Distinct {
 public:
  Distinct(std::string_view op, const Tensor& x);

  Tensor values() const;
  Tensor indices() const;  // where each value occurs first, in the flattened x
  Tensor inverse() const;  // for each element the place of its value; of x's shape
  Tensor counts() const;   // how often each value occurs

 private:
  Tensor groups() const;  // the place of each value among the distinct ones, in ascending order

  Shape shape_;
  Tensor flat_, order_;  // of the flattened x
  Tensor is_first_;      // in that order: does a value begin here?
  Tensor starts_;        // and where each begins
};

// Values decide how many distinct elements there are, so the examples of a vmap have no common
// shape.
void require_one_example(std::string_view op, const Tensor& x);

}  // namespace weft
