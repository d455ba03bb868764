// The gradient vocabulary: how an op is differentiated, in one declaration from which VJP and JVP
// both follow.
#pragma once

#include <array>
#include <string_view>

#include "weft/base/where.h"
#include "weft/core/tensor.h"
#include "weft/expr/expr.h"
#include "weft/op/attrs.h"
#include "weft/op/rule.h"

namespace weft {

// What a gradient rule sees. Inputs are already promoted: all of one group have one dtype.
struct GradCtx {
  TensorSpan inputs;
  TensorSpan outputs;
  std::span<const bool> wanted;  // per input: is its gradient asked for?
  Where where;
  // Of a rule that goes on (GradRule::goes_on), per input: the sum of what later uses of it gave,
  // undefined if nothing. Empty: there are none.
  TensorSpan sums{};
};

// One cotangent per input; undefined where it is not wanted or zero. The machinery sums a cotangent
// down to the shape of an input that was broadcast.
using VjpRule = Rule<Tensors, const GradCtx&, TensorSpan>;
// One tangent per output. Undefined tangents of inputs mean zero.
using JvpRule = Rule<Tensors, const GradCtx&, TensorSpan>;

struct SavingCall;  // saving.h

enum class GradKind : uint8_t {
  kPartials,
  kLinear,
  kBilinear,
  kRules,
  kNotDifferentiable,  // its derivative is 0 wherever it has one, or it is meant as a constant
  kComposed,           // exp.vjp: differentiated through the same formula on Tensors
  kMissing,            // it has a derivative, but no rule: a gradient that meets it raises
};

// An input that has no gradient though the others have: a gather's indices.
struct StopInput {
  int input = -1;
  std::string_view reason = "";
};

struct GradRule {
  static constexpr int kMaxPartials = 3;

  GradKind kind;
  int partials = 0;
  // d out / d input i, of the inputs followed by the output.
  std::array<Expr (*)(const Expr* in_and_out), kMaxPartials> partial_expr{};
  std::array<Tensor (*)(const Tensor* in_and_out), kMaxPartials> partial_tensor{};
  VjpRule vjp{};
  JvpRule jvp{};
  std::string_view reason = "";  // kNotDifferentiable, kMissing
  std::array<StopInput, 2> stops{};
  // kRules: the inputs (a bit each) whose values the rules read, and whether they read outputs.
  uint32_t reads_inputs = ~0u;
  bool reads_outputs = true;
  // Does a rule look at types of inputs that it neither reads nor differentiates?
  bool reads_types = true;
  // kPartials that choose: where one is 0 nothing comes through, not even an infinity.
  bool selects = false;
  // An op of functions, whose ops are the uses of its inputs and not the op itself: its VJP takes
  // the sums so far and gives them with its own terms added, so that a sum has one order whether
  // the ops stand in a function or not. What it gives of an input that had a sum replaces it.
  bool goes_on = false;
  // The inputs (a bit each) of their output's shape whose cotangent is that of the output: add.
  uint32_t passes = 0;
  // A loop or a call: the same op with attributes by which it gives, behind its own outputs, what
  // its VJP needs of the forward pass; nothing if it needs no others. A recording level applies it
  // so.
  std::optional<AnyAttrs> (*saving)(const SavingCall& call) = nullptr;

  // The same rule, with an input that has no gradient.
  constexpr GradRule except(int input, std::string_view why) const {
    GradRule out = *this;
    out.stops[out.stops[0].input >= 0 ? 1 : 0] = {input, why};
    return out;
  }

  // The same rule, which reads only these inputs (a bit each), or only outputs: a tape keeps
  // nothing else.
  constexpr GradRule reading(uint32_t inputs, bool outputs) const {
    GradRule out = *this;
    out.reads_inputs = inputs;
    out.reads_outputs = outputs;
    return out;
  }

  // The same rule, of an op that can give what its VJP needs of the forward pass.
  constexpr GradRule saving_by(std::optional<AnyAttrs> (*attributes)(const SavingCall&)) const {
    GradRule out = *this;
    out.saving = attributes;
    return out;
  }

  // The same rule, which goes on with the sums of its inputs.
  constexpr GradRule going_on() const {
    GradRule out = *this;
    out.goes_on = true;
    return out;
  }

