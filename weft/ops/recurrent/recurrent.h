// Recurrent networks: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/infer.h"
#include "weft/op/op.h"

namespace weft {

// A sequence of states from inputs that are projected already. `x` is [time, batch, gates * size],
// `weight` [gates * size, size], states [batch, size]; where the mask, bool[time, batch, 1], is
// false a state stays as it was.
extern const OpDef kRnnScan, kGruScan, kLstmScan;
// Their cotangents, but for that of the weight.
extern const OpDef kRnnScanVjp, kGruScanVjp, kLstmScanVjp;
// What a step does beside its product: row kernels of the native loops.
extern const OpDef kRnnTanhStep, kRnnReluStep, kGruStep, kLstmStep, kRnnStepVjp, kGruStepVjp,
    kLstmStepVjp;
extern const CompositeDef kRnnTanh, kRnnRelu, kGru, kLstm, kRnnTanhCell, kRnnReluCell, kGruCell,
    kLstmCell;

struct RnnScanAttrs {
  bool relu = false;
  static constexpr auto fields =
      fields_of(field("relu", &RnnScanAttrs::relu, "relu in place of tanh"));
};

namespace recurrent {

// Raises [op.rank], [op.shape]: of x, weight, states and perhaps a mask behind them.
void require_shapes(const InferCtx& cx, const Shape& x, const Shape& weight,
                    std::span<const Shape* const> states, const Shape* mask, int64_t gates);
// The same for a backward op, of inputs [time, batch, ..]: `inside` of `parts` parts, and others of
// one part.
void require_backward(const InferCtx& cx, const Shape& inside, int64_t parts, const Shape& weight,
                      int64_t gates, std::span<const Shape* const> others, const Shape* mask);

// The types of a step's outputs. Inputs have one shape, but for the mask, the last of them, which
// is one value a row; raises [op.rank], [op.shape].
Types step_types(const InferCtx& cx, TypeSpan in, size_t outputs);
inline constexpr Laws kStepLaws = {
    Law{"rank", "the inputs have an axis"},
    Law{"shape", "all inputs have one shape, but for the mask, a value for each row"}};
inline constexpr Laws kScanVjpLaws = {
    Law{"rank", "all inputs have time, batch and gates, `weight` is a matrix"},
    Law{"shape", "gates, states, cotangents and mask have the sizes of each other"}};

// x[t] of a tensor with an axis of time in front.
Tensor at_time(const Tensor& x, int64_t t, Where where);
// The states before each step: `first`, then all of `states` but the last.
Tensor shifted(const Tensor& first, const Tensor& states, Where where);
// Parts of the last axis, `size` long each.
Tensors gates_of(const Tensor& x, int64_t count, Where where);
// x w^T, and its gradient by w: the sum over all rows of g^T h.
Tensor times_transposed(const Tensor& x, const Tensor& weight, Where where);
Tensor weight_gradient(const Tensor& g, const Tensor& h, Where where);
// The cotangent, or zeros like `like` for one that is not there.
Tensor or_zeros(const Tensor& g, const Tensor& like, Where where);
// A cotangent `by_u` of `h weight^T` at all steps, which may be undefined, as one of the states h:
// `g` of those behind each step is increased by it, and `first` is that of the first ones.
struct ByStates {
  Tensor g, first;

  ByStates(const Tensor& by_u, const Tensor& weight, const Tensor& g, Where where);
};
// All steps of time as one tensor; no steps are `none`.
Tensor over_time(const Tensors& steps, const Tensor& none, Where where);

// A batch of sequences joins the batch axis if weights are shared, else goes example by example.
// `shared` are the inputs without a batch axis of their own, a bit each; states have it in front.
Tensors batched(const OpDef& op, const void* attrs, const BatchCtx& cx, uint32_t shared,
                uint32_t timed);

// The value where the mask is true, else what was before; and without a mask the value.
Tensor masked(const Tensor& mask, const Tensor& value, const Tensor& before, Where where);

// Step t of the mask; an undefined one stays so.
Tensor mask_at(const Tensor& mask, int64_t t, Where where);
// x where a step's mask is true, else 0; and x where it is false, else 0.
Tensor inside_only(const Tensor& mask, const Tensor& x, Where where);
Tensor outside_only(const Tensor& mask, const Tensor& x, Where where);

// What the derivatives of a step are made of, for tensors of one or all steps.
struct GruSlopes {
  Tensor r, z;        // the gates
  Tensor to_n, to_z;  // of the state by what is inside n and z
  Tensor to_r;        // of n's inside by r's

