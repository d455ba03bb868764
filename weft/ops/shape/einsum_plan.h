// What an einsum equation says: the labels of every operand and of the result, and in which order
// operands are best contracted.
#pragma once

#include <vector>

#include "weft/core/tensor.h"
#include "weft/op/infer.h"

namespace weft {

// A letter, or kDots - d for the axis an ellipsis stands for that is d-th from the right: ascending
// labels of an ellipsis are its axes from the left.
using Label = int64_t;
inline constexpr Label kDots = 1000;
using Labels = Ints;
constexpr bool is_dots(Label label) { return label > kDots / 2; }

struct EinsumPlan {
  std::vector<Labels> operands;
  Labels result;
};

// Raises the laws equation, operands, rank, ellipsis, output and size.
EinsumPlan einsum_plan(std::string_view equation, TensorSpan xs);

bool contains(const Labels& labels, Label label);

// Two places in the list of terms, the first below the second: they are contracted, taken out, and
// what they make is put at the end.
struct Pair {
  size_t first, second;
};
// The pairs in turn. Of up to five terms those that need the fewest multiplications, of more those
// that leave the smallest results. `sizes` are the extents of the terms' axes.
std::vector<Pair> contraction_path(const std::vector<Labels>& terms,
                                   const std::vector<Shape>& sizes, const Labels& result);

}  // namespace weft
