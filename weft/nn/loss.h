// Losses as modules: each calls the function of its name. Under mixed precision they are computed
// in float32.
#pragma once

#include "weft/nn/module.h"
#include "weft/nn/name.h"
#include "weft/nn/repr.h"
#include "weft/ops/loss/loss.h"

namespace weft::nn {

struct LossOptions {
  Reduction reduction = Reduction::kMean;
};

// What losses share.
template <class Self>
struct Loss : Module<Self> {
  static constexpr auto fields = kNoFields;  // unless the loss has weights

 protected:
  // An input that others compute in a lower dtype, as losses take it.
  Tensor lifted(const Tensor& x) const {
    return x.dtype() == this->compute_dtype ? this->raised(x) : x;
  }
};

namespace detail {
// "sum", if it is not the usual "mean", behind other words.
std::string with_reduction(Words words, Reduction reduction);
// A tensor as a buffer, or nothing.
Variable weights_buffer(std::string_view name, const Tensor& weights);
}  // namespace detail

// Of an input and a target.
template <Name kText, Tensor (*kFunction)(const Tensor&, const Tensor&, Reduction, Where)>
struct PairLoss : Loss<PairLoss<kText, kFunction>> {
  static constexpr std::string_view kName = kText;

  explicit PairLoss(LossOptions options = {}) : options(options) {}

  LossOptions options;

  Tensor forward(const Tensor& input, const Tensor& target, Where where) const {
    const Tensor x = this->lifted(input), y = this->lifted(target);
    return kFunction(x, y, options.reduction, where);
  }
  std::string extra_repr() const override {
    return detail::with_reduction(Words(), options.reduction);
  }
};

using MSELoss = PairLoss<"MSELoss", mse_loss>;
using L1Loss = PairLoss<"L1Loss", l1_loss>;
using HingeLoss = PairLoss<"HingeLoss", hinge_loss>;

struct SmoothL1LossOptions {
  double beta = 1;
  Reduction reduction = Reduction::kMean;
};
struct SmoothL1Loss : Loss<SmoothL1Loss> {
  explicit SmoothL1Loss(SmoothL1LossOptions options = {}) : options(options) {}
  SmoothL1LossOptions options;
  Tensor forward(const Tensor& input, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct HuberLossOptions {
  double delta = 1;
  Reduction reduction = Reduction::kMean;
};
struct HuberLoss : Loss<HuberLoss> {
  explicit HuberLoss(HuberLossOptions options = {}) : options(options) {}
  HuberLossOptions options;
  Tensor forward(const Tensor& input, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct KLDivLossOptions {
  bool log_target = false;
  Reduction reduction = Reduction::kMean;
};
struct KLDivLoss : Loss<KLDivLoss> {
  explicit KLDivLoss(KLDivLossOptions options = {}) : options(options) {}
  KLDivLossOptions options;
  Tensor forward(const Tensor& input, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct PoissonNLLLossOptions {
  bool log_input = true;
  bool full = false;
  double eps = 1e-8;
  Reduction reduction = Reduction::kMean;
};
struct PoissonNLLLoss : Loss<PoissonNLLLoss> {
  explicit PoissonNLLLoss(PoissonNLLLossOptions options = {}) : options(options) {}
  PoissonNLLLossOptions options;
  Tensor forward(const Tensor& input, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct GaussianNLLLossOptions {
  bool full = false;
  double eps = 1e-6;
  Reduction reduction = Reduction::kMean;
};
struct GaussianNLLLoss : Loss<GaussianNLLLoss> {
  explicit GaussianNLLLoss(GaussianNLLLossOptions options = {}) : options(options) {}
  GaussianNLLLossOptions options;
  Tensor forward(const Tensor& input, const Tensor& target, const Tensor& variance,
                 Where where) const;
  std::string extra_repr() const override;
};

struct MarginLossOptions {
  double margin = 0;
  Reduction reduction = Reduction::kMean;
};
// Of two inputs and a target of 1 and -1.
template <Name kText, Tensor (*kFunction)(const Tensor&, const Tensor&, const Tensor&, double,
                                          Reduction, Where)>
struct MarginLoss : Loss<MarginLoss<kText, kFunction>> {
  static constexpr std::string_view kName = kText;

  explicit MarginLoss(MarginLossOptions options = {}) : options(options) {}

  MarginLossOptions options;

  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target,
                 Where where) const {
    const Tensor x = this->lifted(input1), y = this->lifted(input2), z = this->lifted(target);
    return kFunction(x, y, z, options.margin, options.reduction, where);
  }
  std::string extra_repr() const override {
    return detail::with_reduction(Words().add_unless(0.0, "margin", options.margin),
                                  options.reduction);
  }
};

using MarginRankingLoss = MarginLoss<"MarginRankingLoss", margin_ranking_loss>;
using CosineEmbeddingLoss = MarginLoss<"CosineEmbeddingLoss", cosine_embedding_loss>;

struct TripletMarginLossOptions {
  double margin = 1, p = 2;
  bool swap = false;
  Reduction reduction = Reduction::kMean;
};
struct TripletMarginLoss : Loss<TripletMarginLoss> {
  explicit TripletMarginLoss(TripletMarginLossOptions options = {}) : options(options) {}
  TripletMarginLossOptions options;
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                 Where where) const;
  std::string extra_repr() const override;
};

}  // namespace weft::nn
