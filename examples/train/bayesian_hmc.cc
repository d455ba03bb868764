// Bayesian regression by Hamiltonian Monte Carlo: 128 chains draw the curves that fit some noisy
// points.
//
// A full run draws 128 x 1000 samples in 2 s. Of a model that is linear in its weights, with normal
// noise, the answer is known in closed form, which only the check uses: means come within 0.01
// deviations of it, deviations within 1 %. bayesian_hmc.py is the twin in Python.
//
// `potential` is all that is said of the model; `grad` drives the chains through it (Duane et al.
// 1987, Neal 2011). A step is written for one chain and vmapped, the walk is a `scan`, and all of
// it is one traced function.
#include <weft/weft.h>

#include <algorithm>

#include "options.h"

using namespace weft;

namespace {

constexpr const char* kHelp =
    "bayesian_hmc [--quick]: samples the weights of a cubic curve through 40 noisy points, and\n"
    "compares their means and deviations with those in closed form.\n"
    "  --quick   50 samples of each chain, not 1000, and a bound of 0.06, not 0.01\n";
constexpr double kTrue[] = {0.5, -1.0, 0.3, 1.2}, kNoise = 0.3;  // weights of 1, x, x^2, x^3
constexpr int64_t kPoints = 40, kChains = 128, kWeights = 4, kLeaps = 12, kWarmUp = 50;
constexpr double kStep = 0.04;

using Walk = std::pair<Tensor, Tensor>;  // samples, and which are new

// 1 and the powers of x, a row for each point.
Tensor features(const Tensor& x) {
  const Tensor one = ones_like(x), square = x * x;
  return stack(inputs(one, x, square, square * x), 1);
}

struct Points {
  Tensor x, y;
};

// Places, and how high the curve is there, with noise.
Points observed(const random::Key& key) {
  const Tensor x = random::uniform(key.fold_in(0), {kPoints}, DType::kF64, -1.0, 1.0);
  const Tensor noise = random::normal(key.fold_in(1), {kPoints}, DType::kF64);
  const Tensor height = matmul(features(x), tensor(std::span<const double>(kTrue), {kWeights}));
  return {x, height + noise * kNoise};
}

// -log p(weights | x, y) up to a constant: normal noise, and a standard normal prior.
Tensor potential(const Tensor& weights, const Tensor& x, const Tensor& y) {
  const Tensor misfit = (matmul(features(x), weights) - y) / kNoise;
  const Tensor fit = sum(misfit * misfit);
  return 0.5 * (fit + sum(weights * weights));
}

// The next sample of a chain, and whether it is a new one.
Walk transition(const Tensor& weights, const random::Key& key, const Tensor& x, const Tensor& y) {
  const auto slope = [&](const Tensor& at) { return grad(potential)(at, x, y); };
  const auto energy = [&](const Tensor& at, const Tensor& momentum) {
    const Tensor height = potential(at, x, y);
    return height + 0.5 * sum(momentum * momentum);
  };
  // Paths of one length would bring some chains back to where they were.
  const Tensor step = random::uniform(key.fold_in(0), {}, DType::kF64, 0.7, 1.3) * kStep;
  const auto leap = [&](const Tensor&, const std::pair<Tensor, Tensor>& state) {
    const Tensor at = state.first + step * state.second;
    return std::pair{at, state.second - step * slope(at)};
  };

  const Tensor kick = random::normal(key.fold_in(1), {kWeights}, DType::kF64);
  const std::pair half{weights, kick - 0.5 * step * slope(weights)};
  const auto [end, ahead] = fori_loop(0, kLeaps, leap, half);
  const Tensor momentum = ahead + 0.5 * step * slope(end);  // it was half a step ahead
  const Tensor before = energy(weights, kick), gained = energy(end, momentum) - before;
  const Tensor chance = log(random::uniform(key.fold_in(2), {}, DType::kF64));
  const Tensor is_new = chance < -gained;
  return {where(is_new, end, weights), is_new};
}

// Samples [steps, chains, weights] of chains that begin at `starts`, and which of them are new.
Walk walk(const Tensor& starts, const random::Key& key, const Tensor& steps, const Tensor& x,
          const Tensor& y) {
  const auto all = vmap(transition, {.in_axes = {0, 0, std::nullopt, std::nullopt}});
  const auto advance = [&](const Tensor& weights, const Tensor& i) {
    const Walk after = all(weights, key.fold_in(i).split(kChains), x, y);
    return std::pair{after.first, after};
  };
  return scan(advance, starts, steps).second;
}

// Means and deviations of the weights: the posterior is normal.
std::pair<Tensor, Tensor> closed_form(const Points& seen) {
  const Tensor design = features(seen.x) / kNoise;
  const Tensor turned = swapaxes(design, 0, 1);
  const Tensor covariance = linalg::inv(matmul(turned, design) + eye(kWeights, {}, 0, DType::kF64));
  const Tensor mean = matmul(covariance, matmul(turned, seen.y / kNoise));
  return {mean, sqrt(diagonal(covariance))};
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = options_of(argc, argv, kHelp).quick;
  const int64_t samples = quick ? 50 : 1000;
  const random::Key key(1987);
  const Points seen = observed(key.fold_in(0));
  const Tensor starts = random::normal(key.fold_in(1), {kChains, kWeights}, DType::kF64);
  const auto traced = function(walk);
  const auto [all, is_new] =
      traced(starts, key.fold_in(2), arange(kWarmUp + samples), seen.x, seen.y);
  const Tensor drawn = reshape(index(all, {Range{kWarmUp}}), {samples * kChains, kWeights});

  const Tensor mean_of = mean(drawn, Ints{0}), deviation_of = weft::std(drawn, Ints{0});
  const auto [exact_mean, exact_deviation] = closed_form(seen);
  std::printf("%d chains of %d samples, %.1f%% of them new\n", static_cast<int>(kChains),
              static_cast<int>(samples), 100 * mean(cast(is_new, DType::kF64)).item());
  std::printf("  weight of   truth   by sampling        in closed form\n");
  for (int64_t i = 0; i < kWeights; ++i) {
    std::printf("  x^%d        %6.3f   %6.3f +- %.3f    %6.3f +- %.3f\n", static_cast<int>(i),
                kTrue[i], index(mean_of, {i}).item(), index(deviation_of, {i}).item(),
                index(exact_mean, {i}).item(), index(exact_deviation, {i}).item());
  }
  const double off = max(abs(mean_of - exact_mean) / exact_deviation).item();
  const double spread = max(abs(deviation_of / exact_deviation - 1.0)).item();
  std::printf("means are off by %.6f deviations, deviations by %.6f of themselves\n", off, spread);
  const double bound = quick ? 0.06 : 0.01;
  if (std::max(off, spread) < bound) return 0;
  std::fprintf(stderr, "bayesian_hmc: %.6f is not below %g\n", std::max(off, spread), bound);
  return 1;
}
