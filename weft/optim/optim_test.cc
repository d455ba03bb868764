// Optimizers against their formulas written out in double, in functions, and after a stop.
#include <gtest/gtest.h>

#include <cmath>

#include "weft/base/test_error.h"
#include "weft/op/assign_updated.h"
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
    SGD heavy({start()}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.5, .nesterov = nesterov});
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
  for (const bool is_decoupled : {false, true}) {
    double x = 3, m = 0, v = 0;
    for (int t = 1; t <= 6; ++t) {
      const double g = 2 * x + (is_decoupled ? 0 : 0.5 * x);
      m = 0.9 * m + 0.1 * g, v = 0.999 * v + 0.001 * g * g;
      const double root = std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8;
      x = x * (is_decoupled ? 1 - 0.1 * 0.5 : 1) - 0.1 * (m / (1 - std::pow(0.9, t))) / root;
    }
    Adam adam({start()}, {.lr = 0.1, .weight_decay = 0.5});
    AdamW adamw({start()}, {.lr = 0.1, .weight_decay = 0.5});
    EXPECT_NEAR(is_decoupled ? descend(adamw, 6) : descend(adam, 6), x, 1e-9);
  }
}

TEST(Lion, FollowsItsFormula) {
  double x = 3, m = 0;
  for (int t = 0; t < 6; ++t) {
    const double g = 2 * x, d = 0.9 * m + 0.1 * g;
    x = x * (1 - 0.1 * 0.5) - 0.1 * ((d > 0) - (d < 0));
    m = 0.99 * m + 0.01 * g;
  }
  Lion lion({start()}, {.lr = 0.1, .weight_decay = 0.5});
  EXPECT_NEAR(descend(lion, 6), x, 1e-12);
}

TEST(LAMB, FollowsItsFormula) {
  double x = 3, m = 0, v = 0;
  for (int t = 1; t <= 6; ++t) {
    const double g = 2 * x;
    m = 0.9 * m + 0.1 * g, v = 0.999 * v + 0.001 * g * g;
    const double root = std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-6;
    const double d = m / (1 - std::pow(0.9, t)) / root + 0.5 * x;
    x -= 0.1 * std::abs(x) / std::abs(d) * d;
  }
  LAMB lamb({start()}, {.lr = 0.1, .weight_decay = 0.5});
  EXPECT_NEAR(descend(lamb, 6), x, 1e-9);
}

TEST(LBFGS, FindsTheMinimumOfRosenbrock) {
  const Variable x(Tensor::scalar(DType::kF64, -1.2)), y(Tensor::scalar(DType::kF64, 1));
  LBFGS optimizer({x, y}, {.max_iter = 60,
                           .max_eval = 200,
                           .tolerance_grad = 1e-10,
                           .tolerance_change = 1e-16,
                           .strong_wolfe = true});
  const auto loss = [&] {
    const Tensor a = 1.0 - x.read(), b = y.read() - x.read() * x.read();
    return a * a + b * b * 100.0;
  };
  const Tensor before = optimizer.step(loss);
  EXPECT_NEAR(before.item(), 24.2, 1e-9);
  optimizer.step(loss);
  EXPECT_NEAR(x.value().item(), 1, 1e-6);
  EXPECT_NEAR(y.value().item(), 1, 1e-6);
  EXPECT_EQ(error_of([&] { optimizer.apply_gradients(Tensors{x.value(), y.value()}, Where()); }),
            "LBFGS: computes the loss several times a step, so gradients are not enough; call "
            "step(loss) with a function that gives the loss [LBFGS.step]");
}

TEST(LBFGS, GoesOnWhereItWasStopped) {
  const auto run = [](int stop) {
    const Variable x(Tensor::scalar(DType::kF64, 3));
    const auto loss = [&] { return exp(x.read()) + x.read() * x.read(); };
    auto optimizer = std::make_unique<LBFGS>(Parameters{x}, LBFGSOptions{.max_iter = 2});
    for (int k = 0; k < 6; ++k) {
      if (k == stop) {
        const StateDict saved = optimizer->state_dict();
        optimizer = std::make_unique<LBFGS>(Parameters{x}, LBFGSOptions{.max_iter = 2});
        optimizer->load_state_dict(saved);
      }
      optimizer->step(loss);
    }
    return x.value().item();
  };
  EXPECT_EQ(run(3), run(-1));
}

