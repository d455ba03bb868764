// expect: says what the sizes of a tensor are, and what they are called.
//
//   const Tensor x = expect(given, "batch 784");
#pragma once

#include <string_view>

#include "weft/base/where.h"
#include "weft/core/tensor.h"

namespace weft {

// x, whose sizes are as said: numbers, names, and _ for any. A name means one size wherever it
// stands in a graph, whose text and errors print it. Raises [expect.rank] and [expect.size]; of
// sizes that are known only when a graph runs, the run raises [Session.sizes].
Tensor expect(const Tensor& x, std::string_view sizes, Where where = Where::here());

}  // namespace weft
