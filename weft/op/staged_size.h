// Sizes as numbers: x.shape[0] in a graph, where an op wants a number that decides a shape, or a
// tensor.
#pragma once

#include <optional>

#include "weft/base/where.h"
#include "weft/core/tensor.h"
#include "weft/op/infer.h"

namespace weft {

// The size that a value of a graph stands for; nothing if it stands for none. A plain integer is
// itself.
std::optional<Dim> size_in(const Tensor& scalar);

// The size as an integer of rank 0 that takes the dtype of what it meets; a graph has it when it
// runs.
Tensor size_as_tensor(Dim size, Where where);

// An attribute that is one size: a Shape, for it may have symbols, of one extent. Raises [op.size]
// for others, and [op.negative] for one below 0.
Dim only_size(const InferCtx& cx, std::string_view name, const Shape& given);

// Which of two sizes is the lesser. A trace decides it by the sizes it has seen, and whether they
// are equal; in a graph it is what a run finds.
Dim lesser(Dim a, Dim b);

// The number that a size, or a float computed from sizes, is in the call that is traced, which is
// noted; nothing if it is neither, or there is no call. For what depends on the number itself.
std::optional<Tensor> number_of_call(const Tensor& scalar);

// Graphs are above ops: they say here how their values are looked at, and how a size becomes one.
struct StagedSizes {
  std::optional<Dim> (*find)(const Tensor& value);
  Tensor (*make)(Dim size, Where where);
  std::optional<Tensor> (*decide)(const Tensor& value);
};
void set_staged_sizes(const StagedSizes& sizes);  // which lives on

}  // namespace weft
