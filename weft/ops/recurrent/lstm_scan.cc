// lstm.scan: long short-term memory over a sequence of projected inputs.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

using namespace recurrent;

// x, weight, h0, c0, mask?
Types scan_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape* const states[] = {&in[2].shape, &in[3].shape};
  require_shapes(cx, in[0].shape, in[1].shape, states, in.size() > 4 ? &in[4].shape : nullptr, 4);
  const Type out{in[0].dtype, Shape{in[0].shape[0], in[0].shape[1], in[1].shape[1]}};
  return {out, out};
}

Types step_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  for (size_t i = 1; i < in.size(); ++i) {
    cx.require(same(in[i].shape, in[0].shape) != Tri::kNo, "shape", "input ", i, " has shape ",
               in[i].shape, ", but input 0 has shape ", in[0].shape, "; they must be equal");
  }
  cx.require(!in[0].shape.empty(), "rank", "the gates have rank 0; they need an axis");
  return {in[0], in[0]};
}

// What is inside the gates i, f, g and o, and the cell before.
void step_meaning(const Expr* in, Expr* out) {
  out[1] = sigmoid(in[1]) * in[4] + sigmoid(in[0]) * tanh(in[2]);
  out[0] = sigmoid(in[3]) * tanh(out[1]);
}

// Half floats are computed with in float32.
Tensors run(const NoAttrs&, TensorSpan in, TypeSpan types) {
  const DType dtype = in[0].dtype(), wide = compute_of(dtype);
  const Tensor x = cast(in[0], wide), weight = cast(in[1], wide);
  const Tensor turned = weight.view(Shape{weight.dim(1), weight.dim(0)},
                                    Ints{weight.strides()[1], weight.strides()[0]});
  const Tensor mask = in.size() > 4 ? in[4] : Tensor();
  const Tensor hs = Tensor::empty(wide, types[0].shape), cs = Tensor::empty(wide, types[1].shape);
  Tensor h = cast(in[2], wide), c = cast(in[3], wide);
  const Tensor product = Tensor::empty(wide, Shape{x.dim(1), x.dim(2)});
  for (int64_t t = 0; t < x.dim(0).value(); ++t) {
    native::matmul(product, h, turned);
    const Tensor inside = step_view(x, t) + product;
    const auto gate = [&](int64_t i) { return gate_view(inside, i, 4); };
    const Tensors now =
        apply_all(kLstmStep, inputs(gate(0), gate(1), gate(2), gate(3), c), kNoAttrs, Where{});
    const Tensor flag = mask.defined() ? step_view(mask, t) : mask;
    h = masked(flag, now[0], h, Where{});
    c = masked(flag, now[1], c, Where{});
    native::copy(step_view(hs, t), h);
    native::copy(step_view(cs, t), c);
  }
  return {cast(hs, dtype), cast(cs, dtype)};
}

// The gates of all steps again, in one product, and what follows from them.
struct Steps {
  Tensor h, c;        // before each step
  Tensor i, f, g, o;  // gates
  Tensor t;           // tanh of the cell behind each step, if its mask is true

  Steps(const GradCtx& cx)
      : h(shifted(cx.inputs[2], cx.outputs[0], cx.where)),
        c(shifted(cx.inputs[3], cx.outputs[1], cx.where)) {
    const Tensors inside =
        gates_of(cx.inputs[0] + times_transposed(h, cx.inputs[1], cx.where), 4, cx.where);
    i = sigmoid(inside[0], cx.where), f = sigmoid(inside[1], cx.where);
    g = tanh(inside[2], cx.where), o = sigmoid(inside[3], cx.where);
    t = tanh(f * c + i * g, cx.where);
  }
  // What a change of the cell does to the gates i, f and g inside, and one of h to o.
  Tensor cell_to_gates(Where where) const {
    return concat(inputs(g * i * (1.0 - i), c * f * (1.0 - f), i * (1.0 - square(g))), -1, where);
  }
  Tensor state_to_gate() const { return t * o * (1.0 - o); }
  Tensor state_to_cell() const { return o * (1.0 - square(t)); }
};

Tensor three_times(const Tensor& x, Where where) { return concat(inputs(x, x, x), -1, where); }

