// Batching: values that carry one more axis than they show.
#pragma once

#include <optional>

#include "weft/transform/vjp.h"

namespace weft {

struct VmapOptions {
  std::vector<std::optional<int64_t>> in_axes{};   // per input; none: the same for every example
  std::vector<std::optional<int64_t>> out_axes{};  // per output; empty: 0 for all
  std::optional<int64_t> axis_size{};              // needed only if no input is batched
  std::string axis_name{};                         // for psum, pmean, axis_index inside
};

// f for every example of a batch at once.
Tensors vmap_flat(FlatFunction f, TensorSpan in, const VmapOptions& options, Where where);

}  // namespace weft