TEST(Optimizer, StepsInsideOfAFunctionWithTheSameBits) {
  const auto run = [](bool is_traced) {
    const Variable w(Tensor::scalar(DType::kF32, 2), {.name = "w"});
    AdamW optimizer({w}, {.lr = 0.1});
    Schedule schedule(optimizer, schedules::exponential(0.5));
    const auto step = [&](const Tensor& x) {
      const Tensor loss = optimizer.minimize([&] { return (w - x) * (w - x); });
      schedule.step();
      return loss;
    };
    const auto traced = function(step);
    for (int i = 0; i < 5; ++i) {
      const Tensor x = Tensor::scalar(DType::kF32, i);
      is_traced ? traced(x) : step(x);
    }
    EXPECT_EQ(optimizer.steps(), 5);
    EXPECT_EQ(optimizer.lr(), 0.1 * std::pow(0.5, 5));
    return w.value().item();
  };
  EXPECT_EQ(run(true), run(false));
}

// An option that is set in a graph is part of every run of the steps that are added after it.
TEST(Optimizer, options_set_in_a_graph) {
  const Variable w(Tensor::scalar(DType::kF32, 1));
  optim::SGD optimizer({w}, {.lr = 0.5});
  const Graph graph;
  Tensor rate;
  Operation step;
  {
    const Graph::Scope scope(graph);
    rate = graph.placeholder(DType::kF32, {}, "rate");
    optimizer.set_option(0, "lr", rate, Where::here());
    const optim::Schedule schedule(optimizer, optim::schedules::constant(0.5, 3));
    EXPECT_EQ(optimizer.lr(), 0.25);  // the first rate is there before a run
    const size_t before = graph.operations().size();
    const Tensor value = w.read(), loss = value * value;
    const Tensor slope = gradients(inputs(loss), inputs(value))[0];
    optimizer.apply_gradients(inputs(slope));
    const std::vector<Operation> all = graph.operations();
    step = graph.group(std::span(all).subspan(before));
  }
  Session(graph).run(step, {{rate, Tensor::scalar(DType::kF32, 0.125)}});
  EXPECT_EQ(w.value().item(), 0.75);
  EXPECT_EQ(optimizer.lr(), 0.125);
}

TEST(Optimizer, WritesInPlaceUnlessSomebodyHoldsTheValue) {
  const Variable w(Tensor::from_bytes(DType::kF32, Shape{1000}, std::vector<std::byte>(4000)));
  SGD optimizer({w}, {.lr = 1});
  const Tensor gradient = full({1000}, 1.0, DType::kF32);
  const void* const place = w.value().data();
  optimizer.apply_gradients(std::span(&gradient, 1));
  EXPECT_EQ(w.value().data(), place);
  const Tensor held = w.value();
  optimizer.apply_gradients(std::span(&gradient, 1));
  EXPECT_NE(w.value().data(), place);
  EXPECT_EQ(held.to_vector<float>()[7], -1);
  EXPECT_EQ(w.value().to_vector<float>()[7], -2);
}

TEST(Optimizer, GoesOnWhereItWasStopped) {
  const auto run = [](int stop) {
    const Variable x = start();
    auto optimizer = std::make_unique<NAdam>(Parameters{x}, NAdamOptions{.lr = 0.1});
    for (int k = 0; k < 6; ++k) {
      if (k == stop) {
        const StateDict saved = optimizer->state_dict();
        optimizer = std::make_unique<NAdam>(Parameters{x}, NAdamOptions{});
        optimizer->load_state_dict(saved);
      }
      optimizer->minimize([&] { return x * x; });
    }
    return x.value().item();
  };
  EXPECT_EQ(run(3), run(-1));
}

