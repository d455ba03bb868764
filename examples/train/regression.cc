// Linear regression: noisy measurements of a plane, a layer, and gradient descent, which finds what
// least squares find.
//
// In 20 epochs, less than a second, the weights come within 0.001 of the solution in closed form.
// regression.py is the twin in Python.
#include <weft/weft.h>

#include <algorithm>
#include <cmath>

#include "options.h"

using namespace weft;
using data::Dataset, data::Element;

namespace {

constexpr const char* kHelp =
    "regression [--quick]: a linear layer finds the plane behind noisy measurements.\n"
    "  --quick   5 epochs, and a bound of 0.01\n";
constexpr double kNoise = 0.1;
constexpr double kTrue[] = {1.5, -2.0, 0.5, 0.7};  // what is to be found: weights, and the offset
constexpr int64_t kCount = 2000, kBatch = 50;

struct Measurements {
  Tensor x, y;  // points [n, 3], and for each the height of the plane with a bit of noise, [n, 1]
};

Measurements measurements(const random::Key& key) {
  const Tensor x = random::normal(key.fold_in(0), {kCount, 3});
  const Tensor weights = tensor({{kTrue[0]}, {kTrue[1]}, {kTrue[2]}});
  const Tensor height = matmul(x, weights) + kTrue[3];
  return {x, height + random::normal(key.fold_in(1), {kCount, 1}) * kNoise};
}

double learn(const nn::Linear& model, const Dataset& dataset, int epochs) {
  optim::SGD optimizer(model.parameters(), {.lr = 0.05, .momentum = 0.9});
  const auto steps = static_cast<double>(epochs * dataset.cardinality());
  optim::Schedule schedule(optimizer, optim::schedules::cosine(steps));

  const auto step = function([&](const Tensor& x, const Tensor& y) {
    const Tensor loss = optimizer.minimize([&] { return nn::mse_loss(model(x), y); });
    schedule.step();
    return loss;
  });

  double mean = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double total = 0;
    for (const Element& batch : dataset) {
      const auto [x, y] = batch.tensors<2>();
      total += step(x, y).item();
    }
    mean = total / static_cast<double>(dataset.cardinality());
    std::printf("epoch %2d  loss %.6f\n", epoch + 1, mean);
  }
  return mean;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = options_of(argc, argv, kHelp).quick;
  seed(0);
  const auto [x, y] = measurements(random::Key(7));
  const Dataset dataset =
      Dataset::from_tensor_slices({x, y}).shuffle(kCount, {.seed = 1}).batch(kBatch);
  const nn::Linear model(3, 1);
  const double loss = learn(model, dataset, quick ? 5 : 20);

  std::vector<float> learnt = model.weight.value().to_vector<float>();
  learnt.push_back(static_cast<float>(model.bias.value().item()));
  const Tensor columns = concat(inputs(x, ones({kCount, 1})), 1);
  const std::vector<float> exact = linalg::lstsq(columns, y)[0].to_vector<float>();
  std::printf("              true   learnt    exact\n");
  double distance = 0;
  for (size_t i = 0; i < 4; ++i) {
    const std::string name = i < 3 ? "weight " + std::to_string(i) : "offset";
    std::printf("%-9s%9.4f%9.4f%9.4f\n", name.c_str(), kTrue[i], double{learnt[i]},
                double{exact[i]});
    distance = std::max(distance, std::abs(double{learnt[i]} - double{exact[i]}));
  }
  std::printf("loss %.6f, at most %.6f away from least squares\n", loss, distance);
  const double bound = quick ? 0.01 : 0.001;
  if (distance < bound) return 0;
  std::fprintf(stderr, "regression: %.6f is not below %g\n", distance, bound);
  return 1;
}
