// A network of layers tells two spirals apart, and draws what it thinks of them.
#include "three_ways.h"

using namespace weft;
using three_ways::Batch, three_ways::Variables, three_ways::Weights;

namespace {

constexpr int64_t kPoints = 200, kHidden = 64, kSteps = 1500;

// Points [n, 2] on two arms that wind around each other, and the arm of each.
Batch spirals(const random::Key& key) {
  const Tensor arm = arange(kPoints) % 2;
  const Tensor t = random::uniform(key.fold_in(0), {kPoints}) * 0.85 + 0.15;
  const Tensor angle = t * 11.0 + arm * 3.1415927;
  const Tensor points = stack(inputs(t * cos(angle), t * sin(angle)), 1);
  return {points + random::normal(key.fold_in(1), {kPoints, 2}) * 0.02, arm};
}

Variables new_weights() {
  const random::Key key(7);
  const int64_t widths[] = {2, kHidden, kHidden, 2};
  Variables weights;
  for (int i = 0; i < 3; ++i) {
    const std::string layer = "layer" + std::to_string(i);
    const Tensor weight = random::glorot_normal(key.fold_in(i), {widths[i], widths[i + 1]}) * 3.0;
    weights.emplace_back(weight, VariableOptions{.name = layer + "/weight"});
    weights.emplace_back(zeros({widths[i + 1]}), VariableOptions{.name = layer + "/bias"});
  }
  return weights;
}

Tensor logits(const Weights& w, const Tensor& points) {
  Tensor x = tanh(matmul(points, w[0]) + w[1]);
  x = tanh(matmul(x, w[2]) + w[3]);
  return matmul(x, w[4]) + w[5];
}

Tensor loss_of(const Weights& weights, const Tensor& x, const Tensor& labels) {
  return nn::cross_entropy(logits(weights, x), labels);
}

// What the network says at each place of the disc.
void draw_disc(const Weights& weights) {
  constexpr int64_t kRows = 17, kColumns = 33;
  const Tensors axes{linspace(1, -1, kRows), linspace(-1, 1, kColumns)};
  const Tensors places = meshgrid(axes, "ij");
  const Tensor &y = places[0], &x = places[1];
  const Tensor arm = argmax(logits(weights, stack(inputs(x, y), 2)), -1);
  const auto marks = where(x * x + y * y < 1.1, arm, 2).to_vector<int64_t>();
  for (auto row = marks.begin(); row != marks.end(); row += kColumns) {
    std::string line;
    for (int64_t i = 0; i < kColumns; ++i) line += ".# "[row[i]];
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Dim n = Dim::symbol("batch");
  const three_ways::Model model{.new_weights = new_weights,
                                .loss_of = loss_of,
                                .rate = 0.5,
                                .inputs = {"x", {DType::kF32, {n, 2}}},
                                .targets = {"labels", {DType::kI64, {n}}}};
  const Batch all = spirals(random::Key(2024));
  const Weights weights = trained(model, std::vector<Batch>(kSteps, all), argc, argv);
  const Tensor is_right = argmax(logits(weights, all.inputs), -1) == all.targets;
  const double right = mean(cast(is_right, DType::kF32)).item();
  std::printf("%.1f%% of the points are on the right side\n", 100 * right);
  draw_disc(weights);
  three_ways::require(right > 0.98, "the spirals are not told apart");
}
