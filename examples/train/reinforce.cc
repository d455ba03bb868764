// REINFORCE on a cart-pole of our own: a network learns to balance a pole by pushing its cart left
// and right (Williams 1992).
//
// A full run plays 100 rounds of 64 games in 3 s. In fresh games the pole then stands for all of
// 500 steps; at first it stood for 20. reinforce.py is the twin in Python.
//
// The physics (Barto, Sutton and Anderson 1983) and a game, which is a `scan` of pushes, are
// written for one cart; `vmap` plays many at once. Games, gradient and update are one traced
// function.
#include <weft/weft.h>

#include "options.h"

using namespace weft;

namespace {

constexpr const char* kHelp =
    "reinforce [--quick]: a network learns to balance a pole on a cart, by trial and error.\n"
    "  --quick   25 rounds of 64 games, not 100, and a bound of 60 steps, not 475\n";
constexpr int64_t kLength = 500, kGames = 64, kFresh = 200;  // of a game; in a round, for the test
constexpr double kDiscount = 0.99;

// 0.02 s later: the place and the speed of the cart, the angle of the pole and its speed.
Tensor pushed(const Tensor& state, const Tensor& is_right) {
  const Tensors now = unstack(state);
  const Tensor &speed = now[1], &angle = now[2], &turn = now[3];
  const Tensor force = where(is_right, 10.0, -10.0);
  const Tensor sine = sin(angle), cosine = cos(angle);
  // Of 1 kg and 0.1 kg; the pole is 1 m long.
  const Tensor pull = (force + 0.05 * turn * turn * sine) / 1.1;
  const Tensor fall = 9.8 * sine, lever = cosine * pull, inertia = cosine * cosine * (0.05 / 1.1);
  const Tensor bend = (fall - lever) / (2.0 / 3 - inertia);
  const Tensor drive = pull - bend * cosine * (0.05 / 1.1);
  return state + 0.02 * stack(inputs(speed, drive, turn, bend));
}

// Is the pole within 12 degrees, and the cart on its track?
Tensor stands(const Tensor& state) {
  const Tensor is_up = abs(index(state, {2})) < 0.2095;
  return logical_and(is_up, abs(index(state, {0})) < 2.4);
}

// The states, what was done, and 1 for each step until the pole fell.
using Game = std::array<Tensor, 3>;

Game game(const nn::Sequential& policy, const random::Key& key) {
  const Tensor start = random::uniform(key.fold_in(0), {4}, DType::kF32, -0.05, 0.05);
  const Tensor chances = random::uniform(key.fold_in(1), {kLength});
  const auto step = [&](const std::pair<Tensor, Tensor>& carry, const Tensor& chance) {
    const auto& [state, is_up] = carry;
    const Tensor is_right = chance < sigmoid(index(policy(state), {0}));
    const Tensor after = pushed(state, is_right);
    return std::pair{std::pair{after, logical_and(is_up, stands(after))},
                     Game{state, is_right, is_up}};
  };
  const auto [states, is_right, is_up] = scan(step, std::pair{start, tensor(true)}, chances).second;
  return {states, cast(is_right, DType::kF32), cast(is_up, DType::kF32)};
}

Game games(const nn::Sequential& policy, const random::Key& key, int64_t count) {
  return vmap([&](const random::Key& one) { return game(policy, one); })(key.split(count));
}

// How much longer the pole stood after each step than after the same step of other games; what is
// far counts less.
Tensor gains(const Tensor& is_up) {
  const Tensor decay = full_like(is_up, kDiscount);
  const Tensor ahead = linear_recurrence(decay, flip(is_up, Ints{1}), 1);
  const Tensor worth = flip(ahead, Ints{1}), total = sum(worth, Ints{0});
  const Tensor usual = total / maximum(sum(is_up, Ints{0}), 1.0);
  const Tensor gain = is_up * (worth - usual);
  return gain / weft::std(worth);
}

void learn(const nn::Sequential& policy, const random::Key& key, int rounds) {
  optim::Adam optimizer(policy.parameters(), {.lr = 0.01});

  const auto step = function([&](const random::Key& drawn) {
    const auto [states, is_right, is_up] = stop_gradient(games(policy, drawn, kGames));
    const Tensor gain = gains(is_up);
    // The better it was, and the less likely, the more is learnt.
    const auto surprise = [&, &states = states, &is_right = is_right] {
      const Tensor logits = index(policy(states), {kEllipsis, 0});
      return sum(gain * nn::binary_cross_entropy_with_logits(logits, is_right, {}, {},
                                                             nn::Reduction::kNone)) /
             kGames;
    };
    optimizer.minimize(surprise);
    return sum(is_up) / kGames;
  });

  for (int i = 1; i <= rounds; ++i) {
    const Tensor steps = step(key.fold_in(i));
    if (i == 1 || i % (rounds / 5) == 0) {
      std::printf("round %3d  the pole stands for %.1f steps\n", i, steps.item());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = options_of(argc, argv, kHelp).quick;
  const random::Key key(1983);
  seed(1983);
  const nn::Sequential policy({nn::Linear(4, 32), nn::Tanh(), nn::Linear(32, 1)});
  learn(policy, key, quick ? 25 : 100);

  const double steps = (sum(games(policy, key, kFresh)[2]) / kFresh).item();
  std::printf("in %d fresh games the pole stands for %.3f of %d steps\n", static_cast<int>(kFresh),
              steps, static_cast<int>(kLength));
  const double bound = quick ? 60 : 475;
  if (steps > bound) return 0;
  std::fprintf(stderr, "reinforce: %.3f is not above %g\n", steps, bound);
  return 1;
}
