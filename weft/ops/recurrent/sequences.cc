// rnn_tanh, rnn_relu, gru, lstm: layers of recurrent networks in one or both directions.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Tensors with_mask(std::initializer_list<Tensor> in, const Tensor& mask) {
  Tensors out(in);
  if (mask.defined()) out.push_back(mask);
  return out;
}

template <bool OfRelu>
Tensors rnn_layer(const Tensor& x, const Tensor& weight, const Tensor&, TensorSpan first,
                  const Tensor& mask) {
  return apply_all(kRnnScan, with_mask({x, weight, first[0]}, mask), RnnScanAttrs{OfRelu}, Where{});
}
Tensors gru_layer(const Tensor& x, const Tensor& weight, const Tensor& bias, TensorSpan first,
                  const Tensor& mask) {
  const Tensor own = bias.defined() ? bias : zeros(Shape{weight.dim(1)}, x.dtype());
  return apply_all(kGruScan, with_mask({x, weight, own, first[0]}, mask), kNoAttrs, Where{});
}
Tensors lstm_layer(const Tensor& x, const Tensor& weight, const Tensor&, TensorSpan first,
                   const Tensor& mask) {
  return apply_all(kLstmScan, with_mask({x, weight, first[0], first[1]}, mask), kNoAttrs, Where{});
}

std::pair<Tensor, Tensor> sum_of_biases(const Tensor& b_ih, const Tensor& b_hh) {
  return {b_ih + b_hh, Tensor()};
}
// The hidden bias of n is behind the reset gate; those of r and z are not.
std::pair<Tensor, Tensor> gru_biases(const Tensor& b_ih, const Tensor& b_hh) {
  const Tensors parts = recurrent::gates_of(b_hh, 3, Where{});
  const Tensor none = zeros(Shape(parts[2].shape()), b_hh.dtype());
  return {b_ih + concat(inputs(parts[0], parts[1], none), -1), parts[2]};
}

Tensors rnn_tanh_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"rnn_tanh"}, at, in, {1, 1, sum_of_biases, rnn_layer<false>});
}
Tensors rnn_relu_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"rnn_relu"}, at, in, {1, 1, sum_of_biases, rnn_layer<true>});
}
Tensors gru_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"gru"}, at, in, {1, 3, gru_biases, gru_layer});
}
Tensors lstm_composed(const SequenceAttrs& at, TensorSpan in) {
  return sequence(InferCtx{"lstm"}, at, in, {2, 4, sum_of_biases, lstm_layer});
}

constexpr Laws kLaws = {Law{"rank", "`x` has time, batch and features, weights are matrices"},
                        Law{"layers", "there is at least one layer"},
                        Law{"count", "each layer has its weights in each direction"},
                        Law{"states", "first states are [layers * directions, batch, size]"},
                        Law{"weights", "weights and biases have the sizes of inputs and gates"},
                        Law{"lengths", "each sequence has a length, up to the steps of time"},
                        Law{"probability", "`dropout` is between 0 and 1"},
                        Law{"key", "dropout between layers draws from a key, which has shape [2]"},
                        Law{"dtype", "a key is uint32"}};

}  // namespace

