// RNNCell, GRUCell and LSTMCell.
#include "weft/nn/recurrent_cell.h"

#include "weft/base/error.h"
#include "weft/nn/repr.h"
#include "weft/op/context.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/recurrent/recurrent.h"

namespace weft::nn {

void detail::require_nonlinearity(std::string_view who, const std::string& nonlinearity) {
  if (nonlinearity == "tanh" || nonlinearity == "relu") return;
  fail(Code::kInvalid, who, "nonlinearity", "nonlinearity is ", shown(nonlinearity),
       "; it is 'tanh' or 'relu'");
}

template <class Self, int64_t kGates, class Options>
CellLayer<Self, kGates, Options>::CellLayer(int64_t input_size, int64_t hidden_size,
                                            Options options)
    : input_size(input_size), hidden_size(hidden_size), options_(std::move(options)) {
  if constexpr (requires { options_.nonlinearity; }) {
    detail::require_nonlinearity(this->type_name(), options_.nonlinearity);
  }
  this->begin(input_size, options_.key, options_.dtype);
}

template <class Self, int64_t kGates, class Options>
std::vector<Wanted> CellLayer<Self, kGates, Options>::wanted(int64_t size) const {
  input_size = size;
  const Initializer usual = init::fan_in_uniform(hidden_size);
  const Initializer weight_init = options_.weight_init ? options_.weight_init : usual;
  const Initializer bias_init = options_.bias_init ? options_.bias_init : usual;
  const int64_t rows = kGates * hidden_size;
  const std::optional<Shape> bias = options_.bias ? std::optional(Shape{Dim(rows)}) : std::nullopt;
  return {{"weight_ih", &weight_ih, Shape{rows, size}, weight_init},
          {"weight_hh", &weight_hh, Shape{rows, hidden_size}, weight_init},
          {"bias_ih", &bias_ih, bias, bias_init},
          {"bias_hh", &bias_hh, bias, bias_init}};
}

template <class Self, int64_t kGates, class Options>
std::optional<int64_t> CellLayer<Self, kGates, Options>::size_of(const State& state) const {
  const auto found = state.find("weight_ih");
  if (found == state.end()) return {};
  return found->second.dim(1).value();
}

template <class Self, int64_t kGates, class Options>
Tensors CellLayer<Self, kGates, Options>::ready(const Tensor& x) const {
  this->know(x.dim(-1));
  Tensors out{this->lowered(x)};
  for (const Variable* const one : {&weight_ih, &weight_hh, &bias_ih, &bias_hh}) {
    out.push_back(this->lowered(*one));
  }
  return out;
}

template <class Self, int64_t kGates, class Options>
Tensor CellLayer<Self, kGates, Options>::first_state(const Tensor& given, const Tensor& x) const {
  if (given.defined()) return this->lowered(given);
  Shape shape(x.shape());
  shape.back() = hidden_size;
  return zeros(shape, x.dtype());
}

template <class Self, int64_t kGates, class Options>
std::string CellLayer<Self, kGates, Options>::extra_repr() const {
  return Words().item(input_size).item(hidden_size).add_unless(true, "bias", options_.bias).text();
}

template struct CellLayer<RNNCell, 1, RNNCellOptions>;
template struct CellLayer<GRUCell, 3, CellOptions>;
template struct CellLayer<LSTMCell, 4, CellOptions>;

RNNCell::RNNCell(int64_t input_size, int64_t hidden_size, RNNCellOptions options)
    : CellLayer(input_size, hidden_size, std::move(options)) {}

Tensor RNNCell::forward(const Tensor& x, const Tensor& state, Where where) const {
  const CalledFrom line(where);
  const Tensors in = ready(x);
  const Tensor h = first_state(state, in[0]);
  const auto function = options_.nonlinearity == "relu" ? rnn_relu_cell : rnn_tanh_cell;
  return function(in[0], h, in[1], in[2], in[3], in[4], where);
}

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size, CellOptions options)
    : CellLayer(input_size, hidden_size, std::move(options)) {}

Tensor GRUCell::forward(const Tensor& x, const Tensor& state, Where where) const {
  const CalledFrom line(where);
  const Tensors in = ready(x);
  const Tensor h = first_state(state, in[0]);
  return gru_cell(in[0], h, in[1], in[2], in[3], in[4], where);
}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size, CellOptions options)
    : CellLayer(input_size, hidden_size, std::move(options)) {}

std::pair<Tensor, Tensor> LSTMCell::forward(const Tensor& x, const std::pair<Tensor, Tensor>& state,
                                            Where where) const {
  const CalledFrom line(where);
  const Tensors in = ready(x);
  const Tensor h = first_state(state.first, in[0]), c = first_state(state.second, in[0]);
  const Tensor bias = in[3].defined() ? in[3] + in[4] : Tensor();
  const Tensors out = lstm_cell(in[0], h, c, in[1], in[2], bias, where);
  return {out[0], out[1]};
}

}  // namespace weft::nn
