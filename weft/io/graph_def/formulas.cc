// Ops that TensorFlow lacks, by formulas of ops that it has.
#include <limits>

#include "weft/control/control.h"
#include "weft/io/graph_def/staged.h"
#include "weft/op/apply.h"
#include "weft/op/scan_order.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/conv.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/norm/norm.h"
#include "weft/ops/recurrent/recurrent.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/reduce/segment.h"
#include "weft/ops/shape/dynamic_slice.h"
#include "weft/ops/shape/index_at.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"
#include "weft/state/state.h"

namespace weft::io {
namespace {

template <class Attrs>
const Attrs& attributes(const Writer& w) {
  return *static_cast<const Attrs*>(w.node().attributes());
}

// 0, 1, .. along one of `rank` axes.
Tensor places_along(Dim size, int64_t axis, int64_t rank, Where where) {
  Shape shape(static_cast<size_t>(rank), Dim(1));
  shape[static_cast<size_t>(axis)] = size;
  return reshape(arange(size_value(size, where), where), shape, where);
}

Tensors sorted(const Writer& w, TensorSpan in) {
  const auto& at = attributes<SortAttrs>(w);
  if (in[0].rank() == 0) return {in[0]};
  const Where where = w.node().where;
  const Tensor order = apply(kArgsort, inputs(in[0]), at, where);
  return {gather(in[0], order, at.axis, where)};
}

Tensors scattered(const Writer& w, TensorSpan in) {
  const Where where = w.node().where;
  const int64_t rank = in[0].rank();
  const int64_t along = normalized(attributes<AlongAxisAttrs>(w).axis, rank);
  Tensors indices;
  IndexAtAttrs at;
  for (int64_t axis = 0; axis < rank; ++axis) {
    indices.push_back(axis == along ? in[1] : places_along(in[1].dim(axis), axis, rank, where));
    at.axes.push_back(axis);
  }
  return {add_at(in[0], in[2], indices, at, where)};
}

Tensors taken_back(const Writer& w, TensorSpan in) {
  const int64_t axis = w.attribute<int64_t>("axis");
  const Tensor none = zeros(w.output_type().shape, in[0].dtype(), w.node().where);
  return {add_at(none, in[0], in.subspan(1), IndexAtAttrs{{axis}, axis}, w.node().where)};
}

// The least value that `dtype` has, or the greatest.
Tensor extreme(DType dtype, bool is_least) {
  if (is_floating(dtype)) {
    return Tensor::scalar(dtype, is_least ? -__builtin_inf() : __builtin_inf());
  }
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  if (dtype == DType::kBool) return Tensor::scalar(dtype, is_least ? 0 : 1);
  const Tensor all = bitwise_invert(Tensor::scalar(dtype, 0));
  if (is_unsigned_integer(dtype)) return is_least ? Tensor::scalar(dtype, 0) : all;
  const Tensor top = bitwise_left_shift(Tensor::scalar(dtype, 1), Tensor::scalar(dtype, bits - 1));
  return is_least ? top : bitwise_invert(top);
}

using UpdateAt = Tensor (*)(const Tensor&, const Tensor&, TensorSpan, const IndexAtAttrs&, Where);

// Rows go to where their ids say; the axes of a batch count along.
Tensors segments(const Writer& w, TensorSpan in, const Tensor& empty, UpdateAt update) {
  const Where where = w.node().where;
  const int64_t batch = attributes<SegmentAttrs>(w).batch_axes;
  IndexAtAttrs at;
  Tensors indices;
  for (int64_t axis = 0; axis < batch; ++axis) {
    indices.push_back(places_along(in[1].dim(axis), axis, in[1].rank(), where));
    at.axes.push_back(axis);
  }
  indices.push_back(in[1]);
  at.axes.push_back(batch);
  const Tensor none = broadcast_to(empty, w.output_type().shape, where);
  return {update(none, in[0], indices, at, where)};
}
Tensors segment_sum(const Writer& w, TensorSpan in) {
  return segments(w, in, Tensor::scalar(in[0].dtype(), 0), add_at);
}
Tensors segment_max(const Writer& w, TensorSpan in) {
  return segments(w, in, extreme(in[0].dtype(), true), max_at);
}
Tensors segment_min(const Writer& w, TensorSpan in) {
  return segments(w, in, extreme(in[0].dtype(), false), min_at);
}

Tensors numbers_sum(const Writer& w, TensorSpan in) {
  const auto& at = attributes<SumAttrs>(w);
  const Where where = w.node().where;
  const Tensor numbers =
      weft::where(isnan(in[0], where), Tensor::scalar(in[0].dtype(), 0), in[0], where);
  return {apply(kSum, inputs(numbers), at, where)};
}

// Steps along an axis of all inputs: `step` carries one row on.
Tensor along_axis(const Writer& w, TensorSpan in, const Tensor& first, FlatFunction step) {
  const Where where = w.node().where;
  const Ints axis{normalized(w.attribute<int64_t>("axis"), in[0].rank())}, front{0};
  Tensors rows;
  for (const Tensor& x : in) rows.push_back(moveaxis(x, axis, front, where));
  const ScanResult out = scan_flat(step, inputs(first), rows, {}, where);
  return moveaxis(out.rows[0], front, axis, where);
}

Shape row_shape(const Writer& w) {
  Shape out = w.output_type().shape;
  out.erase(static_cast<size_t>(normalized(w.attribute<int64_t>("axis"), w.input_type(0).rank())));
  return out;
}

Tensors recurrence(const Writer& w, TensorSpan in) {
  const DType dtype = in[0].dtype(), wide = scan_total_of(dtype);
  const auto step = [&](TensorSpan x) {
    const Tensor grown = cast(x[1], wide) * x[0];
    const Tensor h = grown + cast(x[2], wide);
    return Tensors{h, cast(h, dtype)};
  };
  return {along_axis(w, in, zeros(row_shape(w), wide, w.node().where), step)};
}

// The place of the best so far: it is better to be NaN, then to be greater (or less).
Tensors running_extremum(const Writer& w, TensorSpan in) {
  const bool is_largest = w.attribute<bool>("largest");
  const Where where = w.node().where;
  const int64_t axis = normalized(w.attribute<int64_t>("axis"), in[0].rank());
  const Tensor ids = broadcast_to(places_along(in[0].dim(axis), axis, in[0].rank(), where),
                                  Shape(in[0].shape()), where);
  const Ints from{axis}, front{0};
  const Tensor rows = moveaxis(in[0], from, front, where);
  const Tensor numbers = moveaxis(ids, from, front, where);
  const DType dtype = in[0].dtype();
  const auto step = [&](TensorSpan x) {
    const Tensor &best = x[0], &place = x[1], &now = x[2], &here = x[3];
    Tensor wins = is_largest ? greater(now, best) : less(now, best);
    wins = logical_or(wins, equal(place, Tensor(-1)));
    if (is_floating(dtype)) {
      wins = logical_and(logical_or(wins, isnan(now)),
                         logical_or(logical_not(isnan(best)), equal(place, Tensor(-1))));
    }
    const Tensor next = weft::where(wins, here, place);
    return Tensors{weft::where(wins, now, best), next, next};
  };
  const Tensor none = zeros(row_shape(w), dtype, where);
  const Tensor nowhere = broadcast_to(Tensor(-1), row_shape(w), where);
  const ScanResult out = scan_flat(step, inputs(none, nowhere), inputs(rows, numbers), {}, where);
  return {moveaxis(out.rows[0], front, from, where)};
}

Tensors window(const Writer& w, TensorSpan in) {
  const Where where = w.node().where;
  const Tensors indices =
      window_indices(in[0].shape(), in.subspan(1), w.output_type().shape, where);
  return {index_at(in[0], indices, all_axes(in[0].rank()), where)};
}
Tensors updated_window(const Writer& w, TensorSpan in) {
  const Where where = w.node().where;
  const Tensors indices = window_indices(in[0].shape(), in.subspan(2), Shape(in[1].shape()), where);
  return {set_at(in[0], in[1], indices, all_axes(in[0].rank()), where)};
}

// With all scores at once.
Tensors attention(const Writer& w, TensorSpan in) {
  const Where where = w.node().where;
  const Tensor mask = in.size() > 3 ? in[3] : Tensor();
  const PlainAttention plain(attributes<FlashAttrs>(w), in[0], in[1], in[2], mask, where);
  const Tensor lse = logsumexp(plain.scores(), Ints{-1}, true, where);
  const Tensor out = matmul(plain.probabilities(lse), plain.v, where);
  return {out, reshape(lse, w.output_type(1).shape, where)};
}

// One value for each row of x.
Tensor of_rows(const Tensor& value, const Tensor& x, Where where) {
  Shape shape(x.shape());
  shape.back() = 1;
  return reshape(value, shape, where);
}

Tensors label_losses(const Writer& w, TensorSpan in) {
  const Where where = w.node().where;
  const Tensor labels = of_rows(in[1], in[0], where);
  const Tensor losses = logsumexp(in[0], Ints{-1}, true, where) - gather(in[0], labels, -1, where);
  return {reshape(losses, w.output_type().shape, where)};
}

Tensors label_slopes(const Writer& w, TensorSpan in) {
  const Where where = w.node().where;
  const Tensor& x = in[0];
  const Tensor labels = cast(of_rows(in[1], x, where), DType::kI64, where);
  const Tensor classes = places_along(x.dim(-1), x.rank() - 1, x.rank(), where);
  const Tensor is_label = cast(equal(classes, labels, where), x.dtype(), where);
  return {(softmax(x, -1, where) - is_label) * of_rows(in[2], x, where)};
}

// The gradient of a convolution's window is a convolution of the input by the cotangent: batch and
// channels, and steps and dilation, change places. What is beyond the taps is cut off.
Tensors window_gradient(const Writer& w, TensorSpan in) {
  const auto& at = attributes<ConvDwAttrs>(w);
  const Where where = w.node().where;
  if (at.groups != 1) w.fail_op("has groups of channels");
  const int64_t rank = in[0].rank();
  Ints to_channels{rank - 1}, to_window;
  for (int64_t i = 1; i < rank - 1; ++i) {
    to_channels.push_back(i);
    to_window.push_back(i);
  }
  to_channels.push_back(0);
  to_window.push_back(0);
  to_window.push_back(rank - 1);
  ConvAttrs conv{.stride = at.dilation,
                 .dilation = at.stride,
                 .low = at.low,
                 .high = at.high,
                 .input_dilation = at.input_dilation};
  const Tensor all = apply(
      kConv, inputs(permute_dims(in[0], to_channels, where), permute_dims(in[1], to_window, where)),
      conv, where);
  Index taps{{IndexItem::Kind::kRange, {}, {}, 1}};
  for (const int64_t count : at.taps) taps.push_back({IndexItem::Kind::kRange, 0, count, 1});
  Ints order;
  for (int64_t i = 1; i < rank - 1; ++i) order.push_back(i);
  order.push_back(0);
  order.push_back(rank - 1);
  return {permute_dims(slice(all, taps, where), order, where)};
}

// A recurrent network in the dtype its steps are computed in.
class Sequence {
 public:
  explicit Sequence(const Writer& w, TensorSpan in) : w_(w), dtype_(in[0].dtype()) {
    for (const Tensor& x : in) {
      in_.push_back(x.dtype() == DType::kBool ? x : cast(x, compute_of(dtype_)));
    }
  }
  const Tensor& operator[](size_t i) const { return in_[i]; }

