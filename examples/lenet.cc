// LeNet reads digits that are drawn with noise at random places.
#include <cmath>

#include "three_ways.h"

using namespace weft;
using three_ways::Batch, three_ways::Variables, three_ways::Weights;

namespace {

constexpr int64_t kSize = 20, kBatch = 50, kSteps = 150;
constexpr const char* kGlyphs[] = {
    ".###.#...##..###.#.###..##...#.###.", "..#...##....#....#....#....#...###.",
    ".###.#...#....#...#...#...#...#####", ".###.#...#....#..##.....##...#.###.",
    "...#...##..#.#.#..#.#####...#....#.", "######....####.....#....##...#.###.",
    "..##..#...#....####.#...##...#.###.", "#####....#...#...#...#....#....#...",
    ".###.#...##...#.###.#...##...#.###.", ".###.#...##...#.####....#...#..##.."};

// Draws a digit, each dot two pixels wide and high.
void draw_digit(float* pixels, int64_t digit, int64_t left, int64_t top) {
  for (int64_t y = 0; y < 14; ++y) {
    for (int64_t x = 0; x < 10; ++x) {
      const bool is_dark = kGlyphs[digit][y / 2 * 5 + x / 2] == '#';
      pixels[(top + y) * kSize + left + x] = is_dark ? 1.0f : 0.0f;
    }
  }
}

// Images [n, 1, size, size] and their digits [n].
Batch digits(const random::Key& key, int64_t count) {
  const Tensor labels = random::randint(key.fold_in(0), 0, 10, {count});
  const Tensor places = random::randint(key.fold_in(1), 0, kSize - 13, {count, 2});
  const auto numbers = labels.to_vector<int64_t>(), corners = places.to_vector<int64_t>();
  std::vector<float> pixels(static_cast<size_t>(count * kSize * kSize));
  for (size_t i = 0; i < numbers.size(); ++i) {
    draw_digit(&pixels[i * kSize * kSize], numbers[i], corners[2 * i], corners[2 * i + 1]);
  }
  const Shape shape{count, 1, kSize, kSize};
  const Tensor images = tensor(std::span<const float>(pixels), shape);
  return {images + random::normal(key.fold_in(2), shape) * 0.2, labels};
}

Variables new_weights() {
  const random::Key key(5);
  Variables weights;
  const auto add = [&](const std::string& name, const Shape& shape, int64_t inputs,
                       int64_t outputs) {
    const auto number = static_cast<int64_t>(weights.size() / 2);
    const double scale = std::sqrt(2.0 / static_cast<double>(inputs));
    const Tensor weight = random::normal(key.fold_in(number), shape) * scale;
    weights.emplace_back(weight, VariableOptions{.name = name + "/weight"});
    weights.emplace_back(zeros({outputs}), VariableOptions{.name = name + "/bias"});
  };
  add("conv1", {6, 1, 5, 5}, 25, 6);
  add("conv2", {16, 6, 5, 5}, 150, 16);
  add("full1", {144, 120}, 144, 120);
  add("full2", {120, 84}, 120, 84);
  add("full3", {84, 10}, 84, 10);
  return weights;
}

Tensor pooled(const Tensor& x) { return nn::max_pool2d(x, {.kernel_size = {2}}); }

Tensor logits(const Weights& w, const Tensor& images) {
  Tensor x = pooled(relu(nn::conv2d(images, w[0], w[1], {.padding = {2}})));  // [n, 6, 10, 10]
  x = pooled(relu(nn::conv2d(x, w[2], w[3], {})));                            // [n, 16, 3, 3]
  x = relu(matmul(reshape(x, {-1, 144}), w[4]) + w[5]);
  x = relu(matmul(x, w[6]) + w[7]);
  return matmul(x, w[8]) + w[9];
}

Tensor loss_of(const Weights& weights, const Tensor& images, const Tensor& labels) {
  return nn::cross_entropy(logits(weights, images), labels);
}

}  // namespace

int main(int argc, char** argv) {
  const Dim n = Dim::symbol("batch");
  const three_ways::Model model{.new_weights = new_weights,
                                .loss_of = loss_of,
                                .rate = 0.1,
                                .inputs = {"images", {DType::kF32, {n, 1, kSize, kSize}}},
                                .targets = {"labels", {DType::kI64, {n}}}};
  const random::Key key(1998);
  std::vector<Batch> batches;
  for (int64_t step = 0; step < kSteps; ++step)
    batches.push_back(digits(key.fold_in(step), kBatch));
  const Weights weights = trained(model, batches, argc, argv);
  const Batch test = digits(key.fold_in(kSteps), 500);
  const Tensor read = argmax(logits(weights, test.inputs), -1);
  const double right = mean(cast(read == test.targets, DType::kF32)).item();
  std::printf("read %.1f%% of 500 new digits right, among them", 100 * right);
  const std::vector<int64_t> numbers = read.to_vector<int64_t>();
  for (size_t i = 0; i < 10; ++i) std::printf(" %d", static_cast<int>(numbers[i]));
  std::printf("\n");
  three_ways::require(right > 0.9, "too many digits are misread");
}
