// gru.scan: gated recurrent units over a sequence of projected inputs.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

using namespace recurrent;

// x, weight, bias, h0, mask?
Types scan_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape* const states[] = {&in[3].shape};
  require_shapes(cx, in[0].shape, in[1].shape, states, in.size() > 4 ? &in[4].shape : nullptr, 3);
  const Shape all{in[1].shape[0]};
  cx.require(same(in[2].shape, all) != Tri::kNo, "shape", "bias has shape ", in[2].shape,
             "; it must be ", all);
  return {{in[0].dtype, Shape{in[0].shape[0], in[0].shape[1], in[1].shape[1]}}};
}

Types step_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  for (size_t i = 1; i < in.size(); ++i) {
    cx.require(same(in[i].shape, in[0].shape) != Tri::kNo, "shape", "input ", i, " has shape ",
               in[i].shape, ", but input 0 has shape ", in[0].shape, "; they must be equal");
  }
  cx.require(!in[0].shape.empty(), "rank", "the gates have rank 0; they need an axis");
  return {in[0]};
}

// What is inside the gates r and z, the input's and the state's parts of n, and the state before.
void step_meaning(const Expr* in, Expr* out) {
  const Expr z = sigmoid(in[1]), n = tanh(in[2] + sigmoid(in[0]) * in[3]);
  out[0] = (1 - z) * n + z * in[4];
}

// Half floats are computed with in float32.
Tensors run(const NoAttrs&, TensorSpan in, TypeSpan types) {
  const DType dtype = in[0].dtype(), wide = compute_of(dtype);
  const Tensor x = cast(in[0], wide), weight = cast(in[1], wide), bias = cast(in[2], wide);
  const Tensor turned = weight.view(Shape{weight.dim(1), weight.dim(0)},
                                    Ints{weight.strides()[1], weight.strides()[0]});
  const Tensor mask = in.size() > 4 ? in[4] : Tensor();
  const Tensor hs = Tensor::empty(wide, types[0].shape);
  Tensor h = cast(in[3], wide);
  const Tensor product = Tensor::empty(wide, Shape{x.dim(1), x.dim(2)});
  for (int64_t t = 0; t < x.dim(0).value(); ++t) {
    native::matmul(product, h, turned);
    const Tensor own = product + bias, given = step_view(x, t), inside = given + own;
    const Tensor now = apply(kGruStep,
                             inputs(gate_view(inside, 0, 3), gate_view(inside, 1, 3),
                                    gate_view(given, 2, 3), gate_view(own, 2, 3), h),
                             kNoAttrs, Where{});
    h = masked(mask.defined() ? step_view(mask, t) : mask, now, h, Where{});
    native::copy(step_view(hs, t), h);
  }
  return {cast(hs, dtype)};
}

// The gates of all steps again, in one product.
struct Steps {
  Tensor h;              // before each step
  Tensor r, z, n, part;  // gates, and the state's part of n

