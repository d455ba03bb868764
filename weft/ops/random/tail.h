// Draws of the two tails of a distribution: how far from the nearer end, and from which.
#pragma once

#include "weft/ops/random/random.h"

namespace weft::random {

// 64 random bits of the element that a fill kernel computes, as its distance `tail` from the nearer
// end of (0, 1), with the full precision of the dtype however small, its distance `center` from
// 1/2, and the end. Neither is ever 0.
struct Tail {
  Expr tail, center, is_low;
};
Tail tail_here(Expr key0, Expr key1, DType dtype);

// The draws themselves in the dtype that `at` computes in: below 0 from the low end. Raises the
// laws of `at` and of the key.
Tensor tails(std::string_view op, const FillAttrs& at, const Tensor& key);

// -log(u) of the uniform draw u that is `t` from an end.
Tensor exponential_of(const Tensor& t);

// `draws` times in[first + 1], plus in[first], where they are given, as `at` asks for; raises
// [op.parameters] unless they broadcast.
Tensor located(std::string_view op, const FillAttrs& at, const Tensor& draws, TensorSpan in,
               size_t first);

}  // namespace weft::random
