// A small transformer learns to sort digits: lists of every length through one trace.
#include "three_ways.h"

using namespace weft;
using three_ways::Batch, three_ways::Variables, three_ways::Weights;

namespace {

constexpr int64_t kWidth = 32, kHeads = 4, kLayers = 2, kLongest = 8, kBatch = 32, kSteps = 400;

// Lists of digits [n, length], and the same lists in order.
Batch lists(const random::Key& key, int64_t length) {
  const Tensor digits = random::randint(key, 0, 10, {kBatch, length});
  return {digits, sort(digits, -1)};
}

Variables new_weights() {
  const random::Key key(11);
  Variables weights;
  const auto add = [&](const std::string& name, const Shape& shape) {
    const auto number = static_cast<int64_t>(weights.size());
    weights.emplace_back(random::glorot_normal(key.fold_in(number), shape),
                         VariableOptions{.name = name});
  };
  const auto add_norm = [&](const std::string& name) {
    weights.emplace_back(ones({kWidth}), VariableOptions{.name = name + "/scale"});
    weights.emplace_back(zeros({kWidth}), VariableOptions{.name = name + "/shift"});
  };
  add("digits", {10, kWidth});
  add("places", {kLongest, kWidth});
  for (int64_t i = 0; i < kLayers; ++i) {
    const std::string layer = "layer" + std::to_string(i);
    add_norm(layer + "/norm1");
    add(layer + "/qkv", {kWidth, 3 * kWidth});
    add(layer + "/attended", {kWidth, kWidth});
    add_norm(layer + "/norm2");
    add(layer + "/wide", {kWidth, 4 * kWidth});
    add(layer + "/narrow", {4 * kWidth, kWidth});
  }
  add("output", {kWidth, 10});
  return weights;
}

// `w` are the eight weights of the layer.
Tensor layer(Tensor x, const Tensor* w) {
  const Tensors qkv =
      split(matmul(nn::layer_norm(x, w[0], w[1]), w[2]), {kWidth, kWidth, kWidth}, -1);
  x = x + matmul(nn::multi_head_attention(qkv[0], qkv[1], qkv[2], kHeads), w[3]);
  return x + matmul(gelu(matmul(nn::layer_norm(x, w[4], w[5]), w[6])), w[7]);
}

Tensor logits(const Weights& w, const Tensor& digits) {
  // 0, 1, 2, ...: as many as there are today
  const Tensor places = cumulative_sum(ones_like(index(digits, {0}))) - 1;
  const Tensor embedded = nn::embedding(digits, w[0]);
  Tensor x = embedded + nn::embedding(places, w[1]);
  for (int64_t i = 0; i < kLayers; ++i) x = layer(x, &w[static_cast<size_t>(2 + 8 * i)]);
  return matmul(x, w.back());
}

Tensor loss_of(const Weights& weights, const Tensor& digits, const Tensor& in_order) {
  return nn::cross_entropy(logits(weights, digits), in_order);
}

void print_row(const char* before, const Tensor& row) {
  std::printf("%s", before);
  for (const int64_t digit : row.to_vector<int64_t>()) std::printf(" %d", static_cast<int>(digit));
}

}  // namespace

int main(int argc, char** argv) {
  const Dim n = Dim::symbol("batch"), length = Dim::symbol("length");
  const three_ways::Model model{.new_weights = new_weights,
                                .loss_of = loss_of,
                                .rate = 0.1,
                                .inputs = {"digits", {DType::kI64, {n, length}}},
                                .targets = {"in_order", {DType::kI64, {n, length}}}};
  const random::Key key(2017);
  std::vector<Batch> batches;
  for (int64_t step = 0; step < kSteps; ++step) {
    batches.push_back(lists(key.fold_in(step), 3 + step % 6));
  }
  const Weights weights = trained(model, batches, argc, argv);
  const Batch test = lists(key.fold_in(kSteps), kLongest);
  const Tensor answer = argmax(logits(weights, test.inputs), -1);
  const double right = mean(cast(answer == test.targets, DType::kF32)).item();
  std::printf("%.1f%% of the digits of new lists are in their places:\n", 100 * right);
  for (int64_t i = 0; i < 3; ++i) {
    print_row(" ", index(test.inputs, {i}));
    print_row("  -> ", index(answer, {i}));
    std::printf("\n");
  }
  three_ways::require(right > 0.9, "the lists are not sorted");
}
