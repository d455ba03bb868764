// logsumexp: log(sum(exp(x))) over axes, without overflow.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// The shift is the greatest element where that is finite; its gradient cancels, so it is cut. A sum
// of 0 (only -inf in the row) is replaced before the log, so that no 0 * inf appears in gradients.
Tensors compose_logsumexp(const ReduceAttrs& at, TensorSpan in) {
  const Tensor given = as_floating("logsumexp", in[0]);
  const Tensor x = cast(given, compute_of(given.dtype()));
  const InferCtx cx{"logsumexp"};
  const Ints axes = reduced_axes(cx, x.shape(), at.axis);
  const Shape shape = reduced_shape(cx, x.shape(), at.axis, at.keepdims);
  const double lowest = -__builtin_inf();
  if (reduced_count(x.shape(), axes) == Dim(0)) {
    return {broadcast_to(Tensor::scalar(given.dtype(), lowest), shape)};
  }
  const Tensor greatest = stop_gradient(max(x, axes, /*keepdims=*/true));
  const Tensor shift = where(isfinite(greatest), greatest, 0.0);
  const Tensor total = sum(exp(x - shift), axes, /*keepdims=*/true);
  const Tensor nothing = equal(total, 0.0);
  const Tensor out = where(nothing, lowest, log(where(nothing, 1.0, total)) + shift);
  return {cast(reshape(out, shape), given.dtype())};
}

}  // namespace

constinit const CompositeDef kLogsumexp{
    .name = "logsumexp",
    .doc =
        "`log(sum(exp(x)))` over `axis`, without overflow. Where all elements are -inf, or there "
        "are none, it is -inf, with gradient 0. Integers and bools become float32.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ReduceAttrs>(),
    .compose = rule<compose_logsumexp>(),
    .known_as = {Alias{"scipy", "special.logsumexp"}, Alias{"torch", "logsumexp"},
                 Alias{"jax", "nn.logsumexp"}, Alias{"tf", "reduce_logsumexp"}},
};

Tensor logsumexp(const Tensor& x, std::optional<Ints> axis, bool keepdims, Where where) {
  return compose(kLogsumexp, inputs(x), ReduceAttrs{std::move(axis), keepdims}, where);
}

}  // namespace weft
