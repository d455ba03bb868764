// erfinv: x times a polynomial of w = -log(1 - x^2), or of its root where that is large.
//
// The division into pieces is that of Giles, "Approximating the erfinv function", 2012.
#include "weft/expr/math/coefficients.h"
#include "weft/expr/math/expand.h"
#include "weft/expr/math/pieces.h"

namespace weft::expr_math {

Expr expand_erfinv(Expr x) {
  const Expr y = cast(x, DType::kF64);
  const Expr one = literal(y, 1.0);
  const Expr w = -expand_log((one - y) * (one + y)), root = sqrt(w);
  const Expr ratio = is_f32(x) ? where(w < 5, polynomial(w - 2.5, kErfinvNearF32),
                                       polynomial(root - 3.0, kErfinvFarF32))
                               : where(w < 6.25, polynomial(w - 3.125, kErfinvNearF64),
                                       where(w < 16, polynomial(root - 3.25, kErfinvMiddleF64),
                                             polynomial(root - 5.0, kErfinvFarF64)));
  const Expr inside = cast(y * ratio, x.dtype());
  return where(abs(x) == 1, x * kInf, inside);
}

}  // namespace weft::expr_math
