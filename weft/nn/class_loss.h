// Losses of classes and of yes and no; their weights are buffers.
#pragma once

#include "weft/nn/loss.h"

namespace weft::nn {

struct CrossEntropyLossOptions {
  Tensor weight = {};  // one number for each class
  int64_t axis = -1;   // of classes
  double label_smoothing = 0;
  std::optional<int64_t> ignore_index = {};
  Reduction reduction = Reduction::kMean;
};
struct CrossEntropyLoss : Loss<CrossEntropyLoss> {
  explicit CrossEntropyLoss(const CrossEntropyLossOptions& options = {});
  Variable weight;
  CrossEntropyOptions options;
  static constexpr auto fields = fields_of(buffer("weight", &CrossEntropyLoss::weight));
  Tensor forward(const Tensor& logits, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct NLLLossOptions {
  Tensor weight = {};
  int64_t axis = -1;
  std::optional<int64_t> ignore_index = {};
  Reduction reduction = Reduction::kMean;
};
struct NLLLoss : Loss<NLLLoss> {
  explicit NLLLoss(const NLLLossOptions& options = {});
  Variable weight;
  CrossEntropyOptions options;
  static constexpr auto fields = fields_of(buffer("weight", &NLLLoss::weight));
  Tensor forward(const Tensor& log_probabilities, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct BCELossOptions {
  Tensor weight = {};
  Reduction reduction = Reduction::kMean;
};
struct BCELoss : Loss<BCELoss> {
  explicit BCELoss(const BCELossOptions& options = {});
  Variable weight;
  Reduction reduction;
  static constexpr auto fields = fields_of(buffer("weight", &BCELoss::weight));
  Tensor forward(const Tensor& input, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

struct BCEWithLogitsLossOptions {
  Tensor weight = {};
  Tensor pos_weight = {};  // multiplies the loss of the positive part of each target
  Reduction reduction = Reduction::kMean;
};
struct BCEWithLogitsLoss : Loss<BCEWithLogitsLoss> {
  explicit BCEWithLogitsLoss(const BCEWithLogitsLossOptions& options = {});
  Variable weight, pos_weight;
  Reduction reduction;
  static constexpr auto fields = fields_of(buffer("weight", &BCEWithLogitsLoss::weight),
                                           buffer("pos_weight", &BCEWithLogitsLoss::pos_weight));
  Tensor forward(const Tensor& input, const Tensor& target, Where where) const;
  std::string extra_repr() const override;
};

}  // namespace weft::nn
