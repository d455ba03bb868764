// huber_loss.each: Huber's function of each difference; huber_loss and smooth_l1_loss in one pass.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// With c the distance d cut to delta: c * (d - c / 2) is both pieces at once.
Expr meaning(Expr input, Expr target, Expr delta) {
  const Expr distance = abs(input - target), inside = minimum(distance, delta);
  return inside * (distance - inside * 0.5);
}

// The difference, cut to [-delta, delta].
constexpr auto kCut = [](auto input, auto target, auto delta) {
  const auto difference = input - target;
  const auto low = -delta, cut = where(difference < low, low, difference);
  return where(difference > delta, delta, cut);
};

}  // namespace

constinit const OpDef kHuberEach{
    .name = "huber_loss.each",
    .module = "nn",
    .doc =
        "With `d = |input - target|`: `d^2 / 2` up to `delta`, `delta * (d - delta / 2)` beyond. "
        "What `huber_loss` and `smooth_l1_loss` are made of.",
    .inputs = {"input: floating", "target: like input", "delta: like input"},
    .outputs = {"out: like input"},
    .infer = infer::broadcast,
    .grad = derive::partials<
        [](auto input, auto target, auto delta, auto) { return kCut(input, target, delta); },
        [](auto input, auto target, auto delta, auto) { return -kCut(input, target, delta); },
        [](auto input, auto target, auto delta, auto) {
          const auto beyond = abs(input - target) - delta;
          return where(beyond > decltype(beyond)(0.0), beyond, scalar_like(input, 0.0));
        }>(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

Tensor huber_each(const Tensor& input, const Tensor& target, double delta) {
  return apply(kHuberEach, inputs(input, target, Tensor(delta)), kNoAttrs, Where::here());
}

}  // namespace weft
