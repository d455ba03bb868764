// gaussian_nll_loss: how unlikely values are under normal distributions of given variance.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/loss/loss_floating.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct GaussianAttrs {
  bool full = false;
  double eps = 1e-6;
  std::string reduction = "mean";
  static constexpr auto fields =
      fields_of(field("full", &GaussianAttrs::full, "add the constant log(2 pi) / 2"),
                field("eps", &GaussianAttrs::eps, "the least variance"),
                field("reduction", &GaussianAttrs::reduction,
                      "\"mean\", \"sum\", or \"none\" for all of them"));
};

Tensors compose_gaussian_nll_loss(const GaussianAttrs& at, TensorSpan in) {
  const InferCtx cx{"gaussian_nll_loss"};
  const auto [input, target] = loss_inputs(cx.op, in);
  const Tensor given = loss_floating(cx.op, in[2]);
  const Shape both = cx.broadcast(input.shape(), given.shape());
  cx.require(decide_same(both, input.shape()) != Tri::kNo, "variance", "variance has shape ",
             given.shape(), " but input has shape ", input.shape(),
             "; it must broadcast to the input's");
  const Tensor variance = maximum(given, at.eps);
  const Tensor distance = square(input - target) / variance;
  Tensor losses = (log(variance) + distance) * 0.5;
  constexpr double kHalfLogTwoPi = 0.9189385332046727;
  if (at.full) losses = losses + kHalfLogTwoPi;
  return {reduced_loss(cx.op, losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kGaussianNllLoss{
    .name = "gaussian_nll_loss",
    .module = "nn",
    .doc =
        "`(log(v) + (input - target)^2 / v) / 2` with `v` the variance, at least `eps`; with "
        "`full` the constant part too. Of these the mean, the sum or, with \"none\", all. One "
        "variance for several values has the shape of the input with 1 on their axes.",
    .inputs = {"input: floating", "target: like input", "variance: like input"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<GaussianAttrs>(),
    .laws = {kLossShapeLaw, kReductionLaw, Law{"variance", "`variance` broadcasts to `input`"}},
    .compose = rule<compose_gaussian_nll_loss>(),
    .known_as = {Alias{"torch", "nn.functional.gaussian_nll_loss"}},
};

Tensor nn::gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& variance,
                             bool full, double eps, Reduction reduction, Where where) {
  return compose(kGaussianNllLoss, inputs(input, target, variance),
                 GaussianAttrs{full, eps, reduction_text(reduction)}, where);
}

}  // namespace weft
