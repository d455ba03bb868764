// An LSTM learns to write, letter by letter: its state is carried from window to window, and then
// from letter to letter.
//
// On Shakespeare the loss of text that it has not read comes to 1.64 nats a letter in 4 epochs, a
// minute on two cores. Without that text it reads the documentation of Weft, to 1.2. char_rnn.py is
// the twin in Python, with the same bits.
#include "letters.h"

using namespace weft;
using data::Dataset, data::Element;

namespace {

constexpr const char* kHelp =
    "char_rnn [--quick] [--data FOLDER]: an LSTM learns to write, letter by letter.\n"
    "  --quick         a small network reads a piece of the documentation twice, to a loss of 2.9\n"
    "  --data FOLDER   where Shakespeare's input.txt is\n";

struct Sizes {
  int64_t width, streams, length;
  int epochs;
  double bound;  // the loss that must be reached
};

using State = std::pair<Tensor, Tensor>;  // of the LSTM: states and cells

// What letter may come next, for each place of a text.
struct CharRNN : nn::Module<CharRNN> {
  CharRNN(int64_t letters, int64_t width)
      : embedding(letters, 64), lstm(64, width), out(width, letters) {}

  nn::Embedding embedding;
  nn::LSTM lstm;
  nn::Linear out;
  static constexpr auto fields =
      fields_of(nn::field("embedding", &CharRNN::embedding), nn::field("lstm", &CharRNN::lstm),
                nn::field("out", &CharRNN::out));

  std::pair<Tensor, State> forward(const Tensor& letters, const State& state) const {
    const auto [x, last] = lstm(embedding(letters), state);
    return {out(x), last};
  }
  State start(int64_t streams) const {
    const Tensor zero = zeros({1, streams, lstm.hidden_size});
    return {zero, zero};
  }
};

// The text as columns that are read side by side: pairs of letters and those that follow, each
// [length, streams].
Dataset windows(const Tensor& numbers, const Sizes& sizes) {
  const int64_t rows = (numbers.numel() - 1) / sizes.streams, count = rows * sizes.streams;
  const auto columns = [&](int64_t from) {
    const Tensor part = index(numbers, {Range{from, from + count}});
    return swapaxes(reshape(part, {sizes.streams, rows}), 0, 1);
  };
  const Tensor now = columns(0), following = columns(1);
  return Dataset::from_tensor_slices({now, following})
      .batch(sizes.length, {.drop_remainder = true})
      .prefetch(2);
}

double learn(const CharRNN& model, const Dataset& text, const Dataset& test, const Sizes& sizes) {
  const std::vector<Variable> parameters = model.parameters();
  optim::Adam optimizer(parameters, {.lr = 4e-3});
  const auto steps = static_cast<double>(sizes.epochs * text.cardinality());
  optim::Schedule schedule(optimizer, optim::schedules::cosine(steps, 0.1));

  const auto step = function([&](const Tensor& x, const Tensor& y, const State& state) {
    GradientTape tape;
    const auto [logits, next] = model(x, state);
    const Tensor loss = nn::cross_entropy(logits, y);
    tape.stop();
    const auto clipped = optim::clip_by_global_norm(tape.gradient(loss, parameters), 1.0);
    optimizer.apply_gradients(clipped.tensors);
    schedule.step();
    return std::pair(loss, next);
  });
  const auto loss_of = function([&](const Tensor& x, const Tensor& y, const State& state) {
    const auto [logits, next] = model(x, state);
    return std::pair(nn::cross_entropy(logits, y), next);
  });
  const auto mean_loss = [&](const auto& function, const Dataset& batches) {
    double total = 0;
    State state = model.start(sizes.streams);
    for (const Element& batch : batches) {
      const auto [x, y] = batch.tensors<2>();
      const auto [loss, next] = function(x, y, state);
      state = next;
      total += loss.item();
    }
    return total / static_cast<double>(batches.cardinality());
  };

  double tested = 0;
  for (int epoch = 1; epoch <= sizes.epochs; ++epoch) {
    const double learnt = mean_loss(step, text);
    tested = mean_loss(loss_of, test);
    std::printf("epoch %d/%d  loss %.4f  test loss %.4f\n", epoch, sizes.epochs, learnt, tested);
    std::fflush(stdout);
  }
  return tested;
}

// What the model writes if it hears itself, after an end of line.
std::string written(const CharRNN& model, const Letters& letters, int count) {
  const auto following = function([&](const Tensor& key, const Tensor& letter, const State& state) {
    const auto [logits, next] = model(letter, state);
    return std::pair(random::categorical(key, logits / 0.8), next);
  });
  Tensor letter = reshape(letters.numbers("\n"), {1, 1});
  State state = model.start(1);
  std::string out;
  for (int k = 0; k < count; ++k) {
    std::tie(letter, state) = following(random::Key(1).fold_in(k).words(), letter, state);
    out += letters[letter.item_int()];
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv, kHelp);
  const Sizes sizes = options.quick ? Sizes{64, 8, 32, 2, 2.9} : Sizes{192, 64, 64, 4, 1.68};
  seed(0);
  const std::string text = load_text(options);
  const Letters letters(text);
  const size_t part = text.size() * 9 / 10;
  std::printf("%zu letters, %d of them different\n", text.size(), static_cast<int>(letters.size()));

  const CharRNN model(letters.size(), sizes.width);
  const Dataset learnt = windows(letters.numbers(text.substr(0, part)), sizes);
  const Dataset tested = windows(letters.numbers(text.substr(part)), sizes);
  const double loss = learn(model, learnt, tested, sizes);
  std::printf("%s\n", written(model, letters, options.quick ? 100 : 500).c_str());
  std::printf("test loss %.4f nats a letter\n", loss);
  if (loss < sizes.bound) return 0;
  std::fprintf(stderr, "char_rnn: the loss is not below %g\n", sizes.bound);
  return 1;
}