  Steps(const GradCtx& cx) : h(shifted(cx.inputs[3], cx.outputs[0], cx.where)) {
    const Tensor own = times_transposed(h, cx.inputs[1], cx.where) + cx.inputs[2];
    const Tensors by_h = gates_of(own, 3, cx.where), by_x = gates_of(cx.inputs[0], 3, cx.where);
    part = by_h[2];
    r = sigmoid(by_x[0] + by_h[0], cx.where);
    z = sigmoid(by_x[1] + by_h[1], cx.where);
    n = tanh(by_x[2] + r * part, cx.where);
  }
  Tensor to_n() const { return (1.0 - z) * (1.0 - square(n)); }  // of h by what is inside n
  Tensor to_z() const { return (h - n) * z * (1.0 - z); }        // of h by what is inside z
  Tensor to_r() const { return part * r * (1.0 - r); }           // of n's inside by r's
};

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &h0 = cx.inputs[3];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const Steps step(cx);
  const Tensor to_n = step.to_n(), to_z = step.to_z(), to_r = step.to_r();
  const int64_t steps = x.dim(0).value();
  const Tensor zero = Tensor::scalar(h0.dtype(), 0);
  Tensor dh = zeros(Shape(h0.shape()), h0.dtype(), cx.where);
  Tensors by_x(static_cast<size_t>(steps)), by_h(static_cast<size_t>(steps));
  const auto at = [&](const Tensor& all, int64_t t) { return at_time(all, t, cx.where); };
  for (int64_t t = steps; t-- > 0;) {
    dh = dh + at(g[0], t);
    const Tensor flag = mask.defined() ? at(mask, t) : mask;
    const Tensor own = masked(flag, dh, zero, cx.where);
    const Tensor dn = own * at(to_n, t), dz = own * at(to_z, t), dr = dn * at(to_r, t);
    const Tensor inside = concat(inputs(dr, dz, dn * at(step.r, t)), -1, cx.where);
    const Tensor kept = flag.defined() ? where(flag, zero, dh, cx.where) : zero;
    dh = matmul(inside, weight, cx.where) + own * at(step.z, t) + kept;
    by_x[static_cast<size_t>(t)] = concat(inputs(dr, dz, dn), -1, cx.where);
    by_h[static_cast<size_t>(t)] = inside;
  }
  const Tensor none = zeros(Shape(x.shape()), x.dtype(), cx.where);
  const Tensor dx = steps == 0 ? none : stack(by_x, 0), da = steps == 0 ? none : stack(by_h, 0);
  Tensors out{dx, weight_gradient(da, step.h, cx.where), sum(da, Ints{0, 1}, false, cx.where), dh};
  if (mask.defined()) out.push_back(Tensor());
  return out;
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &h0 = cx.inputs[3];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const Steps step(cx);
  const Tensor to_n = step.to_n(), to_z = step.to_z(), to_r = step.to_r();
  const Tensor none = zeros(Shape(x.shape()), x.dtype(), cx.where);
  const Tensor given = t[0].defined() ? t[0] : none;
  Tensor own = none;
  if (t[1].defined()) own = own + times_transposed(step.h, t[1], cx.where);
  if (t[2].defined()) own = own + t[2];
  Tensor h = t[3].defined() ? t[3] : zeros(Shape(h0.shape()), h0.dtype(), cx.where);
  Tensors hs;
  const auto at = [&](const Tensor& all, int64_t i) { return at_time(all, i, cx.where); };
  for (int64_t i = 0; i < x.dim(0).value(); ++i) {
    const Tensors by_x = gates_of(at(given, i), 3, cx.where);
    const Tensors by_h = gates_of(at(own, i) + times_transposed(h, weight, cx.where), 3, cx.where);
    const Tensor n = by_x[2] + by_h[2] * at(step.r, i) + (by_x[0] + by_h[0]) * at(to_r, i);
    const Tensor now = n * at(to_n, i) + (by_x[1] + by_h[1]) * at(to_z, i) + h * at(step.z, i);
    h = masked(mask.defined() ? at(mask, i) : mask, now, h, cx.where);
    hs.push_back(h);
  }
  if (hs.empty()) return {Tensor()};
  return {stack(hs, 0)};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kGruScan, &at, cx, 0b00110, 0b10001);
}

}  // namespace

constinit const OpDef kGruScan{
    .name = "gru.scan",
    .module = "nn",
    .doc =
        "With `u = h[t - 1] weight^T + bias` and x[t] in three parts: `r = sigmoid(x0 + u0)`, `z = "
        "sigmoid(x1 + u1)`, `n = tanh(x2 + r * u2)` and `h[t] = (1 - z) * n + z * h[t - 1]`, from "
        "`h0` on, for `x` [time, batch, 3 * size] that is projected already; where `mask` is false "
        "the state stays. The order of summation is that of matmul. nn.gru is the one to call.",
    .inputs = {"x: floating", "weight: like x", "bias: like x", "h0: like x", "mask?: boolean"},
    .outputs = {"h: like x"},
    .laws = {Law{"rank", "`x` has time, batch and gates, `weight` is a matrix"},
             Law{"shape", "gates, states, bias and mask have the sizes of each other"}},
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>().except(4, "the mask is boolean"),
    .batch = batch::rule<joined>(),
    .kernel = kernel::run<run>(),
};

constinit const OpDef kGruStep{
    .name = "gru.step",
    .module = "nn",
    .doc =
        "The state from what is inside the gates r and z, the input's and the state's parts of n, "
        "and the state before.",
    .inputs = {"r: floating", "z: like r", "x: like r", "u: like r", "h: like r"},
    .outputs = {"h: like r"},
    .laws = {Law{"shape", "all inputs have one shape"}, Law{"rank", "the gates have an axis"}},
    .infer = rule<step_infer>(),
    .grad = derive::not_differentiable("it is a step of nn.gru, which is differentiated as one"),
    .batch = batch::same_shape(),
    .kernel = kernel::row(5, 1, step_meaning),
};

}  // namespace weft
