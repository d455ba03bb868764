// Parts of an axis by sizes that may be symbols.
#pragma once

#include "weft/op/builtin.h"

namespace weft {

// split, by sizes that may be known only when a graph runs.
Tensors parts_of(const Tensor& x, const Shape& sizes, int64_t axis, Where where);

// x[start:stop] along `axis`, by Python's rules: negative places count from the end, and what is
// outside is left out. Left out themselves they are the ends.
Tensor part_of(const Tensor& x, int64_t axis, std::optional<Dim> start, std::optional<Dim> stop,
               Where where);

// x[place:][:1] along `axis`: the one element there; raises [slice.range] if there is none.
Tensor row_at(const Tensor& x, int64_t axis, Dim place, Where where);

}  // namespace weft
