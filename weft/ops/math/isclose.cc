// isclose: whether elements are equal up to rounding.
#include "weft/op/apply.h"
#include "weft/ops/math/closeness.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// In a dtype that differences of integers and of half floats fit in.
Tensor widened(const Tensor& x) {
  const DType dtype = x.dtype();
  return cast(x, is_floating(dtype) || is_complex(dtype) ? compute_of(dtype) : DType::kF64);
}

Tensors composed(const CloseAttrs& at, TensorSpan in) {
  const InferCtx cx{"isclose"};
  cx.require(at.rtol >= 0 && at.atol >= 0, "tolerance", "rtol is ", at.rtol, " and atol is ",
             at.atol, "; both must be at least 0");
  const Tensor exact = equal(in[0], in[1]);
  const Tensor a = widened(in[0]), b = widened(in[1]);
  // An infinite b would allow any difference.
  const Tensor is_finite = isfinite(b), allowed = at.atol + at.rtol * abs(b);
  const Tensor near = logical_and(abs(a - b) <= allowed, is_finite);
  const Tensor out = logical_or(exact, near);
  if (!at.equal_nan) return {out};
  const Tensor is_nan = isnan(b);
  return {logical_or(out, logical_and(isnan(a), is_nan))};
}

}  // namespace

constinit const CompositeDef kIsClose{
    .name = "isclose",
    .doc =
        "Elementwise `a == b or abs(a - b) <= atol + rtol * abs(b)`, the latter for finite `b`: "
        "an infinity is close to itself alone. NaN is close to nothing, or with `equal_nan` to "
        "NaN. Integers are compared as float64.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .attrs = attrs_type<CloseAttrs>(),
    .laws = {Law{"tolerance", "rtol and atol are at least 0"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "isclose"}, Alias{"torch", "isclose"},
                 Alias{"jax", "numpy.isclose"}, Alias{"tf", "experimental.numpy.isclose"}},
};

Tensor isclose(const Tensor& a, const Tensor& b, const CloseAttrs& at, Where where) {
  return compose(kIsClose, inputs(a, b), at, where);
}

}  // namespace weft
