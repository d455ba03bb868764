// Batches made of a sample: examples of each input, stacked along any axis.
#pragma once

#include <optional>

#include "tests/op_suite/derivatives.h"
#include "weft/transform/vmap.h"

namespace weft::suite {

inline constexpr size_t kExamples = 3;
using Axes = std::vector<std::optional<int64_t>>;

// The examples of some tensors: those that are batched differ, the others are shared.
struct Batch {
  std::vector<Tensors> examples;  // per tensor, kExamples of them
  Axes axes;                      // per tensor: the axis in `stacked`, none if it is shared
  Tensors stacked;

  Tensors example(size_t e) const;
};

// Examples along `axis`, which may be negative.
Tensor stacked(const Tensors& examples, int64_t axis);

// Calls `check` with every choice of an axis, or none, for each input (at least one), or with a
// sample of very many choices: all of them counted from the front, then all from the back.
void for_each_axes(TensorSpan in, FunctionRef<void(const Axes&)> check);
// The same with the batch in front only, or last only.
void for_each_subset(TensorSpan in, FunctionRef<void(const Axes&)> check);

// The sample's inputs as a batch along `axes`; examples are the same whatever the axes.
Batch batch_of(const Case& c, TensorSpan in, const Axes& axes);

}  // namespace weft::suite
