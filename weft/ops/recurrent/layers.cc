// Layers and directions of recurrent networks: what rnn_tanh, rnn_relu, gru and lstm share.
#include <tuple>
#include <vector>

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/dropout/dropout.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/random/random.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::recurrent {
namespace {

// bool[time, batch, 1]: whether a step is inside its sequence.
Tensor mask_of(const InferCtx& cx, const SequenceAttrs& at, Dim time, Dim batch) {
  if (!at.lengths) return Tensor();
  const Ints& lengths = *at.lengths;
  cx.require(decide_same(static_cast<int64_t>(lengths.size()), batch) != Tri::kNo, "lengths",
             "there are ", lengths.size(), " lengths, but the batch has ", batch,
             " sequences; each has one");
  const int64_t steps = time.value();
  std::vector<uint8_t> flags;
  for (const int64_t length : lengths) {
    cx.require(0 <= length && length <= steps, "lengths", "a length is ", length,
               ", but there are ", steps, " steps of time; it must be between 0 and that");
  }
  for (int64_t t = 0; t < steps; ++t) {
    for (const int64_t length : lengths) flags.push_back(t < length);
  }
  return Tensor::from_bytes(DType::kBool, Shape{steps, static_cast<int64_t>(lengths.size()), 1},
                            std::as_bytes(std::span(flags)));
}

Tensor flipped(const Tensor& x) { return x.defined() ? flip(x, Ints{0}) : x; }

// The layers of a network, in both directions if asked.
struct Stack {
  const InferCtx& cx;
  const SequenceAttrs& at;
  TensorSpan in;
  const Network& network;
  Tensor mask;

  size_t first_weight() const { return 2 + network.states; }
  size_t per_direction() const { return at.has_biases ? 4 : 2; }
  int64_t directions() const { return at.bidirectional ? 2 : 1; }
  int64_t count() const { return at.num_layers * directions(); }

  void require_inputs(const Tensor& x) const {
    const size_t expected = static_cast<size_t>(count()) * per_direction();
    cx.require(in.size() == first_weight() + expected, "count", "there are ",
               in.size() - first_weight(), " weights, but ", at.num_layers, " layers in ",
               directions(), " directions have ", expected);
    for (const Tensor& first : in.subspan(1, network.states)) {
      cx.require(first.rank() == 3 && decide_same(first.dim(0), count()) != Tri::kNo &&
                     decide_same(first.dim(1), x.dim(1)) != Tri::kNo,
                 "states", "first states have shape ", first.shape(), "; they must be [", count(),
                 ", ", x.dim(1), ", size]");
    }
  }

  // One direction of a layer; `index` counts layers and directions.
  Tensors direction(const Tensor& x, int64_t index, bool backwards) const {
    const TensorSpan own =
        in.subspan(first_weight() + static_cast<size_t>(index) * per_direction(), per_direction());
    const TensorSpan biases = own.subspan(2);
    Tensors from;
    for (size_t s = 0; s < network.states; ++s) from.push_back(select_row(in[1 + s], index));
    require_cell(cx, x, from, own[0], own[1], biases, network.gates);
    Tensor outer, inner;
    if (at.has_biases) std::tie(outer, inner) = network.biases(biases[0], biases[1]);
    const Tensor projected = nn::linear(x, own[0], outer);
    if (!backwards) return network.layer(projected, own[1], inner, from, mask);
    const Tensor turned = flipped(mask);
    return network.layer(flipped(projected), own[1], inner, from, turned);
  }

  // The last state of each kind of one direction.
  Tensor last(const Tensor& states, size_t kind, int64_t index) const {
    const int64_t steps = states.dim(0).value();
    return steps > 0 ? select_row(states, steps - 1) : select_row(in[1 + kind], index);
  }

  // What the next layer sees of a layer's output.
  Tensor dropped(const Tensor& x, int64_t layer) const {
    const Tensor& key = in[1 + network.states];
    if (at.dropout == 0 || layer + 1 == at.num_layers) return x;
    return nn::dropout(random::fold_in(key, Tensor::scalar(DType::kI64, layer)), x, at.dropout);
  }
};

}  // namespace

void require_cell(const InferCtx& cx, const Tensor& x, TensorSpan states, const Tensor& w_ih,
                  const Tensor& w_hh, TensorSpan biases, int64_t gates) {
  cx.require(x.rank() >= 1 && w_ih.rank() == 2 && w_hh.rank() == 2, "rank", "x has shape ",
             x.shape(), " and the weights ", w_ih.shape(), " and ", w_hh.shape(),
             "; weights must be matrices");
  const Dim size = w_hh.dim(1), all = size * gates;
  cx.require(decide_same(w_ih.dim(0), all) != Tri::kNo &&
                 decide_same(w_hh.dim(0), all) != Tri::kNo &&
                 decide_same(w_ih.dim(1), x.dim(-1)) != Tri::kNo,
             "weights", "the weights have shapes ", w_ih.shape(), " and ", w_hh.shape(),
             "; for x of shape ", x.shape(), " and ", gates, " gates of size ", size,
             " they must be ", Shape{all, x.dim(-1)}, " and ", Shape{all, size});
  for (const Tensor& bias : biases) {
    if (!bias.defined()) continue;
    cx.require(decide_same(bias.shape(), Shape{all}) != Tri::kNo, "weights", "a bias has shape ",
               bias.shape(), "; it must be ", Shape{all});
  }
  for (const Tensor& state : states) {
    cx.require(state.rank() >= 1 && decide_same(state.dim(-1), size) != Tri::kNo, "states",
               "a state has shape ", state.shape(), "; its last axis must be ", size, " long");
  }
}

Tensors sequence(const InferCtx& cx, const SequenceAttrs& at, TensorSpan in,
                 const Network& network) {
  cx.require(in[0].rank() == 3, "rank", "x has shape ", in[0].shape(),
             "; it must be [time, batch, features], or [batch, time, features] with batch_first");
  constexpr int64_t kMostLayers = 1 << 20;
  cx.require(1 <= at.num_layers && at.num_layers <= kMostLayers, "layers", "num_layers is ",
             at.num_layers, "; it must be between 1 and ", kMostLayers);
  require_probability(cx, at.dropout);
  const Tensor& key = in[1 + network.states];
  // Outputs are dropped on the way to a next layer: without one nothing is drawn.
  cx.require(at.dropout == 0 || at.num_layers == 1 || key.defined(), "key", "dropout is ",
             at.dropout,
             " without a key; give one, random.Key(seed), or leave dropout out to drop nothing");
  if (key.defined()) random::words_of_key(cx.op, key);
  Tensor x = at.batch_first ? permute_dims(in[0], {1, 0, 2}) : in[0];
  const Stack stack{cx, at, in, network, mask_of(cx, at, x.dim(0), x.dim(1))};
  stack.require_inputs(x);
  std::vector<Tensors> last(network.states);
  const Tensor zero = scalar_like(x, 0);
  for (int64_t l = 0; l < at.num_layers; ++l) {
    Tensors sides;
    for (int64_t d = 0; d < stack.directions(); ++d) {
      const int64_t index = l * stack.directions() + d;
      const Tensors out = stack.direction(x, index, d == 1);
      for (size_t s = 0; s < last.size(); ++s) last[s].push_back(stack.last(out[s], s, index));
      const Tensor all = d == 1 ? flipped(out[0]) : out[0];
      sides.push_back(masked(stack.mask, all, zero, Where{}));
    }
    x = stack.dropped(sides.size() == 1 ? sides[0] : concat(sides, -1), l);
  }
  Tensors out{at.batch_first ? permute_dims(x, {1, 0, 2}) : x};
  for (const Tensors& each : last) out.push_back(weft::stack(each, 0));
  return out;
}

}  // namespace weft::recurrent
