// Sorting, searching and sets: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

Tensor sort(const Tensor& x, int64_t axis = -1, bool descending = false,
            Where where = Where::here());
Tensor argsort(const Tensor& x, int64_t axis = -1, bool descending = false,
               Where where = Where::here());
// The k first of the order, greatest first if `largest`.
struct TopK {
  Tensor values, indices;
};
TopK topk(const Tensor& x, int64_t k, int64_t axis = -1, bool largest = true,
          Where where = Where::here());

// Where values would go in `sorted`, before what is equal or to the right of it.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false,
                    Where where = Where::here());
// Distinct elements in ascending order; the others also where they are first, for each element
// where its value is, and how often it occurs. Not under vmap: values decide the shape.
Tensor unique_values(const Tensor& x, Where where = Where::here());
Tensors unique_all(const Tensor& x, Where where = Where::here());
Tensors unique_counts(const Tensor& x, Where where = Where::here());
Tensors unique_inverse(const Tensor& x, Where where = Where::here());
// Over axes, or all elements. `q` between 0 and 1, of any shape, comes first in the result.
Tensor median(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
              Where where = Where::here());
Tensor quantile(const Tensor& x, const Tensor& q, std::optional<Ints> axis = {},
                bool keepdims = false, Where where = Where::here());

struct SortAttrs {
  int64_t axis = -1;
  bool descending = false;
  bool stable = true;
  static constexpr auto fields = fields_of(
      field("axis", &SortAttrs::axis, "the axis to sort along"),
      field("descending", &SortAttrs::descending, "the greatest first"),
      field("stable", &SortAttrs::stable, "what is equal keeps its order; it does in any case"));
};

extern const OpDef kSort, kArgsort, kTopKIndices, kSearchSorted;
extern const CompositeDef kTopK, kSearchsorted, kUniqueAll, kUniqueCounts, kUniqueInverse,
    kUniqueValues, kMedian, kQuantile;

}  // namespace weft
