// What nanmax and nanmin share.
#include "weft/ops/reduce/extremum.h"
#include "weft/ops/reduce/nan_free.h"

namespace weft {

Tensors nan_extremum(const CompositeDef& op, const ReduceAttrs& at, const Tensor& x,
                     Tensor (*choose)(const Tensor&, std::optional<Ints>, bool, Where),
                     double nothing) {
  const InferCtx cx{op.name};
  cx.require_type(!is_complex(x.dtype()), "dtype", "x has dtype ", x.dtype(),
                  ", but must be ordered; cast it first");
  extremum_infer(at, cx, Types{x.type()});
  const Where here = Where::here();
  if (!is_floating(x.dtype())) return {choose(x, at.axis, at.keepdims, here)};
  const Tensor chosen = choose(nan_replaced(x, nothing), at.axis, at.keepdims, here);
  return {
      where(all(isnan(x), at.axis, at.keepdims), scalar_like(chosen, __builtin_nan("")), chosen)};
}

}  // namespace weft
