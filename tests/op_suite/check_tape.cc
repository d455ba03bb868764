// Column tape: reverse mode through Variables, GradientTape and vjp gives the same bits, which are
// those of the op's own rule; and is the adjoint of forward mode.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/op_suite/derivatives.h"
#include "weft/op/builtin.h"
#include "weft/op/grad.h"
#include "weft/transform/backward.h"
#include "weft/transform/tape.h"

namespace weft::suite {
namespace {

constexpr double kAdjointTolerance = 1e-10;

// The one value that all three doors start from: the output, or a weighted sum of several.
Tensor target_of(TensorSpan outputs, TensorSpan weights) {
  if (outputs.size() == 1) return outputs[0];
  Tensor total;
  for (size_t k = 0; k < outputs.size(); ++k) {
    // An op that refuses its gradient is not given weights.
    const Tensor value = weights.empty() ? outputs[k] : multiply(outputs[k], weights[k]);
    const Tensor term = sum(value, std::nullopt, false);
    const bool wider = total.defined() && total.dtype() != term.dtype();
    total = !total.defined() ? term : add(total, wider ? cast(term, total.dtype()) : term);
  }
  return total;
}

Tensors by_backward(const Differentiable& f, TensorSpan in, TensorSpan weights,
                    const Tensor& cotangent) {
  std::vector<Variable> variables;
  Tensors values;
  for (const Tensor& x : in) {
    variables.emplace_back(x);
    values.push_back(variables.back().read());
  }
  backward(target_of(f(values), weights), {.gradient = cotangent});
  Tensors out;
  for (const Variable& v : variables) {
    out.push_back(v.grad().defined() ? v.grad().value() : Tensor());
  }
  return out;
}

Tensors by_tape(const Differentiable& f, TensorSpan in, TensorSpan weights, const Tensor& cotangent,
                Unconnected unconnected) {
  Tensors watched(in.begin(), in.end());
  GradientTape tape;
  for (Tensor& x : watched) tape.watch(x);
  const Tensors target{target_of(f(watched), weights)};
  tape.stop();
  return tape.gradient(target, watched, Tensors{cotangent}, unconnected);
}

// The rule as the op declares it, without a tape.
void check_rule(const Case& c, const Differentiable& f, const AnyAttrs& attrs,
                TensorSpan cotangents, TensorSpan pulled) {
  const OpDef* const op = c.entry.op;
  if (op == nullptr || op->grad.kind == GradKind::kComposed) return;  // its parts have the rules
  const size_t count = f.inputs().size();
  const auto wanted = std::make_unique<bool[]>(count);
  for (const size_t i : f.places()) wanted[i] = true;
  const Tensors outputs = run(c.entry, f.inputs(), attrs.data());
  if (outputs.size() != cotangents.size()) return;  // an output that has no derivative
  const GradCtx cx{f.inputs(), outputs, {wanted.get(), count}, Where{}};
  const Tensors back = f.chosen(call_vjp(*op, attrs.data(), cx, cotangents));
  for (size_t k = 0; k < back.size(); ++k) {
    EXPECT_EQ(bit_difference(pulled[k], back[k]), "") << "vjp and the rule, input " << k;
  }
}

void check_doors(const Differentiable& f, TensorSpan in, TensorSpan weights) {
  const auto target = [&](TensorSpan x) { return Tensors{target_of(f(x), weights)}; };
  const Linearization line(target, in, Where{});
  const Tensor one = Tensor::scalar(line.outputs()[0].dtype(), 1);
  const Tensor cotangent = weights.size() == 1 ? weights[0] : one;
  const Tensors functional = line.pull(Tensors{cotangent});
  bool any = false;
  for (const Tensor& t : functional) any |= t.defined();
  if (!any) {  // ones_like: nothing leads back
    EXPECT_THROW(by_backward(f, in, weights, cotangent), Error);
    EXPECT_THROW(by_tape(f, in, weights, cotangent, Unconnected::kRaise), Error);
    return;
  }
  const Tensors ambient = by_backward(f, in, weights, cotangent);
  const Tensors taped = by_tape(f, in, weights, cotangent, Unconnected::kNone);
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(bit_difference(ambient[i], functional[i]), "") << "backward and vjp, input " << i;
    EXPECT_EQ(bit_difference(taped[i], functional[i]), "") << "GradientTape and vjp, input " << i;
  }
}

// <u, J v> == <J* u, v>
void check_adjoint(const Differentiable& f, TensorSpan in, TensorSpan cotangents, TensorSpan back,
                   Random& random) {
  const Tensors directions = random_like(in, random), forward = pushed(f, in, directions);
  const auto left = static_cast<double>(inner(cotangents, forward));
  EXPECT_NEAR(left, static_cast<double>(inner(back, directions)),
              kAdjointTolerance * (1 + std::abs(left)))
      << "<u, J v> and <J* u, v> differ: VJP and JVP disagree";
}

void check_sample(const Case& c, const Differentiable& f, const AnyAttrs& attrs, bool is_smooth) {
  Random random(11);
  const Tensors in = f.point(), cotangents = random_like(f(in), random);
  const Linearization line(f, in, Where{});
  const Tensors back = line.pull(cotangents);
  for (size_t i = 0; i < in.size(); ++i) {
    if (!back[i].defined()) continue;
    EXPECT_EQ(text(back[i].type()), text(in[i].type())) << "the cotangent of input " << i;
  }
  check_rule(c, f, attrs, cotangents, back);
  check_doors(f, in, cotangents);
  bool precise = is_smooth;
  for (const Tensor& t : cotangents) precise &= is_precise(t.dtype());
  for (const Tensor& t : in) precise &= is_precise(t.dtype());
  if (precise) check_adjoint(f, in, cotangents, back, random);
}

}  // namespace

void check_tape(const Case& c) {
  if (refuses_gradient(c)) {
    expect_refusal(c, [&](const Differentiable& f, TensorSpan in) {
      refused_gradient(f, in, misses_gradient(c));
    });
    // An op without a rule raises where a cotangent meets it.
    const auto start = [&](const Differentiable& f, TensorSpan in) {
      const Tensors values = f(in);
      return misses_gradient(c) && values.size() == 1 ? values[0] : Tensor();
    };
    expect_refusal(c, [&](const Differentiable& f, TensorSpan in) {
      by_tape(f, in, {}, start(f, in), Unconnected::kRaise);
    });
    expect_refusal(
        c, [&](const Differentiable& f, TensorSpan in) { by_backward(f, in, {}, start(f, in)); });
    return;
  }
  for_each_differentiable(
      c, {DType::kF32, DType::kF64, DType::kC128}, Samples::kAll,
      [&](const Differentiable& f, const Sample& sample, const AnyAttrs& attrs) {
        check_sample(c, f, attrs, sample.kink.empty());
      });
  check_narrow(c, [](const Differentiable& f) {
    Random random(11);
    const Tensors in = f.point();
    return pulled(f, in, random_like(f(in), random));
  });
}

}  // namespace weft::suite
