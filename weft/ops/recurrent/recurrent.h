// Recurrent networks: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/infer.h"
#include "weft/op/op.h"

namespace weft {

// A sequence of states from inputs that are projected already. `x` is [time, batch, gates * size],
// `weight` [gates * size, size], states [batch, size]; where the mask, bool[time, batch, 1], is
// false a state stays as it was.
extern const OpDef kRnnScan, kGruScan, kLstmScan, kGruStep, kLstmStep;
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

// x[t] of a tensor with an axis of time in front.
Tensor at_time(const Tensor& x, int64_t t, Where where);
// The states before each step: `first`, then all of `states` but the last.
Tensor shifted(const Tensor& first, const Tensor& states, Where where);
// Parts of the last axis, `size` long each.
Tensors gates_of(const Tensor& x, int64_t count, Where where);
// x w^T, and its gradient by w: the sum over all rows of g^T h.
Tensor times_transposed(const Tensor& x, const Tensor& weight, Where where);
Tensor weight_gradient(const Tensor& g, const Tensor& h, Where where);
// A concrete step of time: a view.
Tensor step_view(const Tensor& x, int64_t t);
// Part `i` of `count` of the last axis of a concrete matrix: a view.
Tensor gate_view(const Tensor& x, int64_t i, int64_t count);

// A batch of sequences joins the batch axis if weights are shared, else goes example by example.
// `shared` are the inputs without a batch axis of their own, a bit each; states have it in front.
Tensors batched(const OpDef& op, const void* attrs, const BatchCtx& cx, uint32_t shared,
                uint32_t timed);

// The value where the mask is true, else what was before; and without a mask the value.
Tensor masked(const Tensor& mask, const Tensor& value, const Tensor& before, Where where);

struct SequenceAttrs {
  int64_t num_layers = 1;
  bool bidirectional = false;
  bool batch_first = false;
  bool has_biases = true;
  std::optional<Ints> lengths;
  static constexpr auto fields = fields_of(
      field("num_layers", &SequenceAttrs::num_layers, "how many layers there are"),
      field("bidirectional", &SequenceAttrs::bidirectional, "each layer runs in both directions"),
      field("batch_first", &SequenceAttrs::batch_first, "x is [batch, time, features]"),
      field("has_biases", &SequenceAttrs::has_biases, "each direction has two biases"),
      field("lengths", &SequenceAttrs::lengths,
            "how long each sequence of the batch is; all of the time if left out"));
};

// One layer in one direction: from projected input x, hidden weight, hidden bias and first states
// (of this layer, each [batch, size]) to states of all times.
using Layer = Tensors (*)(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          TensorSpan first, const Tensor& mask);

// All layers: in[0] is x, then `states` first states [layers * directions, batch, size], then the
// weights. Results: the output, then the last states.
Tensors sequence(const InferCtx& cx, const SequenceAttrs& at, TensorSpan in, size_t states,
                 int64_t gates, Layer layer);

// x w_ih^T + b_ih of a cell, whose inputs are checked; raises [op.shape].
void require_cell(const InferCtx& cx, const Tensor& x, TensorSpan states, const Tensor& w_ih,
                  const Tensor& w_hh, TensorSpan biases, int64_t gates);

}  // namespace recurrent
}  // namespace weft
