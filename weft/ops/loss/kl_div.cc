// kl_div: the Kullback-Leibler divergence, pointwise, from log-probabilities.
#include "weft/op/apply.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct KlDivAttrs {
  bool log_target = false;
  std::string reduction = "mean";
  static constexpr auto fields =
      fields_of(field("log_target", &KlDivAttrs::log_target, "are targets log-probabilities too?"),
                field("reduction", &KlDivAttrs::reduction,
                      "\"mean\", \"sum\", \"batchmean\" (the sum by the size of axis 0: the "
                      "divergence itself), or \"none\" for all of them"));
};

Tensors compose_kl_div(const KlDivAttrs& at, TensorSpan in) {
  const InferCtx cx{"kl_div"};
  const auto [input, target] = loss_inputs("kl_div", in);
  const bool by_batch = at.reduction == "batchmean";
  const bool is_known =
      by_batch || at.reduction == "mean" || at.reduction == "sum" || at.reduction == "none";
  cx.require(is_known, "reduction", "reduction is \"", at.reduction,
             "\"; it must be \"mean\", \"batchmean\", \"sum\" or \"none\"");
  if (by_batch) cx.require(input.rank() > 0, "batch", "input has rank 0; batchmean needs an axis");
  const Tensor probability = at.log_target ? exp(target) : target;
  // The logarithm never sees a probability of 0, and what it gives there does not count.
  const Tensor log_target = at.log_target ? target : log(where(equal(target, 0.0), 1.0, target));
  const Tensor losses = counted_by(probability, log_target - input);
  if (by_batch) {
    const Tensor examples = divisor(input, Ints{0});
    return {sum(losses) / examples};
  }
  return {reduced_loss("kl_div", losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kKlDiv{
    .name = "kl_div",
    .module = "nn",
    .doc =
        "`target * (log(target) - input)`, where `input` are log-probabilities and so, with "
        "`log_target`, are targets; 0 where the target's probability is 0. Of these the mean, the "
        "sum or, with \"none\", all; \"batchmean\" gives the divergence of the distributions "
        "along the other axes.",
    .inputs = {"input: floating", "target: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<KlDivAttrs>(),
    .laws = {kLossShapeLaw,
             Law{"reduction", "`reduction` is \"mean\", \"batchmean\", \"sum\" or \"none\""},
             Law{"batch", "\"batchmean\" needs an axis"}},
    .compose = rule<compose_kl_div>(),
    .known_as = {Alias{"torch", "nn.functional.kl_div"},
                 Alias{
                     "tf",
                     "keras.losses.kl_divergence: it takes targets first, and probabilities; ours "
                     "the logarithms of the predicted ones first"},
                 Alias{"optax", "kl_divergence"}},
};

Tensor nn::kl_div(const Tensor& input, const Tensor& target, bool log_target, Reduction reduction,
                  Where where) {
  return compose(kKlDiv, inputs(input, target), KlDivAttrs{log_target, reduction_text(reduction)},
                 where);
}

}  // namespace weft
