// Batching: values that carry one more axis than they show.
#pragma once

#include <optional>

#include "weft/transform/vjp.h"

namespace weft {

// What draws of the default generator mean inside: keys of one's own need no such word.
enum class Randomness : uint8_t { kRaise, kSame, kDifferent };

// Which axis of a value counts the examples; none: it is the same for every example.
using BatchAxes = std::vector<std::optional<int64_t>>;

struct FlatVmapOptions {
  BatchAxes in_axes{};                 // per input
  BatchAxes out_axes{};                // per output; empty: 0 for all
  std::optional<int64_t> axis_size{};  // needed only if no input is batched
  std::string axis_name{};             // for psum, pmean, axis_index inside
  Randomness randomness = Randomness::kRaise;
};

// The axes of an argument or a result that is a tree: one for all of its leaves, or a list with one
// for each.
struct TreeAxes {
  BatchAxes axes;
  bool is_list = false;

  TreeAxes(int64_t axis) : axes{axis} {}            // NOLINT(google-explicit-constructor)
  TreeAxes(std::nullopt_t) : axes{std::nullopt} {}  // NOLINT(google-explicit-constructor)
  TreeAxes(std::initializer_list<std::optional<int64_t>> of_leaves)  // {0, std::nullopt}
      : axes(of_leaves), is_list(true) {}
};

// The same for functions over trees: one entry for all arguments or results, or one for each.
struct VmapOptions {
  std::vector<TreeAxes> in_axes{};
  std::vector<TreeAxes> out_axes{};
  std::optional<int64_t> axis_size{};
  std::string axis_name{};
  Randomness randomness = Randomness::kRaise;
};

// Inside of vmap: the number of the example, the sum and the mean over all examples, by the name of
// the axis. They raise where no such axis is open.
Tensor axis_index(std::string_view axis_name, Where where = Where::here());
Tensor psum(const Tensor& x, std::string_view axis_name, Where where = Where::here());
Tensor pmean(const Tensor& x, std::string_view axis_name, Where where = Where::here());

// Axes per part of a tree (empty: 0 for all; one: the same for all) as axes per leaf.
BatchAxes spread_axes(std::span<const TreeAxes> axes, std::span<const size_t> part_sizes,
                      std::string_view what, std::string_view parts);

// f for every example of a batch at once.
Tensors vmap_flat(FlatFunction f, TensorSpan in, const FlatVmapOptions& options, Where where);

}  // namespace weft
