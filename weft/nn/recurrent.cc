// RNN, GRU and LSTM.
#include "weft/nn/recurrent.h"

#include "weft/base/error.h"
#include "weft/nn/recurrent_cell.h"
#include "weft/nn/repr.h"
#include "weft/op/context.h"
#include "weft/ops/random/key.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft::nn {

template <RecurrentKind kKind>
RecurrentLayer<kKind>::RecurrentLayer(int64_t input_size, int64_t hidden_size, Options options)
    : input_size(input_size), hidden_size(hidden_size), options_(std::move(options)) {
  if constexpr (kIsRnn) detail::require_nonlinearity(kName, options_.nonlinearity);
  this->begin(input_size, options_.key, options_.dtype);
}

template <RecurrentKind kKind>
std::vector<Wanted> RecurrentLayer<kKind>::wanted(int64_t size) const {
  input_size = size;
  const Initializer usual = init::fan_in_uniform(hidden_size);
  const Initializer weight_init = options_.weight_init ? options_.weight_init : usual;
  const Initializer bias_init = options_.bias_init ? options_.bias_init : usual;
  const int64_t rows = kGates * hidden_size, directions = options_.bidirectional ? 2 : 1;
  weights.clear();
  std::vector<Wanted> out;
  for (int64_t layer = 0; layer < options_.num_layers; ++layer) {
    const int64_t columns = layer == 0 ? size : hidden_size * directions;
    for (int64_t direction = 0; direction < directions; ++direction) {
      const std::string end = text("_l", layer, direction == 1 ? "_reverse" : "");
      weights.emplace_back("weight_ih" + end, Variable());
      weights.emplace_back("weight_hh" + end, Variable());
      out.push_back({"", nullptr, Shape{rows, columns}, weight_init});
      out.push_back({"", nullptr, Shape{rows, hidden_size}, weight_init});
      if (!options_.bias) continue;
      weights.emplace_back("bias_ih" + end, Variable());
      weights.emplace_back("bias_hh" + end, Variable());
      out.push_back({"", nullptr, Shape{Dim(rows)}, bias_init});
      out.push_back({"", nullptr, Shape{Dim(rows)}, bias_init});
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {  // the list has stopped growing
    out[i].name = weights[i].first;
    out[i].place = &weights[i].second;
  }
  return out;
}

template <RecurrentKind kKind>
std::optional<int64_t> RecurrentLayer<kKind>::size_of(const State& state) const {
  const auto found = state.find("weight_ih_l0");
  if (found == state.end()) return {};
  return found->second.dim(1).value();
}

// The states given, or zeros.
template <RecurrentKind kKind>
Tensor RecurrentLayer<kKind>::first_state(const Tensor& given, const Tensor& x) const {
  if (given.defined()) return this->lowered(given);
  const int64_t count = options_.num_layers * (options_.bidirectional ? 2 : 1);
  return zeros({count, x.dim(options_.batch_first ? 0 : 1), hidden_size}, x.dtype());
}

template <RecurrentKind kKind>
auto RecurrentLayer<kKind>::forward(const Tensor& x, const States& states,
                                    const std::optional<Ints>& lengths, Where where) const
    -> std::pair<Tensor, States> {
  const CalledFrom line(where);
  this->know(x.dim(-1));
  Tensors used;
  for (const auto& [name, weight] : weights) used.push_back(this->lowered(weight));
  const Tensor in = this->lowered(x);
  SequenceAttrs at{.num_layers = options_.num_layers,
                   .bidirectional = options_.bidirectional,
                   .batch_first = options_.batch_first,
                   .has_biases = options_.bias,
                   .lengths = lengths,
                   .dropout = this->training && options_.num_layers > 1 ? options_.dropout : 0};
  const auto key = [&] { return at.dropout > 0 ? random::next_key().words() : Tensor(); };
  if constexpr (kIsLstm) {
    const Tensor h = first_state(states.first, in), c = first_state(states.second, in);
    Tensors out = lstm(in, h, c, used, at, key(), where);
    return {out[0], {out[1], out[2]}};
  } else {
    const Tensor h = first_state(states, in);
    Tensors out;
    if constexpr (kIsRnn) {
      const auto function = options_.nonlinearity == "relu" ? rnn_relu : rnn_tanh;
      out = function(in, h, used, at, key(), where);
    } else {
      out = gru(in, h, used, at, key(), where);
    }
    return {out[0], out[1]};
  }
}

template <RecurrentKind kKind>
std::string RecurrentLayer<kKind>::extra_repr() const {
  return Words()
      .item(input_size)
      .item(hidden_size)
      .add_unless(int64_t{1}, "num_layers", options_.num_layers)
      .add_unless(true, "bias", options_.bias)
      .add_unless(false, "batch_first", options_.batch_first)
      .add_unless(0.0, "dropout", options_.dropout)
      .add_unless(false, "bidirectional", options_.bidirectional)
      .text();
}

template struct RecurrentLayer<RecurrentKind::kRnn>;
template struct RecurrentLayer<RecurrentKind::kGru>;
template struct RecurrentLayer<RecurrentKind::kLstm>;

}  // namespace weft::nn
