// A thousand pendulums swing at once: an adaptive solver of differential equations, written for one
// and vmapped.
//
// x'' = -x - 2 c x' is a pendulum with friction c. The solver takes long steps where it may and
// short ones where it must (Bogacki and Shampine 1989), in a `while_loop`; under `vmap` every
// pendulum has steps of its own, and one that has arrived is left alone. Positions, and their
// slopes by where each pendulum began, are compared with the closed form.
#include "three_ways.h"

using namespace weft;
using three_ways::require;

namespace {

constexpr double kEnd = 6, kTolerance = 1e-8;

struct State {
  Tensor position, speed;
  static constexpr auto fields =
      fields_of(field("position", &State::position, ""), field("speed", &State::speed, ""));
};

// The derivatives of position and speed.
State swing(const State& at, const Tensor& friction) {
  const Tensor pull = -at.position;
  return {at.speed, pull - 2.0 * friction * at.speed};
}

// state + step * (weight * slope + ...)
struct Weighted {
  double weight;
  const State& slope;
};
State moved(const State& at, const Tensor& step, std::initializer_list<Weighted> slopes) {
  const auto part = [&](Tensor State::* which) {
    Tensor sum = 0;
    for (const auto& [weight, slope] : slopes) sum = sum + weight * slope.*which;
    return at.*which + step * sum;
  };
  return {part(&State::position), part(&State::speed)};
}

// The position at kEnd of a pendulum that is let go at `start`, and how many steps that took.
std::pair<Tensor, Tensor> solve(const Tensor& start, const Tensor& friction) {
  const auto goes_on = [](const Tensor& time, const Tensor&, const State&, const Tensor&) {
    return time < kEnd;
  };
  const auto advance = [&](const Tensor& time, const Tensor& wish, const State& at,
                           const Tensor& count) {
    const Tensor step = minimum(wish, kEnd - time);
    const State k1 = swing(at, friction);
    const State k2 = swing(moved(at, step, {{1.0 / 2, k1}}), friction);
    const State k3 = swing(moved(at, step, {{3.0 / 4, k2}}), friction);
    const State better = moved(at, step, {{2.0 / 9, k1}, {1.0 / 3, k2}, {4.0 / 9, k3}});
    const State k4 = swing(better, friction);
    const State good =
        moved(at, step, {{7.0 / 24, k1}, {1.0 / 4, k2}, {1.0 / 3, k3}, {1.0 / 8, k4}});
    const Tensor off = abs(better.position - good.position);
    const Tensor error = maximum(off, abs(better.speed - good.speed));
    const Tensor is_good = error <= kTolerance;
    const Tensor factor = clip(0.9 * pow(kTolerance / error, 1.0 / 3), 0.2, 5.0);
    const Tensor later = where(is_good, time + step, time);
    const State next{where(is_good, better.position, at.position),
                     where(is_good, better.speed, at.speed)};
    return std::tuple{later, step * stop_gradient(factor), next, count + 1};
  };
  const Tensor zero = zeros_like(start);
  const auto out =
      while_loop(goes_on, advance, std::tuple(zero, zero + 0.01, State{start, zero}, tensor(0)));
  return {std::get<2>(out).position, std::get<3>(out)};
}

// The position at kEnd, and its slope by the start, which is linear.
std::pair<Tensor, Tensor> closed_form(const Tensor& start, const Tensor& friction) {
  const Tensor frequency = sqrt(1.0 - friction * friction), phase = frequency * kEnd;
  const Tensor slope = exp(-friction * kEnd) * (cos(phase) + friction / frequency * sin(phase));
  return {start * slope, slope};
}

struct Pendulums {
  Graph graph;
  Tensor start, friction, position, count, slope;

  Pendulums() {
    const Graph::Scope scope(graph);
    const Dim n = Dim::symbol("pendulums");
    start = graph.placeholder(DType::kF64, {n}, "start");
    friction = graph.placeholder(DType::kF64, {n}, "friction");
    std::tie(position, count) = vmap(solve)(start, friction);
    slope = gradients(inputs(position), inputs(start))[0];
  }
};

double largest(const Tensor& x) { return max(abs(x)).item(); }

}  // namespace

int main(int argc, char** argv) {
  const Pendulums graph;
  if (three_ways::has_option(argc, argv, "--graph")) three_ways::print_graph(graph.graph);

  const random::Key key(1989);
  const Tensor starts = random::uniform(key.fold_in(0), {1000}, DType::kF64) * 2.0 + 0.5;
  const Tensor frictions = random::uniform(key.fold_in(1), {1000}, DType::kF64) * 0.9;
  const auto each = vmap(value_and_grad(with_aux(solve)));
  const auto traced = function(each);
  const Tensors run = Session(graph.graph)
                          .run({graph.position, graph.count, graph.slope},
                               {{graph.start, starts}, {graph.friction, frictions}});
  const auto solved = traced(starts, frictions);
  const std::string session = fingerprint_flat(run), eager = fingerprint(each(starts, frictions)),
                    bits = fingerprint(solved);
  std::printf("  session   %s\n  eager     %s\n  function  %s\n", session.c_str(), eager.c_str(),
              bits.c_str());
  require(session == eager && eager == bits, "the three ways differ");

  const auto& [positions, counts] = solved.first;
  const auto [exact, exact_slopes] = closed_form(starts, frictions);
  std::printf("1000 pendulums took %d to %d steps each\n", static_cast<int>(min(counts).item()),
              static_cast<int>(max(counts).item()));
  const double error = largest(positions - exact),
               slope_error = largest(solved.second - exact_slopes);
  std::printf("positions are right to %.0e, their slopes to %.0e\n", error, slope_error);
  require(std::max(error, slope_error) < 1e-6, "the solver is off the closed form");
}
