// triplet_margin_loss: nearer to the positive than to the negative, by a margin.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/loss/loss.h"
#include "weft/ops/loss/loss_floating.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct TripletAttrs {
  double margin = 1;
  double p = 2;
  bool swap = false;
  std::string reduction = "mean";
  static constexpr auto fields =
      fields_of(field("margin", &TripletAttrs::margin, "how much nearer the positive should be"),
                field("p", &TripletAttrs::p, "the norm by which distances are measured"),
                field("swap", &TripletAttrs::swap,
                      "take the distance of positive and negative if that is less"),
                field("reduction", &TripletAttrs::reduction,
                      "\"mean\", \"sum\", or \"none\" for all of them"));
};

// A little is added to every difference, so that equal vectors have a derivative.
Tensor distance(const Tensor& a, const Tensor& b, double p) {
  return norm(a - b + 1e-6, Ints{-1}, p);
}

Tensors compose_triplet_margin_loss(const TripletAttrs& at, TensorSpan in) {
  const InferCtx cx{"triplet_margin_loss"};
  cx.require(at.p >= 1, "p", "p is ", at.p, "; it must be at least 1");
  const auto [anchor, positive] = loss_inputs(cx.op, in);
  const Tensor negative = loss_floating(cx.op, in[2]);
  cx.require(decide_same(anchor.shape(), negative.shape()) != Tri::kNo, "shape",
             "anchor has shape ", anchor.shape(), " but negative has shape ", negative.shape(),
             "; they must be equal");
  cx.require(anchor.rank() > 0, "rank", "the inputs have rank 0; vectors are along the last axis");
  Tensor apart = distance(anchor, negative, at.p);
  if (at.swap) apart = minimum(apart, distance(positive, negative, at.p));
  const Tensor losses = relu(distance(anchor, positive, at.p) - apart + at.margin);
  return {reduced_loss(cx.op, losses, at.reduction)};
}

}  // namespace

constinit const CompositeDef kTripletMarginLoss{
    .name = "triplet_margin_loss",
    .module = "nn",
    .doc =
        "`max(0, d(anchor, positive) - d(anchor, negative) + margin)`, with `d(a, b)` the `p`-norm "
        "of `a - b + 1e-6` along the last axis; of these the mean, the sum or, with \"none\", all.",
    .inputs = {"anchor: floating", "positive: like anchor", "negative: like anchor"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<TripletAttrs>(),
    .laws = {Law{"shape", "the three inputs have one shape"}, kReductionLaw,
             Law{"rank", "the inputs have an axis"}, Law{"p", "`p` is at least 1"}},
    .compose = rule<compose_triplet_margin_loss>(),
    .known_as = {Alias{"torch", "nn.functional.triplet_margin_loss"}},
};

Tensor nn::triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                               double margin, double p, bool swap, Reduction reduction,
                               Where where) {
  return compose(kTripletMarginLoss, inputs(anchor, positive, negative),
                 TripletAttrs{margin, p, swap, reduction_text(reduction)}, where);
}

}  // namespace weft