  // The rows that `step` gives of `x` and, where there is one, of the mask.
  Tensors scan(TensorSpan first, size_t mask, FlatFunction step) const {
    Tensors rows{in_[0]};
    if (mask < in_.size()) rows.push_back(in_[mask]);
    Tensors out;
    for (const Tensor& row : scan_flat(step, first, rows, {}, w_.node().where).rows) {
      out.push_back(cast(row, dtype_));
    }
    return out;
  }

 private:
  const Writer& w_;
  const DType dtype_;
  Tensors in_;
};

Tensor mask_of(TensorSpan row, size_t i) { return i < row.size() ? row[i] : Tensor(); }

Tensors rnn(const Writer& w, TensorSpan in) {
  const Sequence sequence(w, in);
  const bool is_relu = attributes<RnnScanAttrs>(w).relu;
  const Where where = w.node().where;
  return sequence.scan(inputs(sequence[2]), 3, [&](TensorSpan x) {
    const Tensor a = x[1] + recurrent::times_transposed(x[0], sequence[1], where);
    const Tensor h = recurrent::masked(mask_of(x, 2), is_relu ? relu(a) : tanh(a), x[0], where);
    return Tensors{h, h};
  });
}

Tensors lstm(const Writer& w, TensorSpan in) {
  const Sequence sequence(w, in);
  const Where where = w.node().where;
  return sequence.scan(inputs(sequence[2], sequence[3]), 4, [&](TensorSpan x) {
    const Tensor a = x[2] + recurrent::times_transposed(x[0], sequence[1], where);
    const Tensors gates = recurrent::gates_of(a, 4, where);
    const Tensor cell = sigmoid(gates[1]) * x[1] + sigmoid(gates[0]) * tanh(gates[2]);
    const Tensor state = sigmoid(gates[3]) * tanh(cell), mask = mask_of(x, 3);
    const Tensor h = recurrent::masked(mask, state, x[0], where);
    const Tensor c = recurrent::masked(mask, cell, x[1], where);
    return Tensors{h, c, h, c, a};
  });
}

Tensors gru(const Writer& w, TensorSpan in) {
  const Sequence sequence(w, in);
  const Where where = w.node().where;
  return sequence.scan(inputs(sequence[3]), 4, [&](TensorSpan x) {
    const Tensors u =
        recurrent::gates_of(recurrent::times_transposed(x[0], sequence[1], where), 3, where);
    const Tensors given = recurrent::gates_of(x[1], 3, where);
    const Tensor r = given[0] + u[0], z = given[1] + u[1], n = u[2] + sequence[2];
    const Tensor stays = sigmoid(z);
    const Tensor state = (1.0 - stays) * tanh(given[2] + sigmoid(r) * n) + stays * x[0];
    const Tensor h = recurrent::masked(mask_of(x, 2), state, x[0], where);
    return Tensors{h, h, concat(inputs(r, z, n, given[2]), -1, where)};
  });
}

constexpr Formula kFormulas[] = {
    {"sort", sorted},
    {"scatter_add", scattered},
    {"take.vjp", taken_back},
    {"dynamic_slice", window},
    {"dynamic_update_slice", updated_window},
    {"segment_sum", segment_sum},
    {"segment_max", segment_max},
    {"segment_min", segment_min},
    {"nansum.numbers", numbers_sum},
    {"linear_recurrence", recurrence},
    {"cummax.indices", running_extremum},
    {"nn.flash_attention", attention},
    {"nn.cross_entropy.rows", label_losses},
    {"nn.cross_entropy.vjp", label_slopes},
    {"nn.conv.dw", window_gradient},
    {"nn.rnn.scan", rnn},
    {"nn.lstm.scan", lstm},
    {"nn.gru.scan", gru},
};

}  // namespace

std::span<const Formula> formulas() { return kFormulas; }

}  // namespace weft::io
