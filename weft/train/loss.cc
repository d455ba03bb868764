// Losses by name, and losses whose examples have weights.
#include "weft/train/loss.h"

#include "weft/nn/class_loss.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/names.h"

namespace weft::train {
namespace {

template <class L>
Loss made() {
  return L();
}

constexpr Named<Loss (*)()> kLosses[] = {
    {"cross_entropy", made<nn::CrossEntropyLoss>},
    {"nll", made<nn::NLLLoss>},
    {"mse", made<nn::MSELoss>},
    {"mae", made<nn::L1Loss>},
    {"l1", made<nn::L1Loss>},
    {"huber", made<nn::HuberLoss>},
    {"smooth_l1", made<nn::SmoothL1Loss>},
    {"binary_cross_entropy", made<nn::BCELoss>},
    {"binary_cross_entropy_with_logits", made<nn::BCEWithLogitsLoss>},
    {"kl_div", made<nn::KLDivLoss>},
    {"hinge", made<nn::HingeLoss>},
    {"poisson_nll", made<nn::PoissonNLLLoss>},
};

// What Keras calls them.
constexpr Named<std::string_view> kElsewhere[] = {
    {"sparse_categorical_crossentropy", "cross_entropy"},
    {"categorical_crossentropy", "cross_entropy"},
    {"mean_squared_error", "mse"},
    {"mean_absolute_error", "mae"},
    {"binary_crossentropy", "binary_cross_entropy"},
};

Loss loss_of(std::string_view name) {
  for (const auto& [elsewhere, here] : kElsewhere) {
    if (elsewhere != name) continue;
    fail(Code::kInvalid, "compile", "loss", "there is no loss '", name, "'; weft calls this '",
         here, here == "cross_entropy" ? "', of logits" : "'");
  }
  return named(std::span(kLosses), name, "loss", "loss")();
}

// The sum of term(loss, output, target), one of each.
template <class Term>
Tensor summed(const std::vector<Loss>& parts, TensorSpan outputs, TensorSpan targets, Where where,
              const Term& term) {
  if (outputs.size() != parts.size() || targets.size() != parts.size()) {
    fail(Code::kInvalid, "compile", "outputs", "there are ", parts.size(), " losses for ",
         outputs.size(), " outputs and ", targets.size(), " targets of a batch; give one for each");
  }
  Tensor total;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Tensor next = term(parts[i], outputs.subspan(i, 1), targets.subspan(i, 1));
    total = i == 0 ? next : add(total, next, where);
  }
  return total;
}

}  // namespace

Loss::Loss(std::string_view name) : Loss(loss_of(name)) {}

Loss::Loss(std::vector<Loss> parts) : parts_(std::move(parts)) {}

Tensor Loss::operator()(TensorSpan outputs, TensorSpan targets, Where where) const {
  if (!parts_.empty()) {
    return summed(
        parts_, outputs, targets, where,
        [&](const Loss& loss, TensorSpan out, TensorSpan y) { return loss(out, y, where); });
  }
  return held_ ? held_->call(outputs, targets, where) : outputs[0];
}

Tensor Loss::weighted(TensorSpan outputs, TensorSpan targets, const Tensor& weights,
                      Where where) const {
  if (!weights.defined()) return (*this)(outputs, targets, where);
  if (!parts_.empty()) {  // the weights of an example are those of all its outputs
    return summed(parts_, outputs, targets, where,
                  [&](const Loss& loss, TensorSpan out, TensorSpan y) {
                    return loss.weighted(out, y, weights, where);
                  });
  }
  if (!held_) {
    fail(Code::kInvalid, "fit", "weight",
         "there are weights of examples, but what the model gives is the loss, without examples; "
         "weigh them in the model, or compile it with a loss");
  }
  const Tensor each = held_->each(outputs, targets, where);
  if (!each.defined()) {
    fail(Code::kInvalid, "fit", "weight",
         "weights of examples need a loss with a field 'reduction', as those of nn have");
  }
  bool fits = each.rank() >= weights.rank();
  for (int64_t axis = 0; fits && axis < weights.rank(); ++axis) {
    fits = same(each.dim(axis), weights.dim(axis)) != Tri::kNo;
  }
  if (!fits) {
    fail(Code::kInvalid, "fit", "weight", "the loss gives shape ", each.shape(), " for ",
         weights.shape(), " weights of examples; it must give one number for each example");
  }
  // Doubles as other libraries make them are no wish to compute in doubles.
  const bool is_wide = weights.dtype() == DType::kF64 && each.dtype() != DType::kF64;
  Tensor by = is_wide || !is_floating(weights.dtype()) ? cast(weights, DType::kF32) : weights;
  while (by.rank() < each.rank()) by = expand_dims(by, -1);
  return mean(multiply(each, by, where), {}, false, where);
}

Loss::Counted Loss::counted(const Tensor& loss, TensorSpan targets, const Tensor& weights,
                            const Tensor& count) const {
  const nn::CrossEntropyOptions* const options = of_classes();
  const bool leaves_out = options != nullptr && options->ignore_index &&
                          options->reduction == nn::Reduction::kMean && targets.size() == 1;
  if (!leaves_out || weights.defined()) return {loss, count};
  const Tensor left = sum(cast(targets[0] != *options->ignore_index, DType::kF64));
  const Tensor zero = zeros_like(loss), is_none = left == 0.0;
  return {where(is_none, zero, loss), left};
}

std::vector<nn::ModuleBase*> Loss::modules() const {
  std::vector<nn::ModuleBase*> out;
  for (const Loss& part : parts_) {
    for (nn::ModuleBase* const one : part.modules()) out.push_back(one);
  }
  if (nn::ModuleBase* const module = held_ ? held_->module() : nullptr) {
    for (nn::ModuleBase* const one : module->modules()) out.push_back(one);
  }
  return out;
}

void Loss::fail_count(size_t outputs, size_t targets) {
  fail(Code::kInvalid, "compile", "loss", "there are ", outputs, " outputs and ", targets,
       " targets of a batch, which this loss does not take; give compile a function of "
       "(TensorSpan outputs, TensorSpan targets)");
}

}  // namespace weft::train
