// What the recurrent ops share: shapes, steps of time, batches, layers and directions.
#include "weft/ops/recurrent/recurrent.h"

#include <vector>

#include "weft/op/apply.h"
#include "weft/op/per_example.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::recurrent {

void require_shapes(const InferCtx& cx, const Shape& x, const Shape& weight,
                    std::span<const Shape* const> states, const Shape* mask, int64_t gates) {
  cx.require(x.size() == 3 && weight.size() == 2, "rank", "x has shape ", x, " and weight ", weight,
             "; they must be [time, batch, gates * size] and [gates * size, size]");
  const Dim size = weight[1], all = size * gates;
  cx.require(same(weight[0], all) != Tri::kNo && same(x[2], all) != Tri::kNo, "shape",
             "x has shape ", x, " and weight ", weight, "; with ", gates, " gates of size ", size,
             " they must have ", all, " of them");
  const Shape state{x[1], size};
  for (const Shape* each : states) {
    cx.require(same(*each, state) != Tri::kNo, "shape", "a first state has shape ", *each,
               "; it must be ", state);
  }
  const Shape flags{x[0], x[1], 1};
  cx.require(mask == nullptr || same(*mask, flags) != Tri::kNo, "shape", "the mask has shape ",
             mask == nullptr ? flags : *mask, "; it must be ", flags);
}

Tensor at_time(const Tensor& x, int64_t t, Where where) { return select_row(x, t, where); }

Tensor shifted(const Tensor& first, const Tensor& states, Where where) {
  IndexItem all_but_last;
  all_but_last.stop = -1;
  return concat(inputs(expand_dims(first, 0, where), slice(states, Index{all_but_last}, where)), 0,
                where);
}

Tensors gates_of(const Tensor& x, int64_t count, Where where) {
  const Dim size = floor_div(x.dim(-1), count);
  return split(x, Ints(static_cast<size_t>(count), size.value()), -1, where);
}

Tensor times_transposed(const Tensor& x, const Tensor& weight, Where where) {
  return matmul(x, permute_dims(weight, {1, 0}, where), where);
}

Tensor weight_gradient(const Tensor& g, const Tensor& h, Where where) {
  const auto rows = [&](const Tensor& x) {
    const Dim count = num_elements(x.shape().first(static_cast<size_t>(x.rank() - 1)));
    return reshape(x, Shape{count, x.dim(-1)}, where);
  };
  return matmul(permute_dims(rows(g), {1, 0}, where), rows(h), where);
}

Tensor step_view(const Tensor& x, int64_t t) {
  return x.view(x.shape().subspan(1), x.strides().subspan(1), t * x.strides()[0]);
}

Tensor gate_view(const Tensor& x, int64_t i, int64_t count) {
  const int64_t size = x.dim(1).value() / count;
  return x.view(Shape{x.dim(0), size}, x.strides(), i * size * x.strides()[1]);
}

Tensor masked(const Tensor& mask, const Tensor& value, const Tensor& before, Where line) {
  return mask.defined() ? where(mask, value, before, line) : value;
}

Tensors batched(const OpDef& op, const void* attrs, const BatchCtx& cx, uint32_t shared,
                uint32_t timed) {
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    if ((shared >> i & 1) == 0 || !cx.batched[i]) continue;
    return per_example(
        cx, [&](TensorSpan in) { return apply_all(op, in, attrs, cx.where); }, op.name,
        "each example has weights of its own");
  }
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    if (shared >> i & 1) {
      in.push_back(cx.inputs[i]);
      continue;
    }
    Tensor x = cx.with_batch_axis(i);
    if (timed >> i & 1) x = permute_dims(x, {1, 0, 2, 3}, cx.where);
    Shape joined(x.shape());
    const size_t at = timed >> i & 1 ? 1 : 0;
    joined[at] = joined[at] * joined[at + 1];
    joined.erase(at + 1);
    in.push_back(reshape(x, joined, cx.where));
  }
  Tensors out = apply_all(op, in, attrs, cx.where);
  for (Tensor& each : out) {
    const Dim own = floor_div(each.dim(1), cx.size);
    each = permute_dims(reshape(each, Shape{each.dim(0), cx.size, own, each.dim(2)}, cx.where),
                        {1, 0, 2, 3}, cx.where);
  }
  return out;
}

