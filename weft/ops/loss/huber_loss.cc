// huber_loss: squares for small differences, straight lines for large ones.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

struct HuberAttrs {
  double delta = 1;
  std::string reduction = "mean";
  static constexpr auto fields = fields_of(
      field("delta", &HuberAttrs::delta, "where squares end and lines begin"),
      field("reduction", &HuberAttrs::reduction, "\"mean\", \"sum\", or \"none\" for all of them"));
};

Tensors compose_huber_loss(const HuberAttrs& at, TensorSpan in) {
  InferCtx{"huber_loss"}.require(at.delta > 0, "delta", "delta is ", at.delta,
                                 "; it must be greater than 0");
  const auto [input, target] = loss_inputs("huber_loss", in);
  return {reduced_loss("huber_loss", huber_each(input, target, at.delta), at.reduction)};
}

}  // namespace

constinit const CompositeDef kHuberLoss{
    .name = "huber_loss",
    .module = "nn",
    .doc =
        "With `d = |input - target|`: `d^2 / 2` up to `delta`, `delta * (d - delta / 2)` beyond; "
        "of "
        "these the mean, the sum or, with \"none\", all.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<HuberAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw, Law{"delta", "`delta` is greater than 0"}},
    .compose = rule<compose_huber_loss>(),
    .known_as = {Alias{"torch", "nn.functional.huber_loss"}, Alias{"optax", "huber_loss"},
                 Alias{"tf", "keras.losses.huber"}},
};

Tensor nn::huber_loss(const Tensor& input, const Tensor& target, double delta, Reduction reduction,
                      Where where) {
  return compose(kHuberLoss, inputs(input, target), HuberAttrs{delta, reduction_text(reduction)},
                 where);
}

}  // namespace weft
