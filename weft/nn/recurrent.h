// Recurrent networks over sequences. Weights and biases begin as in PyTorch, uniform in
// 1 / sqrt(hidden_size) around 0.
#pragma once

#include "weft/nn/layer.h"

namespace weft::nn {

struct RecurrentOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;  // x is [batch, time, features], else [time, batch, features]
  double dropout = 0;        // between layers
  bool bidirectional = false;
  DType dtype = DType::kF32;
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

struct RNNOptions {
  int64_t num_layers = 1;
  std::string nonlinearity = "tanh";  // or "relu"
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  DType dtype = DType::kF32;
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

enum class RecurrentKind : uint8_t { kRnn, kGru, kLstm };

// What they share: layers and directions, each with weight_ih, weight_hh, bias_ih and bias_hh.
template <RecurrentKind kKind>
struct RecurrentLayer : Layer<RecurrentLayer<kKind>> {
  static constexpr bool kIsRnn = kKind == RecurrentKind::kRnn;
  static constexpr bool kIsLstm = kKind == RecurrentKind::kLstm;
  static constexpr std::string_view kName = kIsRnn ? "RNN" : kIsLstm ? "LSTM" : "GRU";
  static constexpr int64_t kGates = kIsRnn ? 1 : kIsLstm ? 4 : 3;
  using Options = std::conditional_t<kIsRnn, RNNOptions, RecurrentOptions>;
  // First states, [layers * directions, batch, hidden_size]: zeros if left out. Of an LSTM a pair,
  // of states and cells.
  using States = std::conditional_t<kIsLstm, std::pair<Tensor, Tensor>, Tensor>;

  RecurrentLayer(int64_t input_size, int64_t hidden_size, Options options = {});

  mutable int64_t input_size;  // kInferred until the first call, if it was left out
  int64_t hidden_size;
  // weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, ...
  mutable std::vector<std::pair<std::string, Variable>> weights;
  static constexpr auto fields = fields_of(field("", &RecurrentLayer::weights));

  // All states, [time, batch, hidden_size * directions], and the last ones.
  std::pair<Tensor, States> operator()(const Tensor& x, const States& states = {},
                                       const std::optional<Ints>& lengths = {},
                                       Where where = Where::here()) const {
    return this->passed(*this, x, states, lengths, where);
  }
  std::pair<Tensor, States> forward(const Tensor& x, const States& states,
                                    const std::optional<Ints>& lengths, Where where) const;
  std::string extra_repr() const override;
  std::optional<int64_t> size_of(const State& state) const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 private:
  Tensor first_state(const Tensor& given, const Tensor& x) const;
  Options options_;
};

// h[t] = tanh(x[t] weight_ih^T + bias_ih + h[t - 1] weight_hh^T + bias_hh)
using RNN = RecurrentLayer<RecurrentKind::kRnn>;
using GRU = RecurrentLayer<RecurrentKind::kGru>;
//   const auto [out, last] = lstm(x);   // last.first are states, last.second cells
using LSTM = RecurrentLayer<RecurrentKind::kLstm>;

extern template struct RecurrentLayer<RecurrentKind::kRnn>;
extern template struct RecurrentLayer<RecurrentKind::kGru>;
extern template struct RecurrentLayer<RecurrentKind::kLstm>;

}  // namespace weft::nn
