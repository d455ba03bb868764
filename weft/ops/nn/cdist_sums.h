// The ops that cdist is made of: sums over the differences of two sets of points.
//
// Each is linear in its first input and in the points, and their derivatives are made of each other
// and of matrix products.
#pragma once

#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

extern const OpDef kCdistSquares, kCdistPush, kCdistPull;

// out[.., i, j] = sum over k of (a[.., i, k] - b[.., j, k])^2.
Tensor cdist_squares(const Tensor& a, const Tensor& b, Where where);
// out[.., i, j] = sum over k of u[.., i, k] (a[.., i, k] - b[.., j, k]).
Tensor cdist_push(const Tensor& u, const Tensor& a, const Tensor& b, Where where);
// out[.., i, k] = sum over j of w[.., i, j] (a[.., i, k] - b[.., j, k]).
Tensor cdist_pull(const Tensor& w, const Tensor& a, const Tensor& b, Where where);

namespace cdist_sums {

using linalg::transposed;

// Two sets of points with the same axes in front; raises [op.points].
inline void check_points(const InferCtx& cx, const Type& a, const Type& b) {
  bool fits = a.rank() >= 2 && a.rank() == b.rank();
  for (size_t d = 0; fits && d < a.shape.size(); ++d) {
    fits = d + 2 == a.shape.size() || same(a.shape[d], b.shape[d]) != Tri::kNo;
  }
  cx.require(fits, "points", "the points have shapes ", a.shape, " and ", b.shape,
             "; they may differ only in how many there are, on axis -2");
}

// `given`, the first input, has the axes of a, with `last` as the size of its last one.
inline void check_first(const InferCtx& cx, const Type& given, const Type& a, Dim last) {
  Shape expected = a.shape;
  expected.back() = last;
  cx.require(same(given.shape, expected) != Tri::kNo, "first", "the first input has shape ",
             given.shape, "; with these points it must have ", expected);
}

// Contiguous, with one axis in front of the last two.
inline Tensor as_batch(const Tensor& x) {
  const auto rank = static_cast<size_t>(x.rank());
  const Dim count = num_elements(x.shape().first(rank - 2));
  const Shape shape{count, x.shape()[rank - 2], x.shape()[rank - 1]};
  const Tensor whole = packed(x);
  return whole.view(shape, contiguous_strides(shape));
}

}  // namespace cdist_sums
}  // namespace weft
