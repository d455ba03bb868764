// Shape: the extents of a tensor; Type: a dtype and a shape.
#pragma once

#include <span>

#include "weft/base/inline_vector.h"
#include "weft/core/dim.h"
#include "weft/core/dtype.h"

namespace weft {

inline constexpr int64_t kMaxRank = 32;

using Shape = InlineVector<Dim, 6>;
using ShapeView = std::span<const Dim>;
using Ints = InlineVector<int64_t, 6>;  // axes, strides, permutations

inline int64_t rank_of(ShapeView shape) { return static_cast<int64_t>(shape.size()); }

// The product of the extents, checked for overflow; 1 for rank 0.
Dim num_elements(ShapeView shape);

// How the elements of a tensor lie in memory.
struct StridedLayout {
  ShapeView shape;
  std::span<const int64_t> strides;  // in elements
};

// Row-major strides in elements; all extents must be known.
Ints contiguous_strides(ShapeView shape);

// Whether the elements lie in row-major order without gaps.
bool is_contiguous(const StridedLayout& layout);

Tri same(ShapeView a, ShapeView b);

// -1 is the last axis; the result is out of range if the axis was.
constexpr int64_t normalized(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

struct Type {
  DType dtype = DType::kF32;
  Shape shape;

  int64_t rank() const { return rank_of(shape); }
  friend bool operator==(const Type&, const Type&) = default;
};

using Types = InlineVector<Type, 2>;
using TypeSpan = std::span<const Type>;

void append_text(std::string& out, const Type& type);  // f32[2, 3]

}  // namespace weft
