// Cross entropies.
#include "weft/nn/class_loss.h"

namespace weft::nn {
namespace {

// Python's word for an index that may be left out.
Words& add_index(Words& words, std::optional<int64_t> index) {
  return index ? words.add("ignore_index", Verbatim{text(*index)}) : words;
}

std::string class_words(const CrossEntropyOptions& options) {
  Words words;
  if (options.axis != -1) words.add("axis", options.axis);
  words.add_unless(0.0, "label_smoothing", options.label_smoothing);
  return detail::with_reduction(add_index(words, options.ignore_index), options.reduction);
}

}  // namespace

CrossEntropyLoss::CrossEntropyLoss(const CrossEntropyLossOptions& given)
    : weight(detail::weights_buffer("weight", given.weight)),
      options{given.axis, given.label_smoothing, given.ignore_index, given.reduction} {}

Tensor CrossEntropyLoss::forward(const Tensor& logits, const Tensor& target, Where where) const {
  const Tensor x = lifted(logits), y = lifted(target);
  return cross_entropy(x, y, read(weight), options, where);
}
std::string CrossEntropyLoss::extra_repr() const { return class_words(options); }

NLLLoss::NLLLoss(const NLLLossOptions& given)
    : weight(detail::weights_buffer("weight", given.weight)),
      options{given.axis, 0, given.ignore_index, given.reduction} {}

Tensor NLLLoss::forward(const Tensor& log_probabilities, const Tensor& target, Where where) const {
  const Tensor x = lifted(log_probabilities), y = lifted(target);
  return nll_loss(x, y, read(weight), options, where);
}
std::string NLLLoss::extra_repr() const { return class_words(options); }

BCELoss::BCELoss(const BCELossOptions& given)
    : weight(detail::weights_buffer("weight", given.weight)), reduction(given.reduction) {}

Tensor BCELoss::forward(const Tensor& input, const Tensor& target, Where where) const {
  const Tensor x = lifted(input), y = lifted(target);
  return binary_cross_entropy(x, y, read(weight), reduction, where);
}
std::string BCELoss::extra_repr() const { return detail::with_reduction(Words(), reduction); }

BCEWithLogitsLoss::BCEWithLogitsLoss(const BCEWithLogitsLossOptions& given)
    : weight(detail::weights_buffer("weight", given.weight)),
      pos_weight(detail::weights_buffer("pos_weight", given.pos_weight)),
      reduction(given.reduction) {}

Tensor BCEWithLogitsLoss::forward(const Tensor& input, const Tensor& target, Where where) const {
  const Tensor x = lifted(input), y = lifted(target);
  const Tensor by = read(weight), positive = read(pos_weight);
  return binary_cross_entropy_with_logits(x, y, by, positive, reduction, where);
}
std::string BCEWithLogitsLoss::extra_repr() const {
  return detail::with_reduction(Words(), reduction);
}

}  // namespace weft::nn