  // The same partials, finite and 0 wherever the input is not the one taken: maximum, relu.
  constexpr GradRule selecting() const {
    GradRule out = *this;
    out.selects = true;
    return out;
  }

  // The same rule, which gives these inputs the cotangent as it is, if no axis was broadcast.
  constexpr GradRule passing(uint32_t inputs) const {
    GradRule out = *this;
    out.passes = inputs;
    return out;
  }

  GradRule() = delete;
  constexpr explicit GradRule(GradKind kind) : kind(kind) {}
};

namespace derive {

namespace detail {
template <auto F, class T, size_t... I>
T call_partial(const T* values, std::index_sequence<I...>) {
  return F(values[I]...);
}
template <auto F, class T, size_t Arity>
T partial(const T* values) {
  return call_partial<F>(values, std::make_index_sequence<Arity + 1>());
}
}  // namespace detail

// One function per input, generic over {Expr, Tensor}, of all inputs and the output: d out / d that
// input. On Expr they become one fused backward kernel; on Tensor they give the higher orders.
template <auto... F>
constexpr GradRule partials() {
  GradRule out(GradKind::kPartials);
  out.partials = sizeof...(F);
  out.partial_expr = {detail::partial<F, Expr, sizeof...(F)>...};
  out.partial_tensor = {detail::partial<F, Tensor, sizeof...(F)>...};
  return out;
}

// A map linear in all inputs but the excepted ones: its JVP is the op itself, its VJP the transpose
// given here.
template <auto Transpose>
constexpr GradRule linear() {
  GradRule out(GradKind::kLinear);
  out.vjp = rule<Transpose>();
  return out;
}

// Linear, by two rules that look at nothing but cotangents or tangents: add, which needs no zeros
// where a tangent is missing.
template <auto Transpose, auto Jvp>
constexpr GradRule additive() {
  GradRule out = linear<Transpose>();
  out.jvp = rule<Jvp>();
  out.reads_types = false;
  return out;
}

// Linear in each of two inputs: JVP is op(da, b) + op(a, db).
template <auto Transpose>
constexpr GradRule bilinear() {
  GradRule out(GradKind::kBilinear);
  out.vjp = rule<Transpose>();
  return out;
}

// Bilinear, with a JVP of its own: multiply_no_nan, which keeps 0 times infinity at 0.
template <auto Transpose, auto Jvp>
constexpr GradRule bilinear() {
  GradRule out = bilinear<Transpose>();
  out.jvp = rule<Jvp>();
  return out;
}

template <auto Vjp, auto Jvp>
constexpr GradRule rules() {
  GradRule out(GradKind::kRules);
  out.vjp = rule<Vjp>();
  out.jvp = rule<Jvp>();
  return out;
}

// Piecewise constant, or of integers: no gradient flows, and a sum of paths has nothing of this
// one.
constexpr GradRule not_differentiable(std::string_view reason) {
  GradRule out(GradKind::kNotDifferentiable);
  out.reason = reason;
  return out;
}

// There is a derivative and nobody wrote it. To leave its path out of a sum would be wrong without
// a word, so whatever cotangent or tangent comes here raises.
constexpr GradRule missing(std::string_view reason) {
  GradRule out(GradKind::kMissing);
  out.reason = reason;
  return out;
}

}  // namespace derive

struct OpDef;

// Why input i of the op has no gradient, or empty if it has one (its dtype permitting).
std::string_view no_gradient_reason(const OpDef& op, size_t input);

// Runs the rules: what the tape, grad, jvp and the op suite call. `cotangents` are per output,
// `tangents` per input; undefined means zero.
Tensors call_vjp(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan cotangents);
Tensors call_jvp(const OpDef& op, const void* attrs, const GradCtx& cx, TensorSpan tangents);

// A partial times a cotangent or tangent. 0 where nothing comes in, however steep the op is, and
// where a partial that selects is 0, whatever comes in.
Tensor chained(const GradRule& rule, const Tensor& partial, const Tensor& change, Where where);

// Sums `x` over the axes along which `shape` was broadcast to x's shape.
Tensor sum_to(Tensor x, ShapeView shape);

}  // namespace weft
