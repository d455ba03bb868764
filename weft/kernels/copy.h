// copy and fill: any strides, any rank, in the pool where it pays.
#pragma once

#include "weft/kernels/operand.h"

namespace weft::kernels {

// out = in, which has the shape of out or broadcasts to it; the items have the same size. They do
// not overlap.
void copy(const Operand& out, const Operand& in);

// Every element of out becomes the item at `value`.
void fill(const Operand& out, const void* value);

}  // namespace weft::kernels
