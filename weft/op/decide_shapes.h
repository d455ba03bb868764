// decide_same of shapes: for the laws of ops that are made of others, which nobody checks again
// when a graph runs.
#pragma once

#include "weft/core/shape.h"

namespace weft {

// same(a, b), with the answers of the trace that is being made where symbols leave it open: it
// takes note of them.
Tri decide_same(ShapeView a, ShapeView b);

}  // namespace weft