namespace {

// bool[time, batch, 1]: whether a step is inside its sequence.
Tensor mask_of(const InferCtx& cx, const SequenceAttrs& at, Dim time, Dim batch) {
  if (!at.lengths) return Tensor();
  const Ints& lengths = *at.lengths;
  cx.require(same(static_cast<int64_t>(lengths.size()), batch) != Tri::kNo, "lengths", "there are ",
             lengths.size(), " lengths, but the batch has ", batch, " sequences; each has one");
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

struct Stack {
  const InferCtx& cx;
  const SequenceAttrs& at;
  TensorSpan in;
  size_t states;
  int64_t gates;
  Layer layer;
  Tensor mask;

  size_t per_direction() const { return at.has_biases ? 4 : 2; }
  int64_t directions() const { return at.bidirectional ? 2 : 1; }

  // One direction of a layer; `index` counts layers and directions.
  Tensors direction(const Tensor& x, int64_t index, bool backwards) const {
    const size_t first = 1 + states + static_cast<size_t>(index) * per_direction();
    const Tensor &w_ih = in[first], &w_hh = in[first + 1];
    const Tensor b_ih = at.has_biases ? in[first + 2] : Tensor();
    const Tensor b_hh = at.has_biases ? in[first + 3] : Tensor();
    Tensors from;
    for (size_t s = 0; s < states; ++s) from.push_back(select_row(in[1 + s], index));
    require_cell(cx, x, from, w_ih, w_hh, at.has_biases ? in.subspan(first + 2, 2) : TensorSpan{},
                 gates);
    const Tensor projected = nn::linear(x, w_ih, b_ih);
    if (!backwards) return layer(projected, w_hh, b_hh, from, mask);
    Tensors out = layer(flipped(projected), w_hh, b_hh, from, flipped(mask));
    return out;
  }
};

}  // namespace

void require_cell(const InferCtx& cx, const Tensor& x, TensorSpan states, const Tensor& w_ih,
                  const Tensor& w_hh, TensorSpan biases, int64_t gates) {
  cx.require(x.rank() >= 1 && w_ih.rank() == 2 && w_hh.rank() == 2, "rank", "x has shape ",
             x.shape(), " and the weights ", w_ih.shape(), " and ", w_hh.shape(),
             "; weights must be matrices");
  const Dim size = w_hh.dim(1), all = size * gates;
  cx.require(same(w_ih.dim(0), all) != Tri::kNo && same(w_hh.dim(0), all) != Tri::kNo &&
                 same(w_ih.dim(1), x.dim(-1)) != Tri::kNo,
             "weights", "the weights have shapes ", w_ih.shape(), " and ", w_hh.shape(),
             "; for x of shape ", x.shape(), " and ", gates, " gates of size ", size,
             " they must be ", Shape{all, x.dim(-1)}, " and ", Shape{all, size});
  for (const Tensor& bias : biases) {
    if (!bias.defined()) continue;
    cx.require(same(bias.shape(), Shape{all}) != Tri::kNo, "weights", "a bias has shape ",
               bias.shape(), "; it must be ", Shape{all});
  }
  for (const Tensor& state : states) {
    cx.require(state.rank() >= 1 && same(state.dim(-1), size) != Tri::kNo, "states",
               "a state has shape ", state.shape(), "; its last axis must be ", size, " long");
  }
}

Tensors sequence(const InferCtx& cx, const SequenceAttrs& at, TensorSpan in, size_t states,
                 int64_t gates, Layer layer) {
  cx.require(in[0].rank() == 3, "rank", "x has shape ", in[0].shape(),
             "; it must be [time, batch, features], or [batch, time, features] with batch_first");
  constexpr int64_t kMostLayers = 1 << 20;
  cx.require(1 <= at.num_layers && at.num_layers <= kMostLayers, "layers", "num_layers is ",
             at.num_layers, "; it must be between 1 and ", kMostLayers);
  Tensor x = at.batch_first ? permute_dims(in[0], {1, 0, 2}) : in[0];
  const Stack stack{cx, at, in, states, gates, layer, mask_of(cx, at, x.dim(0), x.dim(1))};
  const int64_t directions = stack.directions(), count = at.num_layers * directions;
  const size_t expected = 1 + states + static_cast<size_t>(count) * stack.per_direction();
  cx.require(in.size() == expected, "count", "there are ", in.size() - 1 - states, " weights, but ",
             at.num_layers, " layers in ", directions, " directions have ", expected - 1 - states);
  for (size_t s = 0; s < states; ++s) {
    const Tensor& first = in[1 + s];
    cx.require(first.rank() == 3 && same(first.dim(0), count) != Tri::kNo &&
                   same(first.dim(1), x.dim(1)) != Tri::kNo,
               "states", "first states have shape ", first.shape(), "; they must be [", count, ", ",
               x.dim(1), ", size]");
  }
  std::vector<Tensors> last(states);
  const Tensor zero = Tensor::scalar(x.dtype(), 0);
  for (int64_t l = 0; l < at.num_layers; ++l) {
    Tensors sides;
    for (int64_t d = 0; d < directions; ++d) {
      const Tensors out = stack.direction(x, l * directions + d, d == 1);
      for (size_t s = 0; s < states; ++s) {
        last[s].push_back(select_row(out[s], out[s].dim(0).value() - 1));
      }
      const Tensor all = d == 1 ? flipped(out[0]) : out[0];
      sides.push_back(masked(stack.mask, all, zero, Where{}));
    }
    x = sides.size() == 1 ? sides[0] : concat(sides, -1);
  }
  Tensors out{at.batch_first ? permute_dims(x, {1, 0, 2}) : x};
  for (const Tensors& each : last) out.push_back(weft::stack(each, 0));
  return out;
}

}  // namespace weft::recurrent
