// Triangular systems of real numbers by substitution, in one order of operations for every CPU.
#pragma once

#include "weft/core/native.h"

namespace weft::kernels::triangular {

// Solves as core/native.h says, for f32 and f64: x[i] is b[i], from which a[i, j] * x[j] is
// subtracted by one fma for each j in the order in which the unknowns are found (ascending for a
// lower triangle, descending for an upper one), divided by a[i, i]. The bits of a column depend on
// the triangle and that column alone.
void solve(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how, Blame blame);

}  // namespace weft::kernels::triangular
