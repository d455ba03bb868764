// The types that a call gives, from types alone: what staging a graph will do.
#pragma once

#include "weft/op/registry.h"

namespace weft::suite {

// The types that an op or composite gives for inputs of these types, without values: symbolic dims
// pass through it.
Types types_through(const OpEntry& entry, TypeSpan in, const void* attrs);

}  // namespace weft::suite
