// angle: the angle of a complex number.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Tensors composed(const NoAttrs&, TensorSpan in) {
  const Tensor& x = in[0];
  if (!is_complex(x.dtype())) return {atan2(0.0, x)};
  const Tensor across = real(x);
  return {atan2(imag(x), across)};
}

}  // namespace

constinit const CompositeDef kAngle{
    .name = "angle",
    .doc =
        "`atan2(imag(x), real(x))`: the angle of a complex number from -pi to pi, as a real "
        "number. Real numbers have angle 0, or pi if negative (-0 too), and NaN stays NaN. The "
        "derivative at 0 is 0.",
    .inputs = {"x: numeric"},
    .outputs = {"out: floating"},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "angle"}, Alias{"torch", "angle"}, Alias{"jax", "numpy.angle"},
                 Alias{"tf", "math.angle"}},
};

Tensor angle(const Tensor& x, Where where) { return compose(kAngle, inputs(x), kNoAttrs, where); }

}  // namespace weft
