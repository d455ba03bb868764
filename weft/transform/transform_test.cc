// First whole paths: a tape, reverse and forward mode, batching, nested.
#include <gtest/gtest.h>

#include <cmath>

#include "weft/transform/backward.h"
#include "weft/transform/custom.h"
#include "weft/transform/grad.h"
#include "weft/transform/tape.h"
#include "weft/transform/test_values.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensors one(Tensor t) { return {std::move(t)}; }

TEST(Backward, AddsToTheGradientOfVariables) {
  const Variable x(tensor({1.0f, 2.0f, 3.0f}));
  backward(sum(x * x));
  EXPECT_EQ(x.grad().value().to_vector<float>(), (std::vector<float>{2, 4, 6}));
  backward(sum(x.read() * 3.0));
  EXPECT_EQ(x.grad().value().to_vector<float>(), (std::vector<float>{5, 7, 9}));
}

TEST(Backward, SecondCallSaysWhyItFails) {
  const Variable x(tensor({1.0f, 2.0f}));
  const Tensor loss = sum(exp(x));
  backward(loss);
  EXPECT_THROW(backward(loss), Error);
}

TEST(Vjp, NestedReverse) {
  const auto cube = [](TensorSpan in) { return one(in[0] * in[0] * in[0]); };
  const auto slope = [&](TensorSpan in) {
    const Linearization f(cube, in, Where::here());
    return f.pull(one(Tensor::scalar(DType::kF32, 1)));
  };
  const auto curve = [&](TensorSpan in) {
    const Linearization f(slope, in, Where::here());
    return f.pull(one(Tensor::scalar(DType::kF32, 1)));
  };
  const Tensors x = one(Tensor::scalar(DType::kF32, 3));
  EXPECT_EQ(slope(x)[0].item(), 27);
  EXPECT_EQ(curve(x)[0].item(), 18);
  const Linearization third(curve, x, Where::here());
  EXPECT_EQ(third.pull(one(Tensor::scalar(DType::kF32, 1)))[0].item(), 6);
  EXPECT_EQ(third.push(one(Tensor::scalar(DType::kF32, 1)))[0].item(), 6);
}

TEST(Jvp, ForwardOverReverse) {
  const auto f = [](TensorSpan in) { return one(sin(in[0]) * exp(in[0])); };
  const auto slope = [&](TensorSpan in) {
    return Linearization(f, in, Where::here()).pull(one(Tensor::scalar(DType::kF64, 1)));
  };
  const Tensors x = one(Tensor::scalar(DType::kF64, 0.5));
  const JvpResult out = jvp_flat(slope, x, one(Tensor::scalar(DType::kF64, 1)), Where::here());
  EXPECT_NEAR(out.outputs[0].item(), std::exp(0.5) * (std::sin(0.5) + std::cos(0.5)), 1e-14);
  EXPECT_NEAR(out.tangents[0].item(), 2 * std::exp(0.5) * std::cos(0.5), 1e-14);
}

