// sign: -1, 0 or 1.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// What of a change of x turns it, over its modulus: the same map in both directions.
Tensors derivative(const NoAttrs&, const GradCtx& cx, TensorSpan change) {
  const Tensor& x = cx.inputs[0];
  if (!is_complex(x.dtype())) return {zeros(Shape(x.shape()), x.dtype(), cx.where)};
  const Tensor &direction = cx.outputs[0], modulus = abs(x, cx.where);
  const Tensor along = real(multiply_no_nan(conj(direction), change[0], cx.where));
  const Tensor turning = change[0] - multiply_no_nan(direction, along, cx.where);
  // 0 at 0, and divided by 1 there, so that nothing infinite enters higher derivatives.
  const Tensor at_zero = modulus == Tensor(0.0);
  const Tensor divisor = where(at_zero, scalar_like(modulus, 1.0), modulus, cx.where);
  return {where(at_zero, 0.0, multiply_no_nan(1.0 / divisor, turning, cx.where), cx.where)};
}

Expr meaning(Expr x) {
  if (is_unsigned_integer(x.dtype())) return minimum(x, 1);
  if (!is_complex(x.dtype())) {  // x + 0 is 0 for -0, and NaN for NaN
    return where(x > 0, scalar_like(x, 1), where(x < 0, scalar_like(x, -1), x + 0));
  }
  const Expr modulus = abs(x);
  const Expr zero = modulus == 0;
  return make_complex(where(zero, 0.0, real(x) / modulus), where(zero, 0.0, imag(x) / modulus));
}

}  // namespace

constinit const OpDef kSign{
    .name = "sign",
    .doc =
        "Elementwise sign: -1, 0 or 1, NaN for NaN, and 0 for both zeros; of a complex "
        "number `x / abs(x)`, and 0 for 0. The derivative of a real sign is 0.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::rules<derivative, derivative>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "sign"}, Alias{"torch", "sign: of NaN it is 0, ours NaN"},
                 Alias{"jax", "numpy.sign"}, Alias{"tf", "sign"}, Alias{"torch", "sgn"}},
};

Tensor sign(const Tensor& x, Where where) { return apply(kSign, inputs(x), kNoAttrs, where); }

}  // namespace weft
