// What the scans of recurrent networks share: shapes, steps of time, batches.
#include "weft/ops/recurrent/recurrent.h"

#include "weft/op/apply.h"
#include "weft/op/per_example.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
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

void require_backward(const InferCtx& cx, const Shape& inside, int64_t parts, const Shape& weight,
                      int64_t gates, std::span<const Shape* const> others, const Shape* mask) {
  bool fits = inside.size() == 3 && weight.size() == 2;
  for (const Shape* each : others) fits = fits && each->size() == 3;
  cx.require(fits, "rank", "inputs have shapes ", inside, ", ", *others[0], " and ", *others.back(),
             ", the weight ", weight, "; they must be [time, batch, ..] and [gates * size, size]");
  const Dim size = weight[1], all = size * gates;
  cx.require(same(weight[0], all) != Tri::kNo && same(inside[2], size * parts) != Tri::kNo, "shape",
             "input 0 has shape ", inside, " and weight ", weight, "; with size ", size,
             " they must have ", size * parts, " and ", all, " numbers of gates");
  const Shape state{inside[0], inside[1], size}, flags{inside[0], inside[1], 1};
  for (const Shape* each : others) {
    cx.require(same(*each, state) != Tri::kNo, "shape", "an input has shape ", *each,
               "; it must be ", state);
  }
  cx.require(mask == nullptr || same(*mask, flags) != Tri::kNo, "shape", "the mask has shape ",
             mask == nullptr ? flags : *mask, "; it must be ", flags);
}

Types step_types(const InferCtx& cx, TypeSpan in, size_t outputs) {
  cx.require(!in[0].shape.empty(), "rank", "the inputs have rank 0; they need an axis");
  for (size_t i = 1; i < in.size(); ++i) {
    Shape wanted = in[0].shape;
    if (i + 1 == in.size()) wanted.back() = 1;
    cx.require(same(in[i].shape, wanted) != Tri::kNo, "shape", "input ", i, " has shape ",
               in[i].shape, ", but input 0 has shape ", in[0].shape, "; it must be ", wanted);
  }
  return Types(outputs, in[0]);
}

Tensor at_time(const Tensor& x, int64_t t, Where where) { return select_row(x, t, where); }

Tensor shifted(const Tensor& first, const Tensor& states, Where where) {
  if (states.dim(0) == Dim(0)) return states;
  IndexItem all_but_last;
  all_but_last.stop = -1;
  const Tensor later = slice(states, Index{all_but_last}, where);
  return concat(inputs(expand_dims(first, 0, where), later), 0, where);
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
  const Tensor states = rows(h);
  return matmul(permute_dims(rows(g), {1, 0}, where), states, where);
}

Tensor or_zeros(const Tensor& g, const Tensor& like, Where where) {
  return g.defined() ? g : zeros(Shape(like.shape()), like.dtype(), where);
}

ByStates::ByStates(const Tensor& by_u, const Tensor& weight, const Tensor& g, Where where) : g(g) {
  const int64_t steps = g.dim(0).value();
  if (!by_u.defined() || steps == 0) return;
  const Tensor by_h = matmul(by_u, weight, where);
  first = at_time(by_h, 0, where);
  IndexItem behind_first;
  behind_first.start = 1;
  const Tensor none = zeros(Shape{1, g.dim(1), g.dim(2)}, g.dtype(), where);
  this->g = g + concat(inputs(slice(by_h, Index{behind_first}, where), none), 0, where);
}

Tensor over_time(const Tensors& steps, const Tensor& none, Where where) {
  return steps.empty() ? none : stack(steps, 0, where);
}

Tensor masked(const Tensor& mask, const Tensor& value, const Tensor& before, Where line) {
  return mask.defined() ? where(mask, value, before, line) : value;
}

Tensor mask_at(const Tensor& mask, int64_t t, Where where) {
  return mask.defined() ? at_time(mask, t, where) : mask;
}
Tensor inside_only(const Tensor& mask, const Tensor& x, Where line) {
  return mask.defined() ? where(mask, x, scalar_like(x, 0), line) : x;
}
Tensor outside_only(const Tensor& mask, const Tensor& x, Where line) {
  const Tensor zero = scalar_like(x, 0);
  return mask.defined() ? where(mask, zero, x, line) : zero;
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
    const bool is_timed = each.rank() == 3;
    const Dim own = floor_div(each.dim(is_timed ? 1 : 0), cx.size);
    if (!is_timed) {
      each = reshape(each, Shape{cx.size, own, each.dim(1)}, cx.where);
      continue;
    }
    each = permute_dims(reshape(each, Shape{each.dim(0), cx.size, own, each.dim(2)}, cx.where),
                        {1, 0, 2, 3}, cx.where);
  }
  return out;
}

}  // namespace weft::recurrent
