// grad_check passes what is right and says what is wrong.
#include "weft/transform/grad_check.h"

#include <gtest/gtest.h>

#include "weft/transform/custom.h"
#include "weft/transform/test_values.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensors one(Tensor t) { return {std::move(t)}; }

TEST(GradCheck, PassesRightDerivativesOfEveryOrder) {
  const Tensor x = tensor({{0.3f, -0.7f}, {1.1f, 0.2f}}), w = tensor({{0.5f, 1.5f}, {-0.4f, 0.9f}});
  const auto f = [](const Tensor& a, const Tensor& b) { return tanh(matmul(a, b)) * sin(a); };
  const GradCheckReport report = grad_check(f, std::tuple(x, w), {.order = 3});
  // 2 directions, 2 arguments, 2 modes; 1, 2 and 4 functions to differentiate.
  EXPECT_EQ(report.entries.size(), 8u * (1 + 2 + 4));
  EXPECT_EQ(report.summary(), "all 56 checks passed");
}

TEST(GradCheck, TakesTreesAndHoldsIntegersConstant) {
  const Layer layer{tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), tensor({0.5f, -0.5f})};
  const auto f = [](const Layer& l, const Tensor& rows) {
    return std::pair(softmax(take(l.weight, rows, 0) + l.bias), sum(l.bias * l.bias));
  };
  const GradCheckReport report = grad_check(f, std::tuple(layer, tensor({1, 0, 1})), {.order = 2});
  EXPECT_EQ(report.entries[0].argument, "argument 0, leaf 0");
  EXPECT_TRUE(report.passed());
}

// The backward op of layer_norm has three outputs, of which a gradient uses one: its rule must see
// that the cotangents of the others are missing.
TEST(GradCheck, OpsWithSeveralOutputs) {
  const Tensor x = tensor({{0.3f, -0.7f, 0.5f}, {1.1f, 0.2f, 0.4f}});
  grad_check([](const Tensor& t) { return nn::layer_norm(t, Tensor(), Tensor()); }, std::tuple(x),
             {.order = 3});
  grad_check([](const Tensor& t) { return exp(split(t, Ints{1, 2}, 1)[1]); }, std::tuple(x),
             {.order = 2});
}

TEST(GradCheck, TakesComplexNumbers) {
  const Complex128 values[] = {{0.5, 1}, {-1, 0.25}};
  const Tensor z = Tensor::from_bytes(DType::kC128, Shape{2}, std::as_bytes(std::span(values)));
  grad_check([](const Tensor& x) { return exp(x) * conj(x) + abs(x); }, std::tuple(z),
             {.order = 2});
}

// A square whose backward pass says 3 x.
Tensor odd_square(const Tensor& x) {
  auto rules = new_shared<CustomRules>();
  rules->name = "odd_square";
  rules->forward = [](CustomContext& cx, TensorSpan in) {
    cx.save_for_backward(in);
    return one(in[0] * in[0]);
  };
  rules->backward = [](const CustomContext& cx, TensorSpan g) {
    return one(g[0] * cx.saved_tensors()[0] * 3.0);
  };
  return apply_custom(std::move(rules), inputs(x))[0];
}

TEST(GradCheck, SaysWhatIsWrong) {
  const auto f = [](TensorSpan in) { return one(exp(odd_square(in[0]))); };
  const Tensors at = one(tensor({1.0f, 0.5f}));
  const GradCheckReport report =
      grad_check_flat(f, at, {.directions = 1, .names = {"x"}}, Where::here());
  ASSERT_EQ(report.failures(), 2u);
  const GradCheckEntry& forward = report.entries[0];
  EXPECT_EQ(forward.what, "jvp");
  EXPECT_NEAR(forward.got / forward.expected, 1.5, 1e-6);
  EXPECT_EQ(report.entries[1].what, "vjp");
  EXPECT_NEAR(report.entries[1].got / report.entries[1].expected, 1.5, 1e-6);
  EXPECT_EQ(report.ops, (std::vector<std::string>{"odd_square", "exp"}));
  const std::string text = report.summary();
  EXPECT_NE(text.find("2 of 2 checks failed\n  order 1, jvp, x, direction 0: output 0 at ["),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("order 1, vjp, x, direction 0: <J* u, v> is "), std::string::npos) << text;
  EXPECT_NE(text.find("the function's ops: odd_square, exp"), std::string::npos) << text;
}

std::string message_of(FlatFunction f, const Tensor& x, const GradCheckOptions& options = {}) {
  try {
    require_passed(grad_check_flat(f, inputs(x), options, Where{}), Where{});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GradCheck, SeesASecondDerivativeThatIsWrong) {
  // Its gradient is right; that of the gradient is cut.
  const auto f = [](TensorSpan in) {
    auto rules = new_shared<CustomRules>();
    rules->forward = [](CustomContext& cx, TensorSpan x) {
      cx.save_for_backward(x);
      return one(x[0] * x[0]);
    };
    rules->backward = [](const CustomContext& cx, TensorSpan g) {
      return one(g[0] * stop_gradient(cx.saved_tensors()[0]) * 2.0);
    };
    return apply_custom(std::move(rules), in);
  };
  const Tensor x = tensor({1.0f, 0.5f});
  EXPECT_EQ(message_of(f, x), "");
  EXPECT_NE(message_of(f, x, {.order = 2}).find("order 2, jvp of vjp, argument 0"),
            std::string::npos);
}

TEST(GradCheck, NamesKinks) {
  const auto f = [](TensorSpan in) { return one(relu(in[0])); };
  EXPECT_NE(message_of(f, tensor({0.0f})).find("the function has a kink or a jump there"),
            std::string::npos);
}

TEST(GradCheck, RefusesWhatItCannotCheck) {
  const Tensor x = tensor({1.0f, 2.0f});
  const auto identity = [](TensorSpan in) { return one(in[0] * 1.0); };
  EXPECT_EQ(message_of(identity, x, {.order = 4}),
            "grad_check: order is 4; it is 1, 2 or 3 [grad_check.order]");
  EXPECT_EQ(message_of(identity, x, {.jvp = false, .vjp = false}),
            "grad_check: there is no mode; modes are 'jvp' and 'vjp' [grad_check.modes]");
  EXPECT_EQ(message_of(identity, x, {.directions = 0}),
            "grad_check: directions is 0; at least 1 is needed [grad_check.directions]");
  EXPECT_EQ(message_of(identity, tensor({1, 2})),
            "grad_check: no argument is floating, so there is no derivative [grad_check.dtype]");
  EXPECT_EQ(message_of([](TensorSpan in) { return one(cast(in[0], DType::kF32)); }, x),
            "grad_check: output 0 has dtype float32 though all inputs are float64; differences "
            "need float64 throughout, so leave out the cast [grad_check.dtype]");
  EXPECT_EQ(message_of([](TensorSpan in) { return one(in[0] > 0.0); }, x),
            "grad_check: the function gives no floating tensor to differentiate "
            "[grad_check.result]");
  EXPECT_EQ(message_of([](TensorSpan in) { return one(log(in[0] - 1.0)); }, x),
            "grad_check: output 0 is -inf somewhere; choose arguments where it is finite "
            "[grad_check.finite]");
  double calls = 0;
  EXPECT_NE(
      message_of([&](TensorSpan in) { return one(in[0] + ++calls); }, x).find("[grad_check.pure]"),
      std::string::npos);
}

}  // namespace
}  // namespace weft
