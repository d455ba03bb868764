// Running gradient rules: partials, linear and bilinear maps, un-broadcasting.
#include "weft/op/grad.h"

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/grad_plan.h"
#include "weft/op/registry.h"

namespace weft {
namespace {

// The inputs followed by the output, as partials take them.
Tensors values_of(const GradCtx& cx) {
  Tensors out(cx.inputs.begin(), cx.inputs.end());
  out.push_back(cx.outputs[0]);
  return out;
}

Tensors partials_vjp(const OpDef& op, const GradCtx& cx, const Tensor& cotangent) {
  uint32_t wanted = 0;
  for (size_t i = 0; i < cx.inputs.size(); ++i) wanted |= cx.wanted[i] ? 1u << i : 0u;
  Tensors out(cx.inputs.size());
  if (wanted == 0) return out;
  const GradPlan::Backward& backward = grad_plan(op).wanted[wanted];
  Tensors in{cotangent};
  const ShapeView shape = cotangent.shape();
  for (size_t i = 0; i <= cx.inputs.size(); ++i) {
    if (!(backward.reads >> i & 1)) continue;
    const Tensor& value = i < cx.inputs.size() ? cx.inputs[i] : cx.outputs[0];
    const bool as_is = same(value.shape(), shape) == Tri::kYes;
    in.push_back(as_is ? value : broadcast_to(value, Shape(shape), cx.where));
  }
  Tensors cotangents = apply_prepared(*backward.op, in, &kNoAttrs, cx.where);
  size_t next = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (cx.wanted[i]) out[i] = std::move(cotangents[next++]);
  }
  return out;
}

Tensors partials_jvp(const OpDef& op, const GradCtx& cx, TensorSpan tangents) {
  const Tensors values = values_of(cx);
  Tensor sum;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i].defined()) continue;
    const Tensor partial = op.grad.partial_tensor[i](values.data());
    const Tensor term = chained(op.grad, partial, tangents[i], cx.where);
    sum = sum.defined() ? add(sum, term, cx.where) : term;
  }
  if (!sum.defined()) return {Tensor()};
  const Shape shape(cx.outputs[0].shape());
  return {same(sum.shape(), shape) == Tri::kYes ? sum : broadcast_to(sum, shape, cx.where)};
}

Tensor zeros_like(const Tensor& x, Where where) {
  return zeros(Shape(x.shape()), x.dtype(), where);
}

// The op on tangents: inputs without a gradient stay as they are, missing tangents are zero.
Tensors linear_jvp(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan tangents) {
  Tensors in;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (!no_gradient_reason(op, i).empty()) {
      in.push_back(cx.inputs[i]);
    } else {
      in.push_back(tangents[i].defined() ? tangents[i] : zeros_like(cx.inputs[i], cx.where));
    }
  }
  return apply_all(op, in, attrs, cx.where);
}

Tensors bilinear_jvp(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan tangents) {
  Tensors sum;
  for (size_t side = 0; side < 2; ++side) {
    if (!tangents[side].defined()) continue;
    Tensors in(cx.inputs.begin(), cx.inputs.end());
    in[side] = tangents[side];
    Tensors term = apply_all(op, in, attrs, cx.where);
    sum = sum.empty() ? std::move(term) : Tensors{add(sum[0], term[0], cx.where)};
  }
  return sum;
}

bool all_undefined(TensorSpan tensors) {
  for (const Tensor& t : tensors) {
    if (t.defined()) return false;
  }
  return true;
}

[[noreturn]] void fail_not_differentiable(const OpDef& op) {
  fail(Code::kInvalid, op.name, "gradient", "has no gradient: ", op.grad.reason);
}

[[noreturn]] void fail_missing(const OpDef& op, Where where) {
  fail(Code::kMissing, op.name, "gradient", "the path of a gradient ends at ", op.name, " (",
       op.grad.reason, "), called at ", to_string(where),
       ": its part would be lost; take stop_gradient of what goes in if it is meant as a constant");
}

}  // namespace