TEST(Optimizer, NamesAParameterWithoutGradientAndChangesNothing) {
  const Variable with = start(), without(Tensor::scalar(DType::kF64, 1), {.name = "bias"});
  SGD sgd({with, without});
  backward(with * with);
  EXPECT_EQ(error_of([&] { sgd.step(Where()); }),
            "step: parameter 1 ('bias') has no gradient; call backward() on a loss that depends on "
            "it, or leave it out of the optimizer [step.gradient]");
  EXPECT_EQ(with.value().item(), 3);
  EXPECT_EQ(sgd.steps(), 0);
}

TEST(Optimizer, LeavesFrozenParametersAsTheyAre) {
  const Variable learns = start(), frozen = start(), alone = start(), twin = start();
  Adam adam({learns, frozen}, {.lr = 0.1}), other({twin}, {.lr = 0.1});
  frozen.set_trainable(false);
  for (int k = 0; k < 3; ++k) {
    backward(learns * learns * frozen);
    adam.step();
    adam.zero_grad();
    other.minimize([&] { return twin * twin * alone; });
  }
  EXPECT_EQ(learns.value().item(), twin.value().item());
  EXPECT_EQ(frozen.value().item(), 3);
  EXPECT_EQ(adam.state_dict().at("state.1.mean").item(), 0);
  frozen.set_trainable(true);
  adam.minimize([&] { return learns * frozen; });
  EXPECT_NE(frozen.value().item(), 3);
  EXPECT_EQ(adam.steps(), 4);
}

TEST(Optimizer, CountsNoStepsOfAFrozenGroup) {
  const Variable learns = start(), frozen = start();
  frozen.set_trainable(false);
  SGD sgd(std::vector<ParamGroup>{{{frozen}}, {{learns}}}, {.lr = 0.1});
  sgd.minimize([&] { return learns * frozen; });
  EXPECT_EQ(sgd.groups()[0].steps().value().item_int(), 0);
  EXPECT_EQ(sgd.groups()[1].steps().value().item_int(), 1);
  EXPECT_EQ(sgd.steps(), 1);
}

TEST(LBFGS, ForgetsTheCurveOfOtherParameters) {
  const Variable a = start(), b = start();
  LBFGS optimizer({a, b}, {.lr = 0.5, .max_iter = 2});
  const auto loss = [&] { return a * a + (b - 1.0) * (b - 1.0); };
  optimizer.step(loss);
  a.set_trainable(false);
  const double kept = a.value().item();
  for (int k = 0; k < 20; ++k) optimizer.step(loss);
  EXPECT_EQ(a.value().item(), kept);
  EXPECT_NEAR(b.value().item(), 1, 1e-3);
}

TEST(Optimizer, RefusesWhatItCannotUpdate) {
  const Variable count(Tensor(int64_t{3}), {.name = "count"});
  EXPECT_EQ(error_of([&] { SGD({count}, {}); }),
            "optim: parameter 0 ('count') has dtype int64, which has no derivatives; make it of a "
            "floating dtype [optim.dtype]");
  EXPECT_EQ(error_of([&] { AdamW({start()}, {.beta2 = 1.5}); }),
            "AdamW: beta2 is 1.5; it is in [0, 1) [AdamW.beta2]");
  const Variable narrow(Tensor::scalar(DType::kF32, 1));
  EXPECT_EQ(error_of([&] { LBFGS({start(), narrow}); }),
            "LBFGS: parameters have dtypes float64 and float32; it takes one, because it steps "
            "along one direction [LBFGS.dtype]");
}

TEST(Optimizer, CountsItsGroups) {
  const Variable w(ones({2}));
  Adam adam({w});
  EXPECT_EQ(error_of([&] { adam.set_option(3, "lr", 0.1); }),
            "Adam: there is no group 3; there are 1, counted from 0 [Adam.group]");
}

TEST(Schedule, MovesGroupsThatAreAddedLater) {
  SGD sgd({start()}, {.lr = 1});
  Schedule schedule(sgd, schedules::exponential(0.5));
  schedule.step();
  sgd.add_param_group({{start()}, {{"lr", 8.0}}});
  schedule.step();
  EXPECT_EQ(schedule.rates(), (std::vector<double>{0.25, 2}));
}

}  // namespace
}  // namespace weft::optim
