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

// Examples that differ in their values but stay in the domain: floats shrink, others change places,
// keys are split.
Tensors examples_of(const OpEntry& entry, size_t input, const Tensor& x, Random& random);

// Examples along `axis`, which may be negative.
Tensor stacked(const Tensors& examples, int64_t axis);

// Calls `check` with every choice of an axis, or none, for each input (at least one): all of them
// counted from the front, then all from the back.
void for_each_axes(TensorSpan in, FunctionRef<void(const Axes&)> check);
// The same with the batch in front only, or last only.
void for_each_subset(TensorSpan in, FunctionRef<void(const Axes&)> check);

// The sample's inputs as a batch along `axes`; examples are the same whatever the axes.
Batch batch_of(const OpEntry& entry, TensorSpan in, const Axes& axes);

}  // namespace weft::suite