  GruSlopes(const Tensor& inside, const Tensor& h, Where where);
};
struct LstmSlopes {
  Tensor f;              // of the cell by the cell before
  Tensor cell_to_gates;  // of the cell by what is inside i, f and g, side by side
  Tensor state_to_gate;  // of the state by what is inside o
  Tensor state_to_cell;  // of the state by the cell

  LstmSlopes(const Tensor& inside, const Tensor& c, Where where);
};

struct SequenceAttrs {
  int64_t num_layers = 1;
  bool bidirectional = false;
  bool batch_first = false;
  bool has_biases = true;
  std::optional<Ints> lengths;
  double dropout = 0;
  static constexpr auto fields = fields_of(
      field("num_layers", &SequenceAttrs::num_layers, "how many layers there are"),
      field("bidirectional", &SequenceAttrs::bidirectional, "each layer runs in both directions"),
      field("batch_first", &SequenceAttrs::batch_first, "x is [batch, time, features]"),
      field("has_biases", &SequenceAttrs::has_biases, "each direction has two biases"),
      field("lengths", &SequenceAttrs::lengths,
            "how long each sequence of the batch is; all of the time if left out"),
      field("dropout", &SequenceAttrs::dropout,
            "the probability that an element between two layers is dropped"));
};

// One layer in one direction: from projected input x, hidden weight, the bias of what the weight
// gives (undefined if it is part of x) and first states (of this layer, each [batch, size]) to
// states of all times.
using Layer = Tensors (*)(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          TensorSpan first, const Tensor& mask);

// The bias of the projected input and the layer's own, from b_ih and b_hh.
using Biases = std::pair<Tensor, Tensor> (*)(const Tensor& b_ih, const Tensor& b_hh);

// A kind of network: how many states and gates it has, and what its layers do.
struct Network {
  size_t states;
  int64_t gates;
  Biases biases;
  Layer layer;
};

// All layers: in[0] is x, then first states [layers * directions, batch, size], then a key for
// dropout, which may be undefined, then the weights. Results: the output, then the last states.
Tensors sequence(const InferCtx& cx, const SequenceAttrs& at, TensorSpan in,
                 const Network& network);

// x w_ih^T + b_ih of a cell, whose inputs are checked; raises [op.shape].
void require_cell(const InferCtx& cx, const Tensor& x, TensorSpan states, const Tensor& w_ih,
                  const Tensor& w_hh, TensorSpan biases, int64_t gates);

}  // namespace recurrent

using recurrent::SequenceAttrs;

namespace nn {
// x [time, batch, features], first states [layers * directions, batch, size]; weights layer by
// layer: w_ih, w_hh, b_ih, b_hh. The output of all times, then the last states. The key is that of
// dropout.
Tensors rnn_tanh(const Tensor& x, const Tensor& h0, TensorSpan weights,
                 const SequenceAttrs& at = {}, const Tensor& key = Tensor(),
                 Where where = Where::here());
Tensors rnn_relu(const Tensor& x, const Tensor& h0, TensorSpan weights,
                 const SequenceAttrs& at = {}, const Tensor& key = Tensor(),
                 Where where = Where::here());
Tensors gru(const Tensor& x, const Tensor& h0, TensorSpan weights, const SequenceAttrs& at = {},
            const Tensor& key = Tensor(), Where where = Where::here());
Tensors lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, TensorSpan weights,
             const SequenceAttrs& at = {}, const Tensor& key = Tensor(),
             Where where = Where::here());
// One step; biases may be undefined.
Tensor rnn_tanh_cell(const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = Tensor(), const Tensor& b_hh = Tensor(),
                     Where where = Where::here());
Tensor rnn_relu_cell(const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = Tensor(), const Tensor& b_hh = Tensor(),
                     Where where = Where::here());
Tensor gru_cell(const Tensor& x, const Tensor& h, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih = Tensor(), const Tensor& b_hh = Tensor(),
                Where where = Where::here());
// The new state and cell.
Tensors lstm_cell(const Tensor& x, const Tensor& h, const Tensor& c, const Tensor& w_ih,
                  const Tensor& w_hh, const Tensor& bias = Tensor(), Where where = Where::here());
}  // namespace nn
}  // namespace weft
