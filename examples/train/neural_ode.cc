// A neural ODE: a network learns the law of the pendulum from how some of them swing (Chen et al.
// 2018).
//
// A full run takes 3000 steps in 4 s. Pendulums that it has not seen are then foretold to 0.01
// (the root of the mean square of angle and speed, which reach 2), for three times as long as any
// was watched. neural_ode.py is the twin in Python.
//
// The network says how fast angle and speed change; our own solver, that of Runge and Kutta in a
// `scan`, makes a path of it. It is written for one path and vmapped, and takes any function: the
// truth goes through it as well. The loss compares paths, so its gradient goes through the solver.
#include <weft/weft.h>

#include "options.h"

using namespace weft;

namespace {

constexpr const char* kHelp =
    "neural_ode [--quick]: a network learns the law of the pendulum from 64 paths of 3 s, through\n"
    "a solver of differential equations, and foretells 9 s of others.\n"
    "  --quick   300 steps, not 3000, and a bound of 0.12, not 0.015\n";
constexpr double kSeconds = 0.2;                  // between two looks
constexpr int64_t kWatched = 15, kForetold = 45;  // and how many there are
constexpr int64_t kPendulums = 64;

// The truth: how angle and speed change under gravity and some friction.
Tensor pendulum(const Tensor& state) {
  const Tensor angle = index(state, {0}), speed = index(state, {1});
  const Tensor pull = -sin(angle);
  return stack(inputs(speed, pull - 0.1 * speed));
}

// The states along a path, one for each look.
template <class Field>
Tensor solve(const Field& field, const Tensor& start, int64_t looks) {
  const auto advance = [&](const Tensor& state, const Tensor&) {
    const Tensor k1 = field(state);
    const Tensor k2 = field(state + k1 * (kSeconds / 2));
    const Tensor k3 = field(state + k2 * (kSeconds / 2));
    const Tensor k4 = field(state + k3 * kSeconds);
    const Tensor after = state + (k1 + 2.0 * (k2 + k3) + k4) * (kSeconds / 6);
    return std::pair{after, after};
  };
  return scan(advance, start, arange(looks)).second;
}

template <class Field>
Tensor paths(const Field& field, const Tensor& starts, int64_t looks) {
  return vmap([&](const Tensor& start) { return solve(field, start, looks); })(starts);
}

// Angles and speeds with which pendulums are let go.
Tensor starts(const random::Key& key, int64_t count) {
  return random::uniform(key, {count, 2}, DType::kF32, -1.5, 1.5);
}

void learn(const nn::Sequential& model, const Tensor& begun, const Tensor& watched, int steps) {
  optim::Adam optimizer(model.parameters(), {.lr = 0.02});
  optim::Schedule schedule(optimizer, optim::schedules::cosine(steps));

  const auto step = function([&](const Tensor& from, const Tensor& seen) {
    const Tensor loss =
        optimizer.minimize([&] { return nn::mse_loss(paths(model, from, kWatched), seen); });
    schedule.step();
    return loss;
  });

  for (int i = 1; i <= steps; ++i) {
    const Tensor loss = step(begun, watched);
    if (i % (steps / 5) == 0) std::printf("step %4d  loss %.7f\n", i, loss.item());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = options_of(argc, argv, kHelp).quick;
  const random::Key key(2018);
  seed(2018);
  const nn::Sequential model({nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 2)});
  const Tensor begun = starts(key.fold_in(0), kPendulums);
  learn(model, begun, paths(pendulum, begun, kWatched), quick ? 300 : 3000);

  const Tensor unseen = starts(key.fold_in(1), 100);
  const Tensor truth = paths(pendulum, unseen, kForetold);
  const Tensor foretold = paths(model, unseen, kForetold);
  std::printf("angle after    in truth   foretold\n");
  for (int64_t look = 4; look < kForetold; look += 10) {
    std::printf("%7.1f s    %8.4f   %8.4f\n", static_cast<double>(look + 1) * kSeconds,
                index(truth, {0, look, 0}).item(), index(foretold, {0, look, 0}).item());
  }
  const Tensor off = foretold - truth;
  const double error = sqrt(mean(off * off)).item();
  std::printf("%.0f s of 100 unseen pendulums are foretold to %.6f\n", kForetold * kSeconds, error);
  const double bound = quick ? 0.12 : 0.015;
  if (error < bound) return 0;
  std::fprintf(stderr, "neural_ode: %.6f is not below %g\n", error, bound);
  return 1;
}
