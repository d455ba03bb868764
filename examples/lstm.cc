// A language model with an LSTM learns a poem, letter by letter and line by line, and recites it.
//
// Lines differ in length. The loop over a line is a `scan`, which is part of the graph: one trace
// serves them all.
#include <cmath>
#include <string_view>

#include "three_ways.h"

using namespace weft;
using three_ways::Batch, three_ways::Variables, three_ways::Weights;

namespace {

constexpr std::string_view kPoem[] = {"warp threads stand still", "a shuttle flies between them",
                                      "each row holds the last", "so cloth remembers"};
constexpr std::string_view kLetters = "\n abcdefghijklmnopqrstuvwxyz";
constexpr int64_t kHidden = 48, kRounds = 60;

int64_t number_of(char letter) { return static_cast<int64_t>(kLetters.find(letter)); }

// What is read, beginning with a new line, and what is to be foretold: the same, one letter ahead.
Batch line_as_tensors(std::string_view line) {
  std::vector<int64_t> numbers{number_of('\n')};
  for (const char letter : line) numbers.push_back(number_of(letter));
  numbers.push_back(number_of('\n'));
  const std::span<const int64_t> all(numbers);
  const Shape length{static_cast<int64_t>(all.size()) - 1};
  return {tensor(all.first(all.size() - 1), length), tensor(all.subspan(1), length)};
}

Variables new_weights() {
  const random::Key key(3);
  const auto letters = static_cast<int64_t>(kLetters.size());
  Variables weights;
  const auto add = [&](std::string_view name, const Shape& shape) {
    const auto number = static_cast<int64_t>(weights.size());
    const Tensor value = random::normal(key.fold_in(number), shape) * std::pow(kHidden, -0.5);
    weights.emplace_back(value, VariableOptions{.name = name});
  };
  add("embedding", {letters, kHidden});
  add("lstm/input", {4 * kHidden, kHidden});
  add("lstm/hidden", {4 * kHidden, kHidden});
  add("lstm/bias", {4 * kHidden});
  add("output", {kHidden, letters});
  return weights;
}

using State = std::pair<Tensor, Tensor>;  // hidden, cell

State start() { return {zeros({1, kHidden}), zeros({1, kHidden})}; }

// The next state of the network, and what it expects: a number for each letter.
std::pair<State, Tensor> read_letter(const Weights& w, const State& state, const Tensor& letter) {
  const Tensor x = reshape(index(w[0], {letter}), {1, kHidden});
  const Tensors next = nn::lstm_cell(x, state.first, state.second, w[1], w[2], w[3]);
  return {{next[0], next[1]}, index(matmul(next[0], w[4]), {0})};
}

Tensor loss_of(const Weights& weights, const Tensor& letters, const Tensor& next_letters) {
  const auto step = [&](const State& state, const Tensor& letter) {
    return read_letter(weights, state, letter);
  };
  return nn::cross_entropy(scan(step, start(), letters).second, next_letters);
}

// What follows on the first letter if the network hears itself, until it ends the line.
std::string recited(const Weights& weights, char first) {
  State state = read_letter(weights, start(), tensor(number_of('\n'))).first;
  std::string line{first};
  while (line.back() != '\n' && line.size() < 40) {
    const auto [next, expected] = read_letter(weights, state, tensor(number_of(line.back())));
    state = next;
    line += kLetters[static_cast<size_t>(argmax(expected).item())];
  }
  line.erase(line.find_last_not_of('\n') + 1);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const Dim time = Dim::symbol("time");
  const three_ways::Model model{.new_weights = new_weights,
                                .loss_of = loss_of,
                                .rate = 1.0,
                                .inputs = {"letters", {DType::kI64, {time}}},
                                .targets = {"next_letters", {DType::kI64, {time}}}};
  std::vector<Batch> batches;
  for (int64_t round = 0; round < kRounds; ++round) {
    for (const std::string_view line : kPoem) batches.push_back(line_as_tensors(line));
  }
  const Weights weights = trained(model, batches, argc, argv);
  Tensor total = 0;
  for (size_t i = 0; i < 4; ++i) {
    total = total + loss_of(weights, batches[i].inputs, batches[i].targets);
  }
  std::printf("perplexity %.2f per letter; from the first letters of the lines it recites:\n",
              exp(total / 4).item());
  for (const std::string_view line : kPoem) {
    const std::string said = recited(weights, line[0]);
    std::printf("  %s\n", said.c_str());
    three_ways::require(said == line, "the line is: " + std::string(line));
  }
}
