// Variants of samples in which axes of different sizes have the same size.
#pragma once

#include "tests/op_suite/checks.h"

namespace weft::suite {

// At most `most` variants of each sample that the op accepts, without the sample itself. Sizes
// below `smallest` do not change. Elementwise ops have no variants.
std::vector<Sample> with_equal_axes(const Case& c, const std::vector<Sample>& samples,
                                    int64_t smallest, size_t most = SIZE_MAX);
// The dtype that they are run in.
DType equal_axes_dtype(const Case& c);
// The attributes and shapes of a sample, for messages.
std::string shapes_of(const Sample& sample);

}  // namespace weft::suite
