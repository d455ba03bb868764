// Optimizers against their formulas written out in double.
#include <gtest/gtest.h>

#include <cmath>

#include "weft/optim/adam.h"
#include "weft/optim/sgd.h"
#include "weft/transform/backward.h"
#include "weft/weft.h"

namespace weft::optim {
namespace {

// The gradient of x^2 is 2 x.
double descend(Optimizer& optimizer, int steps) {
  const Variable& x = optimizer.parameters()[0];
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    backward(x * x);
    optimizer.step();
  }
  return x.value().item();
}

Variable start() { return Variable(Tensor::scalar(DType::kF64, 3.0), {.name = "x"}); }

TEST(SGD, FollowsItsFormula) {
  SGD plain({start()}, {.lr = 0.1});
  EXPECT_NEAR(descend(plain, 5), 3 * std::pow(0.8, 5), 1e-12);
  for (const bool nesterov : {false, true}) {
    SGD heavy({start()}, {.lr = 0.1, .momentum = 0.9, .nesterov = nesterov, .weight_decay = 0.5});
    double x = 3, buffer = 0;
    for (int i = 0; i < 6; ++i) {
      const double g = 2 * x + 0.5 * x;
      buffer = i == 0 ? g : 0.9 * buffer + g;
      x -= 0.1 * (nesterov ? g + 0.9 * buffer : buffer);
    }
    EXPECT_NEAR(descend(heavy, 6), x, 1e-12);
  }
}

TEST(Adam, FollowsItsFormula) {
  Adam adam({start()}, {.lr = 0.1, .weight_decay = 0.5});
  double x = 3, m = 0, v = 0;
  for (int t = 1; t <= 6; ++t) {
    const double g = 2 * x + 0.5 * x;
    m = 0.9 * m + 0.1 * g, v = 0.999 * v + 0.001 * g * g;
    const double root = std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8;
    x -= 0.1 * (m / (1 - std::pow(0.9, t))) / root;
  }
  EXPECT_NEAR(descend(adam, 6), x, 1e-9);
}

TEST(Optimizer, NamesAParameterWithoutGradientAndChangesNothing) {
  const Variable with = start(), without(Tensor::scalar(DType::kF64, 1), {.name = "bias"});
  SGD sgd({with, without});
  backward(with * with);
  try {
    sgd.step(Where());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "step: parameter 1 ('bias') has no gradient; call backward() on a loss that "
                 "depends on it, or leave it out of the optimizer [step.gradient]");
  }
  EXPECT_EQ(with.value().item(), 3);
}

TEST(Optimizer, RefusesIntegers) {
  const Variable count(Tensor(int64_t{3}), {.name = "count"});
  try {
    SGD({count}, {});
    FAIL() << "an optimizer of integers";
  } catch (const Error& error) {
    EXPECT_EQ(error.law, "dtype");
    EXPECT_NE(std::string(error.what()).find("parameter 0 ('count') has dtype int64"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace weft::optim
