// checkpoint: the same derivatives as without it, of arguments and of what is read beside them.
#include <gtest/gtest.h>

#include "weft/transform/test_values.h"
#include "weft/weft.h"

namespace weft {
namespace {

TEST(Checkpoint, RunsAgainForTheGradient) {
  int calls = 0;
  const auto f = [&](const Tensor& x) {
    ++calls;
    return x * x * x;
  };
  const Variable x(scalar(2));
  const Tensor y = checkpoint(f)(x);
  EXPECT_EQ(y.item(), 8);
  EXPECT_EQ(calls, 1);
  backward(y);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(x.grad().value().item(), 12);
}

TEST(Checkpoint, InEveryMode) {
  const auto f = checkpoint([](const Tensor& x) { return x * x * x; });
  const Tensor x = scalar(2), batch = tensor({1.0f, 2.0f, 3.0f});
  EXPECT_EQ(grad(f)(x).item(), 12);
  EXPECT_EQ(grad(grad(f))(x).item(), 12);
  EXPECT_EQ(jvp(f, x, scalar(1)).second.item(), 12);
  EXPECT_EQ(jvp(grad(f), x, scalar(1)).second.item(), 12);
  EXPECT_EQ(values(vmap(f)(batch)), (Floats{1, 8, 27}));
  EXPECT_EQ(values(vmap(grad(f))(batch)), (Floats{3, 12, 27}));
  const auto total = [&](const Tensor& t) { return sum(vmap(f)(t)); };
  EXPECT_EQ(values(grad(total)(batch)), (Floats{3, 12, 27}));
  EXPECT_EQ(values(hessian(total)(batch)), (Floats{6, 0, 0, 0, 12, 0, 0, 0, 18}));
}

TEST(Checkpoint, FollowsVariablesThatAreReadInside) {
  const Variable w(scalar(3)), x(scalar(2));
  const auto f = [&](const Tensor& t) { return w * t * t; };
  const Tensor y = checkpoint(f)(x);
  w.assign(scalar(100));  // the gradient is that of what was computed
  backward(y);
  EXPECT_EQ(x.grad().value().item(), 12);
  EXPECT_EQ(w.grad().value().item(), 4);
  w.assign(scalar(3));
  GradientTape tape({.persistent = true});
  const Tensor z = checkpoint(f)(x);
  tape.stop();
  EXPECT_EQ(tape.gradient(z, w).item(), 4);
  EXPECT_EQ(tape.gradient(z, x).item(), 12);
  w.clear_grad();
  const auto nested = checkpoint([&](const Tensor& t) { return checkpoint(f)(t) * w; });
  backward(nested(scalar(2)));
  EXPECT_EQ(w.grad().value().item(), 24);  // d w^2 t^2 / dw
}

TEST(Checkpoint, FollowsValuesOfTransformationsAround) {
  const auto f = [](const Tensor& w) {
    const auto inner = [w](const Tensor& x) { return w * w * x; };  // w * w from outside alone
    return checkpoint(inner)(w * 2.0);
  };
  EXPECT_EQ(grad(f)(scalar(3)).item(), 54);  // 2 w^3
  EXPECT_EQ(jvp(f, scalar(3), scalar(1)).second.item(), 54);
  EXPECT_EQ(values(vmap(grad(f))(tensor({1.0f, 2.0f}))), (Floats{6, 24}));
  const auto total = [&](const Tensor& t) { return sum(vmap(f)(t)); };
  EXPECT_EQ(values(grad(total)(tensor({1.0f, 2.0f}))), (Floats{6, 24}));
}

TEST(Checkpoint, DrawsTheSameNumbersAgain) {
  const Variable x(ones({8}));
  const Tensor y = checkpoint([](const Tensor& t) { return t * randn({8}); })(x);
  backward(sum(y));
  EXPECT_EQ(values(x.grad().value()), values(y));
}

TEST(Checkpoint, RunningAgainDrawsNothing) {
  seed(7);
  const Variable x(ones({2}));
  const auto noisy = checkpoint([](const Tensor& t) {
    return checkpoint([](const Tensor& u) { return u * u * randn({2}); })(t * randn({2}));
  });
  const Tensor y = noisy(x);
  EXPECT_EQ(random::generator_state().draws, 2u);
  backward(sum(y));
  EXPECT_EQ(random::generator_state().draws, 2u);
  EXPECT_EQ(values(x.grad().value()), values(y * 2.0));
  const VmapOptions different{.randomness = Randomness::kDifferent};
  const auto total = [&](const Tensor& t) { return sum(vmap(noisy, different)(t)); };
  const auto [loss, slope] = value_and_grad(total)(ones({3, 2}));
  EXPECT_EQ(random::generator_state().draws, 4u);
  EXPECT_NEAR(sum(slope).item(), 2 * loss.item(), 1e-5);
}

TEST(Checkpoint, KnowsTheNamesOfAxes) {
  const auto f = checkpoint([](const Tensor& x) {
    return x * x * axis_index("row") + psum(x * x, "row") + pmean(x, "row");
  });
  const VmapOptions named{.axis_name = "row"};
  const auto total = [&](const Tensor& x) { return sum(vmap(f, named)(x)); };
  const Tensor x = tensor({1.0f, 2.0f, 3.0f});
  EXPECT_EQ(values(grad(total)(x)), (Floats{7, 17, 31}));  // 2 x i + 3 (2 x) + 1
  EXPECT_EQ(values(jvp(total, x, ones({3})).second), (Floats{55}));
  const auto first = [&](const Tensor& t) { return grad(f)(t); };
  EXPECT_EQ(values(vmap(first, named)(x))[1], 2 * 2 * 1 + 3 * 2 * 2 + 1);
}

TEST(Checkpoint, TakesAndGivesTreesAndIntegers) {
  const auto f = [](const std::pair<Tensor, Tensor>& p, const Tensor& index, int power) {
    return std::tuple(take(p.first, index, 0) * static_cast<double>(power), p.second, index);
  };
  const Tensor index = tensor({1, 1}, DType::kI64);
  const auto loss = [&](const Tensor& a, const Tensor& b) {
    const auto [y, z, same] = checkpoint(f)(std::pair(a, b), index, 3);
    EXPECT_EQ(same.dtype(), DType::kI64);
    return sum(y) + sum(z);
  };
  const auto [da, db] = grad<0, 1>(loss)(tensor({1.0f, 2.0f}), scalar(1));
  EXPECT_EQ(values(da), (Floats{0, 6}));
  EXPECT_EQ(db.item(), 1);
}

}  // namespace
}  // namespace weft
