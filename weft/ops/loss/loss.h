// Losses: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// What becomes of the losses of the examples.
struct LossAttrs {
  std::string reduction = "mean";
  static constexpr auto fields = fields_of(
      field("reduction", &LossAttrs::reduction, "\"mean\", \"sum\", or \"none\" for all of them"));
};

namespace nn {

enum class Reduction : uint8_t { kMean, kSum, kNone };

struct CrossEntropyOptions {
  int64_t axis = -1;
  double label_smoothing = 0;
  std::optional<int64_t> ignore_index = {};
  Reduction reduction = Reduction::kMean;
};
// `target`: the number of each example's class, or a probability for each class. `weight`, one
// number for each class, may be undefined.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight = {},
                     const CrossEntropyOptions& options = {}, Where where = Where::here());
// The same from log-probabilities, for numbered classes.
Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target, const Tensor& weight = {},
                const CrossEntropyOptions& options = {}, Where where = Where::here());

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::kMean,
                Where where = Where::here());
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::kMean,
               Where where = Where::here());
Tensor huber_loss(const Tensor& input, const Tensor& target, double delta = 1,
                  Reduction reduction = Reduction::kMean, Where where = Where::here());
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, double beta = 1,
                      Reduction reduction = Reduction::kMean, Where where = Where::here());
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::kMean, Where where = Where::here());
// `pos_weight` multiplies the loss of the positive part of each target.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight = {}, const Tensor& pos_weight = {},
                                        Reduction reduction = Reduction::kMean,
                                        Where where = Where::here());
Tensor kl_div(const Tensor& input, const Tensor& target, bool log_target = false,
              Reduction reduction = Reduction::kMean, Where where = Where::here());
Tensor hinge_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::kMean,
                  Where where = Where::here());
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin = 0, Reduction reduction = Reduction::kMean,
                           Where where = Where::here());
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1, double p = 2, bool swap = false,
                           Reduction reduction = Reduction::kMean, Where where = Where::here());
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin = 0, Reduction reduction = Reduction::kMean,
                             Where where = Where::here());
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true,
                        bool full = false, double eps = 1e-8,
                        Reduction reduction = Reduction::kMean, Where where = Where::here());
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& variance,
                         bool full = false, double eps = 1e-6,
                         Reduction reduction = Reduction::kMean, Where where = Where::here());

}  // namespace nn

// What losses share. The attribute's text.
std::string reduction_text(nn::Reduction reduction);
// Raises [op.reduction] for anything but "mean", "sum" and "none".
void require_reduction(std::string_view op, std::string_view reduction);
// The losses as `reduction` says.
Tensor reduced_loss(std::string_view op, const Tensor& losses, std::string_view reduction);
// The input and the target of a loss, both floating; raises [op.shape] unless they have one shape:
// [n, 1] and [n] would broadcast to [n, n], which nobody means.
std::pair<Tensor, Tensor> loss_inputs(std::string_view op, TensorSpan in);

// factor * terms, and 0 where the factor is 0, even if the term is infinite or NaN.
Tensor counted_by(const Tensor& factor, const Tensor& terms);

inline constexpr Law kReductionLaw{"reduction", "`reduction` is \"mean\", \"sum\" or \"none\""};
inline constexpr Law kLossShapeLaw{"shape", "`input` and `target` have one shape"};

// Huber's function of each difference.
Tensor huber_each(const Tensor& input, const Tensor& target, double delta);

extern const OpDef kClassLabels, kCrossEntropyRows, kCrossEntropyVjp, kHuberEach;
extern const CompositeDef kCrossEntropy, kNllLoss, kMseLoss, kL1Loss, kHuberLoss, kSmoothL1Loss,
    kBinaryCrossEntropy, kBinaryCrossEntropyWithLogits, kKlDiv, kHingeLoss, kMarginRankingLoss,
    kTripletMarginLoss, kCosineEmbeddingLoss, kPoissonNllLoss, kGaussianNllLoss;

}  // namespace weft