constinit const CompositeDef kRnnTanh{
    .name = "rnn_tanh",
    .module = "nn",
    .doc =
        "`h[t] = tanh(x[t] w_ih^T + b_ih + h[t - 1] w_hh^T + b_hh)` for `x` [time, batch, "
        "features], "
        "in `num_layers` layers, each fed by the output of the one before, and in both directions "
        "if "
        "asked: then the output has the forward states and the backward ones side by side. First "
        "and "
        "last states are [num_layers * directions, batch, size], layer by layer, in each first the "
        "forward, then the backward direction, which begins at a sequence's end. In the same order "
        "each has its weights w_ih [size, features], w_hh [size, size], b_ih and b_hh [size]; the "
        "features of later layers are size * directions. Behind the end of a sequence the output "
        "is "
        "0 and the state stays; without steps of time the last states are the first. With "
        "`dropout` the output of each layer l but the last goes through nn.dropout with the key "
        "`random.fold_in(key, l)`; without a `key` it is refused, unless there is but one layer "
        "and nothing to drop. The order of summation is that of matmul.",
    .inputs = {"x: floating", "h0: like x", "key?: key", "weights...: like x"},
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
    .inputs = {"x: floating", "h0: like x", "key?: key", "weights...: like x"},
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
        "Gated recurrent units: with `a = x[t] w_ih^T + b_ih` and `u = h[t - 1] w_hh^T + b_hh` in "
        "three "
        "parts, `r = sigmoid(a0 + u0)`, `z = sigmoid(a1 + u1)`, `n = tanh(a2 + r * u2)` (the reset "
        "gate behind the product) and `h[t] = (1 - z) * n + z * h[t - 1]`. Weights and biases have "
        "3 * "
        "size rows: those of r, z and n one below the other. First and last states, layers, "
        "directions, lengths and dropout are as in nn.rnn_tanh.",
    .inputs = {"x: floating", "h0: like x", "key?: key", "weights...: like x"},
    .outputs = {"out: like x", "h: like x"},
    .attrs = attrs_type<SequenceAttrs>(),
    .laws = kLaws,
    .compose = rule<gru_composed>(),
    .known_as = {Alias{"torch", "gru"},
                 Alias{"tf",
                       "keras.layers.GRU: its gates stand in the order z, r, h, ours in the order "
                       "r, z, n, and its weights are transposed"}},
};
constinit const CompositeDef kLstm{
    .name = "lstm",
    .module = "nn",
    .doc =
        "Long short-term memory: with `a = x[t] w_ih^T + b_ih + h[t - 1] w_hh^T + b_hh` in four "
        "parts, "
        "`i = sigmoid(a0)`, `f = sigmoid(a1)`, `g = tanh(a2)`, `o = sigmoid(a3)`, `c[t] = f * c[t "
        "- 1] "
        "+ i * g` and `h[t] = o * tanh(c[t])`. Weights and biases have 4 * size rows: those of i, "
        "f, g "
        "and o one below the other. First and last states (the third result are the last cells), "
        "layers, directions, lengths and dropout are as in nn.rnn_tanh.",
    .inputs = {"x: floating", "h0: like x", "c0: like x", "key?: key", "weights...: like x"},
    .outputs = {"out: like x", "h: like x", "c: like x"},
    .attrs = attrs_type<SequenceAttrs>(),
    .laws = kLaws,
    .compose = rule<lstm_composed>(),
    .known_as = {Alias{"torch", "lstm"}, Alias{"tf", "keras.layers.LSTM"}},
};

namespace nn {
namespace {

Tensors sequence_of(const CompositeDef& op, std::initializer_list<Tensor> x_and_states,
                    TensorSpan weights, const SequenceAttrs& at, const Tensor& key, Where where) {
  Tensors in(x_and_states);
  in.push_back(key);
  for (const Tensor& weight : weights) in.push_back(weight);
  return compose_all(op, in, &at, where);
}

}  // namespace

Tensors rnn_tanh(const Tensor& x, const Tensor& h0, TensorSpan weights, const SequenceAttrs& at,
                 const Tensor& key, Where where) {
  return sequence_of(kRnnTanh, {x, h0}, weights, at, key, where);
}
Tensors rnn_relu(const Tensor& x, const Tensor& h0, TensorSpan weights, const SequenceAttrs& at,
                 const Tensor& key, Where where) {
  return sequence_of(kRnnRelu, {x, h0}, weights, at, key, where);
}
Tensors gru(const Tensor& x, const Tensor& h0, TensorSpan weights, const SequenceAttrs& at,
            const Tensor& key, Where where) {
  return sequence_of(kGru, {x, h0}, weights, at, key, where);
}
Tensors lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, TensorSpan weights,
             const SequenceAttrs& at, const Tensor& key, Where where) {
  return sequence_of(kLstm, {x, h0, c0}, weights, at, key, where);
}

}  // namespace nn
}  // namespace weft
