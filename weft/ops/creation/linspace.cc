// linspace: a number of points in equal steps between two ends.
#include <cmath>

#include "weft/op/apply.h"
#include "weft/op/promote.h"
#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/complex_parts.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// As NumPy's, in float64: the product is rounded on its own, not fused with the sum, for a product
// of a rounded step is mostly the number meant, and -1 + 5 * 0.2 is 0. From stop where that is the
// point, or the way from start is beyond float64. Inputs: start, stop, step, and the index at which
// stop stands, which is 0 for a single point, start.
Expr meaning(const Expr* in, DType dtype) {
  const Expr i = cast(Expr::position(), DType::kF64), near = i * in[2] + in[0];
  const Expr is_near = (i < maximum(in[3], 1.0)) & (abs(near) < __builtin_inf());
  return cast(where(is_near, near, in[1] - (in[3] - i) * in[2]), compute_of(dtype));
}

struct LinspaceAttrs {
  Shape num{50};  // one size
  std::optional<DType> dtype;
  bool endpoint = true;
  static constexpr auto fields =
      fields_of(field("num", &LinspaceAttrs::num, "how many points", kRequired),
                field("dtype", &LinspaceAttrs::dtype,
                      "the dtype of the points; float32 or complex64 if left out"),
                field("endpoint", &LinspaceAttrs::endpoint, "whether stop is the last point"));
};

// Between complex ends the parts go in equal steps.
Tensors complex_points(const InferCtx& cx, const LinspaceAttrs& at, TensorSpan in) {
  const DType dtype = at.dtype.value_or(DType::kC64), part = real_of(dtype);
  cx.require_type(is_complex(dtype), "dtype", "dtype is ", dtype,
                  "; it must be complex, as start or stop is");
  const Dim num = only_size(cx, "num", at.num);
  const auto between = [&](const Tensor& start, const Tensor& stop) {
    return linspace(start, stop, num, part, at.endpoint);
  };
  const Tensor imag_stop = imag(in[1]), imag_part = between(imag(in[0]), imag_stop);
  const Tensor real_stop = real(in[1]), real_part = between(real(in[0]), real_stop);
  return {complex_of(real_part, imag_part, dtype)};
}

Tensor number(double x) { return Tensor::scalar(DType::kF64, x); }

// The way from one point to the next, and the index at which stop stands.
struct Steps {
  Tensor step, last;
};
Steps steps_of(double start, double stop, int64_t count) {
  const auto last = static_cast<double>(count);
  double step = last > 0 ? (stop - start) / last : 0;
  if (std::isinf(step)) step = stop / last - start / last;  // the distance overflows
  return {number(step), number(last)};
}
// The same, operation by operation, of a number of points that a graph has when it runs.
Steps steps_of_run(double start, double stop, Dim count) {
  const Tensor last = cast(size_as_tensor(count, Where::here()), DType::kF64);
  const Tensor step = number(stop - start) / last;
  const Tensor to_start = number(start) / last, to_stop = number(stop) / last;
  const Tensor finite = where(isinf(step), to_stop - to_start, step);
  return {where(last > 0.0, finite, number(0)), last};
}

Tensors compose_linspace(const LinspaceAttrs& at, TensorSpan in) {
  const InferCtx cx{"linspace"};
  if (is_complex(in[0].dtype()) || is_complex(in[1].dtype())) return complex_points(cx, at, in);
  const double start = scalar_value(cx.op, "start", in[0]);
  const double stop = scalar_value(cx.op, "stop", in[1]);
  const Dim num = only_size(cx, "num", at.num);
  const DType dtype = at.dtype.value_or(DType::kF32);
  cx.require_type(is_floating(dtype), "dtype", "dtype is ", dtype, "; it must be floating");
  for (size_t i = 0; i < 2; ++i) {
    if (!in[i].is_weak() || !in[i].is_concrete()) continue;
    strong_scalar(cx.op, i == 0 ? "start" : "stop", in[i], dtype);
  }
  const Steps steps = num.is_known() ? steps_of(start, stop, num.value() - (at.endpoint ? 1 : 0))
                                     : steps_of_run(start, stop, at.endpoint ? num - 1 : num);
  return {apply(kLinspaceFill, Tensors{number(start), number(stop), steps.step, steps.last},
                FillAttrs{{num}, dtype}, Where::here())};
}

}  // namespace

constinit const OpDef kLinspaceFill{
    .name = "linspace.fill",
    .doc =
        "`start + i * step`, and `stop` for the last, computed in float64 and rounded to `dtype` "
        "once: what `linspace` is made of.",
    .inputs = {"start: float64", "stop: float64", "step: float64", "last: float64"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("start and stop are constants"),
    .batch = batch::rule<each_filled<kLinspaceFill>>(),
    .kernel = kernel::fill(4, meaning),
};

constinit const CompositeDef kLinspace{
    .name = "linspace",
    .doc =
        "`num` points in equal steps from `start` to `stop`, which is the last one unless "
        "`endpoint` is false. Both ends are exact; points are `start + i * step`, computed in "
        "float64, as NumPy does, and rounded to the dtype once. Between complex ends both parts "
        "go in equal steps.",
    .inputs = {"start: numeric", "stop: numeric"},
    .outputs = {"out: inexact"},
    .attrs = attrs_type<LinspaceAttrs>(),
    .laws = {Law{"scalar", "start and stop have rank 0"}, Law{"size", "num is one number"},
             Law{"negative", "num is at least 0"},
             Law{"dtype", "the dtype is floating, or complex where an end is"}},
    .compose = rule<compose_linspace>(),
    .known_as = {Alias{"numpy", "linspace"}, Alias{"torch", "linspace"},
                 Alias{"jax", "numpy.linspace"}, Alias{"tf", "linspace"}},
};

Tensor linspace(const Tensor& start, const Tensor& stop, Dim num, std::optional<DType> dtype,
                bool endpoint, Where where) {
  return compose(kLinspace, inputs(start, stop), LinspaceAttrs{{num}, dtype, endpoint}, where);
}

}  // namespace weft