std::string_view no_gradient_reason(const OpDef& op, size_t input) {
  if (op.grad.kind == GradKind::kNotDifferentiable) return op.grad.reason;
  for (const StopInput& stop : op.grad.stops) {
    if (stop.input == static_cast<int>(input)) return stop.reason;
  }
  return "";
}

Tensor chained(const GradRule& rule, const Tensor& partial, const Tensor& change, Where where) {
  return rule.selects ? multiply_no_nan(change, partial, where)
                      : multiply_no_nan(partial, change, where);
}

// Is an axis of this size the broadcast of one of that size?
static bool is_spread(Dim size, Dim from) {
  if (size == from) return false;
  if (from.is_known()) return from == Dim(1);
  return decide_same(size, from) == Tri::kNo;
}

// Sizes that a trace has not compared yet: the op whose rule this is says so when it runs.
static bool are_unlike(ShapeView a, ShapeView b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[i].is_known() && b[i].is_known()) && decide_same(a[i], b[i]) == Tri::kNo) return true;
  }
  return false;
}

Tensor sum_to(Tensor x, ShapeView shape) {
  if (same(x.shape(), shape) == Tri::kYes) return x;
  const size_t extra = static_cast<size_t>(x.rank()) - shape.size();
  Ints axes;
  for (size_t i = 0; i < static_cast<size_t>(x.rank()); ++i) {
    if (i < extra || is_spread(x.shape()[i], shape[i - extra]))
      axes.push_back(static_cast<int64_t>(i));
  }
  const Tensor summed = axes.empty() ? x : sum(x, axes, /*keepdims=*/true);
  if (same(summed.shape(), shape) == Tri::kYes) return summed;
  const ShapeView rest = ShapeView(summed.shape()).subspan(extra);
  return are_unlike(rest, shape) ? summed : reshape(summed, Shape(shape));
}

Tensors call_vjp(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan cotangents) {
  if (op.grad.kind == GradKind::kNotDifferentiable) fail_not_differentiable(op);
  if (all_undefined(cotangents)) return Tensors(cx.inputs.size());
  if (op.grad.kind == GradKind::kMissing) fail_missing(op, cx.where);
  Tensors out;
  if (op.grad.kind == GradKind::kPartials) {
    out = partials_vjp(op, cx, cotangents[0]);
  } else {
    WEFT_ASSERT(op.grad.vjp && op.grad.kind != GradKind::kComposed, op.name);
    out = op.grad.vjp(attrs, cx, cotangents);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (!cx.wanted[i]) out[i] = Tensor();
    if (out[i].defined()) out[i] = sum_to(std::move(out[i]), cx.inputs[i].shape());
  }
  return out;
}

Tensors call_jvp(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan tangents) {
  switch (op.grad.kind) {
    case GradKind::kNotDifferentiable: fail_not_differentiable(op);
    case GradKind::kMissing:
      if (all_undefined(tangents)) return Tensors(cx.outputs.size());
      fail_missing(op, cx.where);
    case GradKind::kPartials: return partials_jvp(op, cx, tangents);
    case GradKind::kLinear:
      if (all_undefined(tangents)) return Tensors(cx.outputs.size());
      return op.grad.jvp ? op.grad.jvp(attrs, cx, tangents) : linear_jvp(op, attrs, cx, tangents);
    case GradKind::kBilinear:
      if (all_undefined(tangents)) return Tensors(1);
      return op.grad.jvp ? op.grad.jvp(attrs, cx, tangents) : bilinear_jvp(op, attrs, cx, tangents);
    case GradKind::kRules:
      if (all_undefined(tangents)) return Tensors(cx.outputs.size());
      return op.grad.jvp(attrs, cx, tangents);
    case GradKind::kComposed: break;
  }
  fail(Code::kMissing, op.name, "jvp", "has no forward rule; add one in the op's file");
}

}  // namespace weft