Tensors vjp(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &h0 = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const Steps step(cx);
  const Tensor to_gates = step.cell_to_gates(cx.where), to_gate = step.state_to_gate();
  const Tensor to_cell = step.state_to_cell();
  const int64_t steps = x.dim(0).value();
  const Tensor zero = Tensor::scalar(h0.dtype(), 0);
  Tensor dh = zeros(Shape(h0.shape()), h0.dtype(), cx.where), dc = dh;
  Tensors inside(static_cast<size_t>(steps));
  const auto at = [&](const Tensor& all, int64_t t) { return at_time(all, t, cx.where); };
  for (int64_t t = steps; t-- > 0;) {
    if (g[0].defined()) dh = dh + at(g[0], t);
    if (g[1].defined()) dc = dc + at(g[1], t);
    const Tensor flag = mask.defined() ? at(mask, t) : mask;
    const Tensor own_h = masked(flag, dh, zero, cx.where), own_c = masked(flag, dc, zero, cx.where);
    const Tensor cell = own_c + own_h * at(to_cell, t);
    const Tensor da =
        concat(inputs(three_times(cell, cx.where) * at(to_gates, t), own_h * at(to_gate, t)), -1,
               cx.where);
    const auto kept = [&](const Tensor& d) {
      return flag.defined() ? where(flag, zero, d, cx.where) : zero;
    };
    dh = matmul(da, weight, cx.where) + kept(dh);
    dc = cell * at(step.f, t) + kept(dc);
    inside[static_cast<size_t>(t)] = da;
  }
  const Tensor dx = steps == 0 ? zeros(Shape(x.shape()), x.dtype()) : stack(inside, 0);
  Tensors out{dx, weight_gradient(dx, step.h, cx.where), dh, dc};
  if (mask.defined()) out.push_back(Tensor());
  return out;
}

Tensors jvp(const NoAttrs&, const GradCtx& cx, TensorSpan t) {
  const Tensor &x = cx.inputs[0], &weight = cx.inputs[1], &h0 = cx.inputs[2];
  const Tensor mask = cx.inputs.size() > 4 ? cx.inputs[4] : Tensor();
  const Steps step(cx);
  const Tensor to_gates = step.cell_to_gates(cx.where), to_gate = step.state_to_gate();
  const Tensor to_cell = step.state_to_cell();
  Tensor change = zeros(Shape(x.shape()), x.dtype(), cx.where);
  if (t[0].defined()) change = change + t[0];
  if (t[1].defined()) change = change + times_transposed(step.h, t[1], cx.where);
  const Tensor none = zeros(Shape(h0.shape()), h0.dtype(), cx.where);
  Tensor h = t[2].defined() ? t[2] : none, c = t[3].defined() ? t[3] : none;
  Tensors hs, cs;
  const auto at = [&](const Tensor& all, int64_t i) { return at_time(all, i, cx.where); };
  for (int64_t i = 0; i < x.dim(0).value(); ++i) {
    const Tensors inside =
        gates_of(at(change, i) + times_transposed(h, weight, cx.where), 4, cx.where);
    const Tensors by = gates_of(at(to_gates, i), 3, cx.where);
    const Tensor cell =
        c * at(step.f, i) + inside[0] * by[0] + inside[1] * by[1] + inside[2] * by[2];
    const Tensor state = inside[3] * at(to_gate, i) + cell * at(to_cell, i);
    const Tensor flag = mask.defined() ? at(mask, i) : mask;
    h = masked(flag, state, h, cx.where);
    c = masked(flag, cell, c, cx.where);
    hs.push_back(h), cs.push_back(c);
  }
  if (hs.empty()) return {Tensor(), Tensor()};
  return {stack(hs, 0), stack(cs, 0)};
}

Tensors joined(const NoAttrs& at, const BatchCtx& cx) {
  return batched(kLstmScan, &at, cx, 0b00010, 0b10001);
}

}  // namespace

constinit const OpDef kLstmScan{
    .name = "lstm.scan",
    .module = "nn",
    .doc =
        "With `a = x[t] + h[t - 1] weight^T` in four parts: `c[t] = sigmoid(a1) * c[t - 1] + "
        "sigmoid(a0) * tanh(a2)` and `h[t] = sigmoid(a3) * tanh(c[t])`, from `h0` and `c0` on, for "
        "`x` [time, batch, 4 * size] that is projected already; where `mask` is false the state "
        "stays. The order of summation is that of matmul. nn.lstm is the one to call.",
    .inputs = {"x: floating", "weight: like x", "h0: like x", "c0: like x", "mask?: boolean"},
    .outputs = {"h: like x", "c: like x"},
    .laws = {Law{"rank", "`x` has time, batch and gates, `weight` is a matrix"},
             Law{"shape", "gates, states and mask have the sizes of each other"}},
    .infer = rule<scan_infer>(),
    .grad = derive::rules<vjp, jvp>().except(4, "the mask is boolean"),
    .batch = batch::rule<joined>(),
    .kernel = kernel::run<run>(),
};

constinit const OpDef kLstmStep{
    .name = "lstm.step",
    .module = "nn",
    .doc =
        "The state and the cell from what is inside the gates i, f, g and o and the cell before.",
    .inputs = {"i: floating", "f: like i", "g: like i", "o: like i", "c: like i"},
    .outputs = {"h: like i", "c: like i"},
    .laws = {Law{"shape", "all inputs have one shape"}, Law{"rank", "the gates have an axis"}},
    .infer = rule<step_infer>(),
    .grad = derive::not_differentiable("it is a step of nn.lstm, which is differentiated as one"),
    .batch = batch::same_shape(),
    .kernel = kernel::row(5, 2, step_meaning),
};

}  // namespace weft
