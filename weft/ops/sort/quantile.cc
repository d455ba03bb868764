// quantile: the element at a given part of the order.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sorted_rows.h"

namespace weft {
namespace {

void require_fractions(const InferCtx& cx, TensorSpan q, const Ints&) {
  if (q[0].numel() == 0) return;
  const Tensor wide = cast(q[0], DType::kF64);
  const double least = min(wide).item(), greatest = max(wide).item();
  cx.require(least >= 0 && greatest <= 1, "q", "q goes from ", least, " to ", greatest,
             "; it must be between 0 and 1");
}

// Between the two neighbours of place q * (n - 1).
Tensors compose_quantile(const ReduceAttrs& at, TensorSpan in) {
  const InferCtx cx{"quantile"};
  const Tensor given = as_floating(cx.op, in[0]);
  cx.require_type(!is_complex(in[1].dtype()), "dtype", "q has dtype ", in[1].dtype(),
                  ", but must be floating; cast it first");
  const Tensor q = checked(kQuantileQ, in[1]);
  const DType wide = compute_of(given.dtype());
  const SortedRows sorted(cx, cast(given, wide), at);
  const Dim count = num_elements(q.shape());
  const Tensor place =
      clip(reshape(cast(q, wide), Shape{count}), 0.0, 1.0) * static_cast<double>(sorted.n - 1);
  const Tensor below = floor(stop_gradient(place));
  const Tensor above = minimum(below + 1.0, static_cast<double>(sorted.n - 1));
  const int64_t last_axis = sorted.rows.rank() - 1;
  const Tensor low = take(sorted.rows, cast(below, DType::kI64), last_axis);
  const Tensor next = take(sorted.rows, cast(above, DType::kI64), last_axis);
  const Tensor part = place - below;
  // An infinite neighbour has no part in an element that is met exactly.
  const Tensor is_infinite = isinf(next);
  const Tensor high = where(logical_and(part == 0.0, is_infinite), low, next);
  const Tensor of_high = high * part, mixed = low * (1.0 - part) + of_high;
  const Tensor between = where(low == high, low, mixed);
  const Tensor last = expand_dims(sorted.at(sorted.n - 1), -1);
  Ints to_front{last_axis};
  for (int64_t i = 0; i < last_axis; ++i) to_front.push_back(i);
  Shape out(q.shape());
  for (Dim dim : sorted.kept) out.push_back(dim);
  return {
      cast(reshape(permute_dims(where(isnan(last), last, between), to_front), out), given.dtype())};
}

}  // namespace

constinit const ValueCheck kQuantileQ{"quantile", "q", require_fractions};

constinit const CompositeDef kQuantile{
    .name = "quantile",
    .doc =
        "The element at `q * (n - 1)` of the `n` over `axis` in order, between its neighbours by "
        "linear interpolation; NaN if there is a NaN. The axes of `q`, between 0 and 1, come first "
        "in the result. Axes without elements raise. Integers and bools become float32.",
    .inputs = {"x: floating", "q: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .laws = {Law{"empty", "the axes have elements"}, Law{"dtype", "q is floating"},
             Law{"q", "q is between 0 and 1"}},
    .compose = rule<compose_quantile>(),
    .known_as = {Alias{"numpy", "quantile"}, Alias{"torch", "quantile"},
                 Alias{"jax", "numpy.quantile"}},
};

Tensor quantile(const Tensor& x, const Tensor& q, std::optional<Ints> axis, bool keepdims,
                Where where) {
  return compose(kQuantile, inputs(x, q), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
