// Hooks on values and Variables, and gradients kept for values that are no Variables.
#include "weft/op/hooks.h"

#include <gtest/gtest.h>

#include "weft/transform/backward.h"
#include "weft/transform/grad.h"
#include "weft/transform/tape.h"
#include "weft/weft.h"

namespace weft {
namespace {

std::vector<float> values(const Tensor& t) { return t.to_vector<float>(); }

TEST(Hooks, SeeTheWholeCotangentAndMayReplaceIt) {
  const Variable x(tensor({1.0f, 2.0f}));
  const Tensor y = x * x;
  int calls = 0;
  register_hook(y, [&](const Tensor& g) {
    ++calls;
    EXPECT_EQ(values(g), (std::vector<float>{3, 3}));  // 1 + 2, from both uses
    return g * 10.0;
  });
  backward(sum(y) + sum(y * 2.0));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(values(x.grad().value()), (std::vector<float>{60, 120}));
}

TEST(Hooks, RunInOrderAndCanBeRemoved) {
  const Variable x(Tensor::scalar(DType::kF32, 1));
  const Tensor y = x * 2.0;
  std::string order;
  HookHandle first = register_hook(y, [&](const Tensor&) { return order += 'a', Tensor(); });
  register_hook(y, [&](const Tensor&) { return order += 'b', Tensor(); });
  const Tensor loss = y * y;
  backward(loss, {.retain_graph = true});
  first.remove();
  first.remove();  // nothing left to do
  backward(loss);
  EXPECT_EQ(order, "abb");
}

TEST(Hooks, OfAVariableStayWhenItIsAssignedTo) {
  const Variable x(Tensor::scalar(DType::kF32, 1));
  HookHandle handle = register_hook(x, [](const Tensor& g) { return g * 100.0; });
  backward(x * 3.0);
  EXPECT_EQ(x.grad().value().item(), 300);
  x.assign(Tensor::scalar(DType::kF32, 5));
  x.clear_grad();
  backward(x * x);
  EXPECT_EQ(x.grad().value().item(), 1000);
  GradientTape tape;
  const Tensor y = x * x;
  tape.stop();
  EXPECT_EQ(tape.gradient(y, x).item(), 1000);
  handle.remove();
  x.clear_grad();
  backward(x * x);
  EXPECT_EQ(x.grad().value().item(), 10);
}

TEST(Hooks, WorkInsideGradAndOnOneOfSeveralOutputs) {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x;
    register_hook(y, [](const Tensor& g) { return g * 2.0; });
    return sum(y);
  };
  EXPECT_EQ(values(grad(f)(tensor({1.0f, 3.0f}))), (std::vector<float>{4, 12}));
  const Variable x(tensor({1.0f, 2.0f, 3.0f, 4.0f}));
  const Tensors parts = split(x, Ints{2, 2}, 0);
  register_hook(parts[1], [](const Tensor& g) { return g * 5.0; });
  backward(sum(parts[0]) + sum(parts[1]));
  EXPECT_EQ(values(x.grad().value()), (std::vector<float>{1, 1, 5, 5}));
}

TEST(Hooks, RefuseWhatDoesNotFit) {
  const Variable x(tensor({1.0f, 2.0f}));
  const Tensor y = x * x;
  register_hook(y, [](const Tensor& g) { return sum(g); });
  try {
    backward(sum(y));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.law, "type");
  }
  EXPECT_THROW(register_hook(tensor({1.0f}), [](const Tensor& g) { return g; }), Error);
  EXPECT_THROW(register_hook(equal(floor(x), x), [](const Tensor& g) { return g; }), Error);
}

// The law by which a hook, or a kept gradient, is refused.
std::string refused(const Tensor& x, bool retain) {
  try {
    if (retain) retain_grad(x);
    register_hook(x, [](const Tensor& g) { return g; });
  } catch (const Error& error) {
    return "[" + error.op + "." + error.law + "]";
  }
  return "";
}

// Inside of grad inside of vmap a hook sees one example; on a value that vmap itself follows there
// is no gradient of one example to see.
TEST(Hooks, UnderVmap) {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x;
    register_hook(y, [](const Tensor& g) {
      EXPECT_EQ(g.rank(), 1);
      return g * 2.0;
    });
    return sum(y * y);
  };
  const Tensor batch = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  EXPECT_EQ(values(vmap(grad(f))(batch)), (std::vector<float>{8, 64, 216, 512}));
  std::string hook, kept;
  const auto g = [&](const Tensor& x) {
    hook = refused(x, false);
    kept = refused(x, true);
    return x * 2.0;
  };
  const Variable v(batch);
  vmap(g)(v);
  EXPECT_EQ(hook, "[register_hook.batched]");
  EXPECT_EQ(kept, "[retain_grad.batched]");
}

TEST(RetainGrad, KeepsAndAddsUp) {
  const Variable x(tensor({1.0f, 2.0f}));
  const Tensor y = x * x;
  EXPECT_FALSE(retains_grad(y));
  retain_grad(y);
  retain_grad(y);  // once is enough
  EXPECT_TRUE(retains_grad(y));
  EXPECT_FALSE(retained_grad(y).defined());
  const Tensor loss = sum(y * 3.0);
  backward(loss, {.retain_graph = true});
  EXPECT_EQ(values(retained_grad(y)), (std::vector<float>{3, 3}));
  backward(loss);
  EXPECT_EQ(values(retained_grad(y)), (std::vector<float>{6, 6}));
  EXPECT_THROW(retain_grad(tensor({1.0f})), Error);
}

TEST(RetainGrad, ComesBeforeBackward) {
  const Variable x(tensor({1.0f, 2.0f}));
  const Tensor y = x * x;
  backward(sum(y * 3.0));
  EXPECT_EQ(refused(y, true), "[retain_grad.freed]");
  EXPECT_EQ(refused(y, false), "[register_hook.freed]");
}

}  // namespace
}  // namespace weft
