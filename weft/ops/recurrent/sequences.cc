// rnn_tanh, rnn_relu, gru, lstm: layers of recurrent networks in one or both directions.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft {
namespace {

using recurrent::SequenceAttrs;

Tensors with_mask(std::initializer_list<Tensor> in, const Tensor& mask) {
  Tensors out(in);
  if (mask.defined()) out.push_back(mask);
  return out;
}

template <bool OfRelu>
Tensors rnn_layer(const Tensor& x, const Tensor& weight, const Tensor& bias, TensorSpan first,
                  const Tensor& mask) {
  const Tensor all = bias.defined() ? x + bias : x;
  return apply_all(kRnnScan, with_mask({all, weight, first[0]}, mask), RnnScanAttrs{OfRelu},
                   Where{});
}
Tensors gru_layer(const Tensor& x, const Tensor& weight, const Tensor& bias, TensorSpan first,
                  const Tensor& mask) {
  const Tensor own = bias.defined() ? bias : zeros(Shape{weight.dim(0)}, x.dtype());
  return apply_all(kGruScan, with_mask({x, weight, own, first[0]}, mask), kNoAttrs, Where{});
}
Tensors lstm_layer(const Tensor& x, const Tensor& weight, const Tensor& bias, TensorSpan first,
                   const Tensor& mask) {
  const Tensor all = bias.defined() ? x + bias : x;
  return apply_all(kLstmScan, with_mask({all, weight, first[0], first[1]}, mask), kNoAttrs,
                   Where{});
}

Tensors rnn_tanh_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"rnn_tanh"}, at, in, 1, 1, rnn_layer<false>);
}
Tensors rnn_relu_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"rnn_relu"}, at, in, 1, 1, rnn_layer<true>);
}
Tensors gru_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"gru"}, at, in, 1, 3, gru_layer);
}
Tensors lstm_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"lstm"}, at, in, 2, 4, lstm_layer);
}

constexpr Laws kLaws = {Law{"rank", "`x` has time, batch and features, weights are matrices"},
                        Law{"layers", "there is at least one layer"},
                        Law{"count", "each layer has its weights in each direction"},
                        Law{"states", "first states are [layers * directions, batch, size]"},
                        Law{"weights", "weights and biases have the sizes of inputs and gates"},
                        Law{"lengths", "each sequence has a length, up to the steps of time"}};

}  // namespace

constinit const CompositeDef kRnnTanh{
    .name = "rnn_tanh",
    .module = "nn",
    .doc =
        "`h[t] = tanh(x[t] w_ih^T + b_ih + h[t - 1] w_hh^T + b_hh)` in `num_layers` layers, each "
        "fed by the one before, and in both directions if asked (their states side by side). "
        "Weights are w_ih, w_hh, b_ih, b_hh of each layer and direction. Behind the end of a "
        "sequence the output is 0 and the state stays; the second result is the last state of each "
        "layer and direction.",
    .inputs = {"x: floating", "h0: like x", "weights...: like x"},
    .outputs = {"out: like x", "h: like x"},
    .attrs = attrs_type<SequenceAttrs>(),
    .laws = kLaws,
    .compose = rule<rnn_tanh_composed>(),
    .known_as = {Alias{"torch", "rnn_tanh"}, Alias{"tf", "keras.layers.SimpleRNN"}},
};
constinit const CompositeDef kRnnRelu{
    .name = "rnn_relu",
    .module = "nn",
    .doc = "As nn.rnn_tanh, with relu in place of tanh.",
    .inputs = {"x: floating", "h0: like x", "weights...: like x"},
    .outputs = {"out: like x", "h: like x"},
    .attrs = attrs_type<SequenceAttrs>(),
    .laws = kLaws,
    .compose = rule<rnn_relu_composed>(),
    .known_as = {Alias{"torch", "rnn_relu"}},
};
constinit const CompositeDef kGru{
    .name = "gru",
    .module = "nn",
    .doc =
        "Gated recurrent units: `h[t] = (1 - z) * n + z * h[t - 1]` with gates r, z and n as in "
        "gru.scan (the reset gate behind the product). Weights [3 * size, ..] hold r, z and n one "
        "below the other. Layers, directions, lengths and results are as in nn.rnn_tanh.",
    .inputs = {"x: floating", "h0: like x", "weights...: like x"},
    .outputs = {"out: like x", "h: like x"},
    .attrs = attrs_type<SequenceAttrs>(),
    .laws = kLaws,
    .compose = rule<gru_composed>(),
    .known_as = {Alias{"torch", "gru"}, Alias{"tf", "keras.layers.GRU"}},
};
constinit const CompositeDef kLstm{
    .name = "lstm",
    .module = "nn",
    .doc =
        "Long short-term memory: `c[t] = f * c[t - 1] + i * g`, `h[t] = o * tanh(c[t])` with gates "
        "as in lstm.scan. Weights [4 * size, ..] hold i, f, g and o one below the other. Layers, "
        "directions, lengths and results are as in nn.rnn_tanh; the third result are the last "
        "cells.",
    .inputs = {"x: floating", "h0: like x", "c0: like x", "weights...: like x"},
    .outputs = {"out: like x", "h: like x", "c: like x"},
    .attrs = attrs_type<SequenceAttrs>(),
    .laws = kLaws,
    .compose = rule<lstm_composed>(),
    .known_as = {Alias{"torch", "lstm"}, Alias{"tf", "keras.layers.LSTM"}},
};

}  // namespace weft
