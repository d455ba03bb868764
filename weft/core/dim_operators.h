// More operators on sizes, for programs: `n / 2`, `n % 4`, `n -= 1`, `n < m`.
#pragma once

#include "weft/core/dim.h"

namespace weft {

// floor(a / b); raises for b = 0.
inline Dim operator/(Dim a, Dim b) { return floor_div(a, b); }
// a - floor(a / b) * b.
inline Dim operator%(Dim a, Dim b) { return a - floor_div(a, b) * b; }
inline Dim& operator-=(Dim& a, Dim b) { return a = a - b; }
inline Dim& operator/=(Dim& a, Dim b) { return a = floor_div(a, b); }

// A comparison that depends on symbols is decided by the sizes of the traced call, and the trace
// assumes the answer. Raises [Dim.compare] if no call is traced.
bool operator<(Dim a, Dim b);
inline bool operator>(Dim a, Dim b) { return b < a; }
inline bool operator<=(Dim a, Dim b) { return !(b < a); }
inline bool operator>=(Dim a, Dim b) { return !(a < b); }

}  // namespace weft