TEST(Vmap, OfGrad) {
  const auto f = [](TensorSpan in) { return one(sum(in[0] * in[0])); };
  const auto slope = [&](TensorSpan in) {
    return Linearization(f, in, Where::here()).pull(one(Tensor::scalar(DType::kF32, 1)));
  };
  const Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  const Tensors out = vmap_flat(slope, one(x), {.in_axes = {0}}, Where::here());
  EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(Grad, OnStructsOfTensors) {
  const Layer layer{tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), tensor({0.5f, -0.5f})};
  const auto loss = [](const Layer& l, const Tensor& x) {
    return sum(matmul(x, l.weight) + l.bias);
  };
  const auto [value, slope] = value_and_grad(loss)(layer, tensor({{1.0f, 1.0f}}));
  EXPECT_EQ(value.item(), 10);
  EXPECT_EQ(slope.weight.to_vector<float>(), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(slope.bias.to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(Grad, OfOneFactorOfAProduct) {
  const Tensor v = tensor({1.0f, 2.0f}), m = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  const auto slope = [](const auto& f, const Tensor& x) {
    return grad(f)(x).template to_vector<float>();
  };
  EXPECT_EQ(slope([&](const Tensor& x) { return matmul(x, v); }, v), (std::vector<float>{1, 2}));
  EXPECT_EQ(slope([&](const Tensor& x) { return matmul(v, x); }, v), (std::vector<float>{1, 2}));
  EXPECT_EQ(slope([&](const Tensor& x) { return sum(matmul(x, m)); }, v),
            (std::vector<float>{3, 7}));
  EXPECT_EQ(slope([&](const Tensor& x) { return sum(matmul(m, x)); }, v),
            (std::vector<float>{4, 6}));
  EXPECT_EQ(slope([&](const Tensor& x) { return sum(matmul(v, x)); }, m),
            (std::vector<float>{1, 1, 2, 2}));
}

TEST(Grad, NestsInAnyOrder) {
  const auto f = [](const Tensor& x) { return x * x * x; };
  const Tensor x = Tensor::scalar(DType::kF64, 2);
  EXPECT_EQ(grad(grad(grad(f)))(x).item(), 6);
  EXPECT_EQ(jvp(grad(f), x, x).second.item(), 24);
  const Tensor batch = tensor({1.0, 2.0, 3.0});
  EXPECT_EQ(vmap(grad(grad(f)))(batch).to_vector<float>(), (std::vector<float>{6, 12, 18}));
  const auto total = [&](const Tensor& t) { return sum(vmap(f)(t)); };
  EXPECT_EQ(grad(total)(batch).to_vector<float>(), (std::vector<float>{3, 12, 27}));
  const auto [y, pull] = vjp(f, x);
  EXPECT_EQ(y.item(), 8);
  EXPECT_EQ(pull(x).item(), 24);
}

// Siskind and Pearlmutter's counter-example: d/dx (x * d/dy (x + y)) is 1, not 2.
TEST(Grad, LevelsAreNotConfused) {
  const auto f = [](const Tensor& x) {
    return x * grad([&](const Tensor& y) { return x + y; })(Tensor::scalar(DType::kF32, 1));
  };
  EXPECT_EQ(grad(f)(Tensor::scalar(DType::kF32, 1)).item(), 1);
  EXPECT_EQ(jvp(f, Tensor::scalar(DType::kF32, 1), Tensor::scalar(DType::kF32, 1)).second.item(),
            1);
}

TEST(Tape, NestedTapesGiveSecondDerivatives) {
  const Variable x(Tensor::scalar(DType::kF32, 3));
  GradientTape outer;
  GradientTape inner;
  const Tensor y = x * x * x;
  inner.stop();
  const Tensor dy = inner.gradient(y, x);
  outer.stop();
  EXPECT_EQ(dy.item(), 27);
  EXPECT_EQ(outer.gradient(dy, x).item(), 18);
}

TEST(Tape, SaysWhyThereIsNoGradient) {
  Tensor x = tensor({1.0f, 2.0f});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = sum(floor(x) == x);
  EXPECT_THROW(tape.gradient(y, x), Error);
}

// What backward said, with the name of its law; empty if nothing was wrong.
std::string law_of_backward(const Tensor& loss) {
  try {
    backward(loss);
  } catch (const Error& error) {
    return error.law;
  }
  return "";
}

TEST(Tape, WhatItAloneRecordedIsNotLostToBackward) {
  const Variable a(Tensor::scalar(DType::kF32, 3));
  Tensor x = Tensor::scalar(DType::kF32, 2);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor of_a = a * a, of_x = x * 2.0;
  EXPECT_EQ(law_of_backward(of_a), "taped");
  tape.stop();
  EXPECT_EQ(law_of_backward(of_a), "taped");
  EXPECT_EQ(law_of_backward(of_a * a), "taped");
  EXPECT_EQ(law_of_backward((of_a + 1.0) * 2.0 * a), "taped");
  EXPECT_EQ(law_of_backward(of_a * 2.0), "path");
  EXPECT_EQ(law_of_backward(tape.gradient(of_a, a) * a), "taped");
  EXPECT_EQ(law_of_backward(stop_gradient(of_a) * a), "");
  EXPECT_EQ(a.grad().value().item(), 9);
  a.clear_grad();
  EXPECT_EQ(law_of_backward(cast(of_a > 1.0, DType::kF32) * a), "");
  EXPECT_EQ(law_of_backward(of_x * a), "");  // no Variable leads to it
  EXPECT_EQ(a.grad().value().item(), 5);
}

TEST(Tape, WatchesAVariableThatIsNotTrainable) {
  const Variable a(Tensor::scalar(DType::kF32, 3), {.trainable = false});
  GradientTape tape;
  tape.watch(a);
  const Tensor y = a * a;
  tape.stop();
  EXPECT_EQ(tape.gradient(y, a).item(), 6);
}

TEST(Grad, IsNotCutByVariablesAndBackward) {
  std::string of_variable, of_backward;
  const auto f = [&](const Tensor& x) {
    try {
      const Variable made(x);
    } catch (const Error& error) {
      of_variable = "[" + error.op + "." + error.law + "]";
    }
    of_backward = law_of_backward(x * x);
    return x * x;
  };
  EXPECT_EQ(grad(f)(Tensor::scalar(DType::kF32, 3)).item(), 6);
  EXPECT_EQ(of_variable, "[Variable.followed]");
  EXPECT_EQ(of_backward, "followed");
}

TEST(Tape, LeavesVariablesThatItDoesNotWatchToBackward) {
  const Variable a(Tensor::scalar(DType::kF32, 3));
  Tensor x = Tensor::scalar(DType::kF32, 2);
  GradientTape tape({.watch_accessed_variables = false});
  tape.watch(x);
  const Tensor y = x * x * a;
  tape.stop();
  backward(y);
  EXPECT_EQ(a.grad().value().item(), 4);
  EXPECT_EQ(tape.gradient(y, x).item(), 12);
}

// A square whose backward pass says 3 x instead of 2 x, so that one sees which rule ran.
Shared<const CustomRules> odd_square() {
  auto rules = new_shared<CustomRules>();
  rules->name = "odd_square";
  rules->forward = [](CustomContext& cx, TensorSpan in) {
    cx.save_for_backward(in);
    return one(in[0] * in[0]);
  };
  rules->backward = [](const CustomContext& cx, TensorSpan g) {
    return one(g[0] * cx.saved_tensors()[0] * 3.0);
  };
  return rules;
}

TEST(Transforms, RefuseFunctionsThatGiveNothing) {
  const auto nothing = [](const Tensor&) { return Tensor(); };
  const Tensor x = tensor({1.0f, 2.0f});
  EXPECT_THROW(grad(nothing)(x), Error);
  EXPECT_THROW(vmap(nothing)(x), Error);
  EXPECT_THROW(jvp(nothing, x, x), Error);
  EXPECT_EQ(to_string(Tensor()), "tensor(undefined)");
}

TEST(Custom, RunsItsOwnRulesInEveryMode) {
  const auto rules = odd_square();
  const auto f = [&](const Tensor& x) { return apply_custom(rules, inputs(x))[0]; };
  const Tensor x = Tensor::scalar(DType::kF32, 2);
  EXPECT_EQ(f(x).item(), 4);
  EXPECT_EQ(grad(f)(x).item(), 6);
  EXPECT_EQ(grad(grad(f))(x).item(), 3);  // through the backward pass, by its saved input
  EXPECT_EQ(jvp(f, x, x).second.item(), 12);
  const Variable v(x);
  backward(f(v));
  EXPECT_EQ(v.grad().value().item(), 6);
  const Tensor batch = tensor({1.0f, 2.0f});
  EXPECT_EQ(vmap(f)(batch).to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(vmap(grad(f))(batch).to_vector<float>(), (std::vector<float>{3, 6}));
  const auto total = [&](const Tensor& t) { return sum(vmap(f)(t)); };
  EXPECT_EQ(grad(total)(batch).to_vector<float>(), (std::vector<float>{3, 6}));
  auto looped = new_shared<CustomRules>(*rules);
  looped->per_example = true;
  const auto g = [&](const Tensor& t) { return apply_custom(looped, inputs(t))[0]; };
  EXPECT_EQ(vmap(grad(g))(tensor({1.0f, 2.0f})).to_vector<float>(), (std::vector<float>{3, 6}));
}

struct SquareOfBatches : Function<SquareOfBatches> {
  static constexpr const char* name = "SquareOfBatches";
  static Tensor forward(CustomContext& cx, const Tensor& x) {
    cx.save_for_backward(x);
    return x * x;
  }
  static Tensor backward(const CustomContext& cx, const Tensor& g) {
    return g * cx.saved_tensors()[0] * 3.0;
  }
  static Tensors batch(const BatchCtx& cx) { return one(apply(cx.inputs[0])); }
};

TEST(Custom, ABatchingRuleOfItsOwn) {
  const auto f = [](const Tensor& x) { return SquareOfBatches::apply(x); };
  const Tensor x = tensor({1.0f, 2.0f});
  EXPECT_EQ(vmap(f)(x).to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(vmap(grad(f))(x).to_vector<float>(), (std::vector<float>{3, 6}));
  const auto total = [&](const Tensor& t) { return sum(vmap(f)(t)); };
  EXPECT_EQ(grad(total)(x).to_vector<float>(), (std::vector<float>{3, 6}));
  const auto lost = custom_jvp(
      [](const Tensor& t) { return t * 1.0; }, [](const Tensor&, const Tensor& t) { return t; },
      {.name = "lost", .batch = [](const BatchCtx& cx) { return one(sum(cx.inputs[0])); }});
  EXPECT_THROW(vmap(lost)(x), Error);
}

TEST(Custom, TangentRuleGivesTheBackwardPass) {
  auto rules = new_shared<CustomRules>();
  rules->forward = [](CustomContext&, TensorSpan in) { return one(in[0] * in[0]); };
  rules->jvp = [](TensorSpan x, TensorSpan t) { return one(x[0] * t[0] * 3.0); };
  const Shared<const CustomRules> made = rules;
  const auto f = [&](const Tensor& x) { return apply_custom(made, inputs(x))[0]; };
  EXPECT_EQ(grad(f)(Tensor::scalar(DType::kF32, 2)).item(), 6);
}

TEST(Custom, GradientAsAFunction) {
  const auto odd = custom_gradient(
      [](const Tensor& x) {
        return std::pair(x * x, [x](const Tensor& g) { return g * x * 3.0; });
      },
      {.name = "odd", .per_example = true});
  const Tensor x = Tensor::scalar(DType::kF32, 2);
  EXPECT_EQ(odd(x).item(), 4);
  EXPECT_EQ(grad(odd)(x).item(), 6);
  EXPECT_EQ(grad(grad(odd))(x).item(), 3);
  EXPECT_EQ(vmap(grad(odd))(tensor({1.0f, 2.0f})).to_vector<float>(), (std::vector<float>{3, 6}));
  const auto product = custom_gradient([](const Tensor& a, const Tensor& b) {
    return std::pair(a * b, [=](const Tensor& g) { return std::tuple(g * b * 10.0, g * a); });
  });
  const auto [da, db] = grad<0, 1>(product)(x, x);
  EXPECT_EQ(da.item(), 20);
  EXPECT_EQ(db.item(), 2);
}

TEST(Custom, JvpAsAFunction) {
  const auto odd = custom_jvp([](const Tensor& x) { return x * x; },
                              [](const Tensor& x, const Tensor& t) { return x * t * 3.0; });
  const Tensor x = Tensor::scalar(DType::kF32, 2);
  EXPECT_EQ(jvp(odd, x, x).second.item(), 12);
  EXPECT_EQ(grad(odd)(x).item(), 6);
  using Two = std::tuple<Tensor, Tensor>;
  const auto product =
      custom_jvp([](const Tensor& a, const Tensor& b) { return a * b; },
                 [](const Two& x, const Two& t) {
                   return std::get<0>(t) * std::get<1>(x) + std::get<1>(t) * std::get<0>(x) * 5.0;
                 });
  const auto [da, db] = grad<0, 1>(product)(x, x * 2.0);
  EXPECT_EQ(da.item(), 4);
  EXPECT_EQ(db.item(), 10);
}

TEST(Custom, AJvpThatIsNotLinearRaisesInReverse) {
  const auto with_rule = [](auto rule) {
    return custom_jvp([](const Tensor& x) { return x * x; }, rule, {.name = "bent"});
  };
  const Tensor x = Tensor::scalar(DType::kF32, 2);
  const auto squares = with_rule([](const Tensor& x, const Tensor& t) { return x * t * t; });
  const auto bends = with_rule([](const Tensor&, const Tensor& t) { return tanh(t); });
  EXPECT_EQ(jvp(squares, x, x).second.item(), 8);
  const auto expect_refusal = [&](const auto& f) {
    try {
      grad(f)(x);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.law, "linear");
      EXPECT_NE(error.message.find("is not linear in the tangents"), std::string::npos);
    }
  };
  expect_refusal(squares);
  expect_refusal(bends);
  const auto chooses = with_rule(
      [](const Tensor& x, const Tensor& t) { return where(x > 0.0, t * x, -t) + sum(t) * 2.0; });
  EXPECT_EQ(grad(chooses)(x).item(), 4);
}

struct Cube : Function<Cube> {
  static constexpr const char* name = "Cube";
  static Tensor forward(CustomContext& cx, const Tensor& x) {
    cx.save_for_backward(x);
    return x * x * x;
  }
  static Tensor backward(const CustomContext& cx, const Tensor& g) {
    EXPECT_TRUE(cx.needs_input_grad(0));
    const Tensor& x = cx.saved_tensors()[0];
    return g * x * x * 3.0;
  }
};

struct SumAndScaled : Function<SumAndScaled> {
  static std::pair<Tensor, Tensor> forward(CustomContext&, const Tensor& a, const Tensor& b,
                                           double scale) {
    return {a + b, a * scale};
  }
  static std::tuple<Tensor, Tensor> backward(const CustomContext&,
                                             const std::pair<Tensor, Tensor>& g) {
    EXPECT_EQ(g.second.item(), 0);  // nobody used it
    return {g.first, g.first * 7.0};
  }
};

TEST(Custom, FunctionsAddOneNode) {
  const Tensor x = Tensor::scalar(DType::kF32, 2);
  const auto cube = [](const Tensor& t) { return Cube::apply(t); };
  EXPECT_EQ(grad(cube)(x).item(), 12);
  EXPECT_EQ(grad(grad(cube))(x).item(), 12);
  const Variable v(x);
  const Tensor y = Cube::apply(v);
  EXPECT_EQ(grad_node(y)->edges()[0].link, grad_node(v.read()));
  backward(y);
  EXPECT_EQ(v.grad().value().item(), 12);
  const auto first = [](const Tensor& a, const Tensor& b) {
    return SumAndScaled::apply(a, b, 2.0).first;
  };
  const auto [da, db] = grad<0, 1>(first)(x, x);
  EXPECT_EQ(da.item(), 1);
  EXPECT_EQ(db.item(), 7);
}

TEST(Custom, RefusesWhatItWouldLose) {
  const Variable w(Tensor::scalar(DType::kF32, 3));
  const auto f = custom_gradient(
      [&](const Tensor& x) { return std::pair(w * x, [](const Tensor& g) { return g; }); },
      {.name = "scaled"});
  try {
    f(Tensor::scalar(DType::kF32, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.op + "." + error.law, "scaled.closure");
  }
}

}  // namespace
}  // namespace weft
