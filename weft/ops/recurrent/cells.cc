// rnn_tanh_cell, rnn_relu_cell, gru_cell, lstm_cell: one step of a recurrent network.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Input i, or an undefined tensor.
Tensor given(TensorSpan in, size_t i) { return in.size() > i ? in[i] : Tensor(); }

// x w_ih^T + b_ih and h w_hh^T + b_hh of the inputs x, h, w_ih, w_hh, b_ih?, b_hh?.
struct Projected {
  Tensor by_x, by_h;

  Projected(const InferCtx& cx, TensorSpan in, int64_t gates) {
    const Tensors biases{given(in, 4), given(in, 5)};
    recurrent::require_cell(cx, in[0], in.subspan(1, 1), in[2], in[3], biases, gates);
    by_x = nn::linear(in[0], in[2], biases[0]);
    by_h = nn::linear(in[1], in[3], biases[1]);
  }
};

Tensors tanh_composed(const NoAttrs&, TensorSpan in) {
  const Projected p(InferCtx{"rnn_tanh_cell"}, in, 1);
  return {tanh(p.by_x + p.by_h)};
}
Tensors relu_composed(const NoAttrs&, TensorSpan in) {
  const Projected p(InferCtx{"rnn_relu_cell"}, in, 1);
  return {relu(p.by_x + p.by_h)};
}

Tensors gru_composed(const NoAttrs&, TensorSpan in) {
  const Projected p(InferCtx{"gru_cell"}, in, 3);
  const Tensors x = recurrent::gates_of(p.by_x, 3, Where{});
  const Tensors u = recurrent::gates_of(p.by_h, 3, Where{});
  const Tensor z = sigmoid(x[1] + u[1]), n = tanh(x[2] + sigmoid(x[0] + u[0]) * u[2]);
  const Tensor kept = z * in[1];
  return {(1.0 - z) * n + kept};
}

// x, h, c, w_ih, w_hh, bias?
Tensors lstm_composed(const NoAttrs&, TensorSpan in) {
  const Tensors bias{given(in, 5)};
  recurrent::require_cell(InferCtx{"lstm_cell"}, in[0], in.subspan(1, 2), in[3], in[4], bias, 4);
  const Tensor by_h = nn::linear(in[1], in[4]);
  const Tensor inside = nn::linear(in[0], in[3], bias[0]) + by_h;
  const Tensors gate = recurrent::gates_of(inside, 4, Where{});
  const Tensor cell = tanh(gate[2]), added = sigmoid(gate[0]) * cell;
  const Tensor c = sigmoid(gate[1]) * in[2] + added, shown = tanh(c);
  return {sigmoid(gate[3]) * shown, c};
}

constexpr Laws kLaws = {Law{"rank", "weights are matrices"},
                        Law{"weights", "weights and biases have the sizes of inputs and gates"},
                        Law{"states", "states have the size of the gates"}};

}  // namespace

constinit const CompositeDef kRnnTanhCell{
    .name = "rnn_tanh_cell",
    .module = "nn",
    .doc = "`tanh(x w_ih^T + b_ih + h w_hh^T + b_hh)`: one step of nn.rnn_tanh.",
    .inputs = {"x: floating", "h: like x", "w_ih: like x", "w_hh: like x", "b_ih?: like x",
               "b_hh?: like x"},
    .outputs = {"h: like x"},
    .laws = kLaws,
    .compose = rule<tanh_composed>(),
    .known_as = {Alias{"torch", "rnn_tanh_cell"}},
};
constinit const CompositeDef kRnnReluCell{
    .name = "rnn_relu_cell",
    .module = "nn",
    .doc = "`relu(x w_ih^T + b_ih + h w_hh^T + b_hh)`: one step of nn.rnn_relu.",
    .inputs = {"x: floating", "h: like x", "w_ih: like x", "w_hh: like x", "b_ih?: like x",
               "b_hh?: like x"},
    .outputs = {"h: like x"},
    .laws = kLaws,
    .compose = rule<relu_composed>(),
    .known_as = {Alias{"torch", "rnn_relu_cell"}},
};
constinit const CompositeDef kGruCell{
    .name = "gru_cell",
    .module = "nn",
    .doc =
        "One step of nn.gru: the new state from `x` [.., features] and `h` [.., size]. Weights and "
        "biases have 3 * size rows: those of r, z and n one below the other.",
    .inputs = {"x: floating", "h: like x", "w_ih: like x", "w_hh: like x", "b_ih?: like x",
               "b_hh?: like x"},
    .outputs = {"h: like x"},
    .laws = kLaws,
    .compose = rule<gru_composed>(),
    .known_as = {Alias{"torch", "gru_cell"},
                 Alias{"tf",
                       "keras.layers.GRUCell: its gates stand in the order z, r, h, ours in the "
                       "order r, z, n, and its weights are transposed"}},
};
constinit const CompositeDef kLstmCell{
    .name = "lstm_cell",
    .module = "nn",
    .doc =
        "One step of nn.lstm: the new state and cell from `x` [.., features], `h` and `c` [.., "
        "size]. "
        "Weights and bias have 4 * size rows: those of i, f, g and o one below the other. There is "
        "one bias, the sum of what PyTorch calls b_ih and b_hh.",
    .inputs = {"x: floating", "h: like x", "c: like x", "w_ih: like x", "w_hh: like x",
               "bias?: like x"},
    .outputs = {"h: like x", "c: like x"},
    .laws = kLaws,
    .compose = rule<lstm_composed>(),
    .known_as = {Alias{"torch", "lstm_cell"}, Alias{"tf", "keras.layers.LSTMCell"}},
};

namespace nn {

Tensor rnn_tanh_cell(const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh, Where where) {
  return compose(kRnnTanhCell, inputs(x, h, w_ih, w_hh, b_ih, b_hh), kNoAttrs, where);
}
Tensor rnn_relu_cell(const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh, Where where) {
  return compose(kRnnReluCell, inputs(x, h, w_ih, w_hh, b_ih, b_hh), kNoAttrs, where);
}
Tensor gru_cell(const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih, const Tensor& b_hh, Where where) {
  return compose(kGruCell, inputs(x, h, w_ih, w_hh, b_ih, b_hh), kNoAttrs, where);
}
Tensors lstm_cell(const Tensor& x, const Tensor& h, const Tensor& c, const Tensor& w_ih,
                  const Tensor& w_hh, const Tensor& bias, Where where) {
  return compose_all(kLstmCell, inputs(x, h, c, w_ih, w_hh, bias), &kNoAttrs, where);
}

}  // namespace nn
}  // namespace weft
