// Batching: values that carry one more axis than they show.
#pragma once

#include <optional>

#include "weft/transform/vjp.h"

namespace weft {

// What draws of the default generator mean inside: keys of one's own need no such word.
enum class Randomness : uint8_t { kRaise, kSame, kDifferent };

// Which axis of a value counts the examples; none: it is the same for every example.
using BatchAxes = std::vector<std::optional<int64_t>>;

struct VmapOptions {
  BatchAxes in_axes{};                 // per input
  BatchAxes out_axes{};                // per output; empty: 0 for all
  std::optional<int64_t> axis_size{};  // needed only if no input is batched
  std::string axis_name{};             // for psum, pmean, axis_index inside
  Randomness randomness = Randomness::kRaise;
};

// Inside of vmap: the number of the example, the sum and the mean over all examples, by the name of
// the axis. They raise where no such axis is open.
Tensor axis_index(std::string_view axis_name, Where where = Where::here());
Tensor psum(const Tensor& x, std::string_view axis_name, Where where = Where::here());
Tensor pmean(const Tensor& x, std::string_view axis_name, Where where = Where::here());

// Axes per part of a tree (empty: 0 for all; one: the same for all) as axes per leaf.
BatchAxes spread_axes(const BatchAxes& axes, std::span<const size_t> part_sizes,
                      std::string_view what, std::string_view parts);

// f for every example of a batch at once.
Tensors vmap_flat(FlatFunction f, TensorSpan in, const VmapOptions& options, Where where);

}  // namespace weft
