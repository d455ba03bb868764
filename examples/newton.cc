// Where is the comet? Newton's method solves Kepler's equation, and is differentiated through.
//
// E - e sin E = M gives the angle E of a body on its orbit from the mean anomaly M, a measure of
// time, and the eccentricity e of the orbit. Newton's method takes as many steps as it needs: a
// `while_loop`, whose gradient runs it backwards. The theorem of implicit functions knows the same
// slopes in closed form: dE/dM = 1 / (1 - e cos E), dE/de = sin E dE/dM.
#include "three_ways.h"

using namespace weft;
using three_ways::require;

namespace {

constexpr const char* kNames[] = {"Earth", "Mars", "Pluto", "Halley"};

// The angle E, to the last digits of float64.
Tensor solve(const Tensor& mean, const Tensor& e) {
  const auto goes_on = [](const Tensor&, const Tensor& step) { return max(abs(step)) > 1e-12; };
  const auto newton = [&](const Tensor& angle, const Tensor&) {
    const Tensor error = angle - e * sin(angle) - mean;
    const Tensor slope = 1.0 - e * cos(angle);
    const Tensor step = error / slope;
    return std::tuple{angle - step, step};
  };
  return std::get<0>(while_loop(goes_on, newton, std::tuple{mean + e, ones_like(mean)}));
}

using Solved = std::array<Tensor, 3>;  // E, dE/dM, dE/de

// Each angle depends on its own orbit only, so the sum of all has their slopes.
Solved slopes(const Tensor& mean, const Tensor& e) {
  const auto [angle, pull] = vjp(solve, std::tuple(mean, e));
  const auto [by_mean, by_e] = pull(ones_like(angle));
  return {angle, by_mean, by_e};
}

struct Orbits {
  Graph graph;
  Tensor mean, e;
  Solved solved;

  Orbits() {
    const Graph::Scope scope(graph);
    const Dim n = Dim::symbol("orbits");
    mean = graph.placeholder(DType::kF64, {n}, "mean");
    e = graph.placeholder(DType::kF64, {n}, "e");
    const Tensor angle = solve(mean, e);
    const Tensors by = gradients(inputs(angle), inputs(mean, e));
    solved = {angle, by[0], by[1]};
  }
};

double largest(const Tensor& x) { return max(abs(x)).item(); }

}  // namespace

int main(int argc, char** argv) {
  const Orbits orbits;
  if (three_ways::has_option(argc, argv, "--graph")) three_ways::print_graph(orbits.graph);

  const Tensor es = tensor({0.0167, 0.0934, 0.2488, 0.9671}, DType::kF64);
  const Tensor means = full_like(es, 1.0);
  const auto traced = function(slopes);
  const Tensors from_session =
      Session(orbits.graph).run(orbits.solved, {{{orbits.mean, means}, {orbits.e, es}}});
  const Solved from_function = traced(means, es);
  const std::string eager = fingerprint(slopes(means, es)),
                    session = fingerprint_flat(from_session), bits = fingerprint(from_function);
  std::printf("  eager     %s\n  session   %s\n  function  %s\n", eager.c_str(), session.c_str(),
              bits.c_str());
  require(eager == session && eager == bits, "the three ways differ");

  const auto& [angles, d_mean, d_e] = from_function;
  const Tensor theory_mean = 1.0 / (1.0 - es * cos(angles));
  const Tensor theory_e = sin(angles) * theory_mean;
  for (int64_t i = 0; i < 4; ++i) {
    std::printf("%-8s E %.12f   dE/dM %.9f   dE/de %.9f\n", kNames[i], index(angles, {i}).item(),
                index(d_mean, {i}).item(), index(d_e, {i}).item());
  }
  const double error = std::max(largest(d_mean - theory_mean), largest(d_e - theory_e));
  std::printf("the implicit function theorem agrees to %.0e\n", error);
  require(error < 1e-12, "the slopes are not those of the theorem");

  const Tensor hundred = linspace(0.1, 3.0, 100, DType::kF64);
  traced(hundred, full_like(hundred, 0.5));
  require(traced.trace_count() == 1, "another number of orbits was traced again");
}
