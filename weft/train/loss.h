// Loss: what training makes small: a loss of nn, its name, or a function of output and target.
//
//   model.compile(optimizer, nn::CrossEntropyLoss());
//   model.compile(optimizer, "cross_entropy");
//   model.compile(optimizer, [](const Tensor& out, const Tensor& y) { return mean(abs(out - y));
//   });
#pragma once

#include "weft/nn/class_loss.h"
#include "weft/nn/module.h"
#include "weft/ops/loss/loss.h"
#include "weft/train/metric.h"

namespace weft::train {

class Loss {
 public:
  // None: what the model gives is the loss.
  Loss() = default;
  // "cross_entropy", "nll", "mse", "mae", "l1", "huber", "smooth_l1", "binary_cross_entropy",
  // "binary_cross_entropy_with_logits", "kl_div", "hinge", "poisson_nll"; raises [compile.loss].
  Loss(std::string_view name);                              // NOLINT(google-explicit-constructor)
  Loss(const char* name) : Loss(std::string_view(name)) {}  // NOLINT(google-explicit-constructor)
  // A module or function of (output, target), of (outputs, targets), or of the output alone.
  template <class F>
    requires(std::invocable<F&, const Tensor&, const Tensor&> ||
             std::invocable<F&, TensorSpan, TensorSpan> || std::invocable<F&, const Tensor&>)
  Loss(F f) : held_(new_shared<Held<F>>(std::move(f))) {}  // NOLINT(google-explicit-constructor)

  // One for each output, with the target at its place: their sum.
  Loss(std::vector<Loss> parts);  // NOLINT(google-explicit-constructor)

  // Of a batch. Raises [compile.loss] for more outputs or targets than it takes.
  Tensor operator()(TensorSpan outputs, TensorSpan targets, Where where = Where::here()) const;
  // With weights, one for each example, the mean of weighted losses; raises [fit.weight].
  Tensor weighted(TensorSpan outputs, TensorSpan targets, const Tensor& weights,
                  Where where = Where::here()) const;

  bool defined() const { return static_cast<bool>(held_) || !parts_.empty(); }
  const std::vector<Loss>& parts() const { return parts_; }  // of several outputs
  std::vector<nn::ModuleBase*> modules() const;              // of a loss that is one
  // What it takes outputs for, of those of nn.
  std::optional<Scores> scores() const { return held_ ? held_->scores() : std::nullopt; }
  // The axis of classes and the target that it leaves out; null if it has none.
  const nn::CrossEntropyOptions* of_classes() const {
    return held_ ? held_->of_classes() : nullptr;
  }
  // The loss of a batch and how often it counts in an epoch's mean: one that leaves out targets is
  // a mean of those that count. Where none does there is none, and the epoch's is not NaN.
  struct Counted {
    Tensor loss, count;
  };
  Counted counted(const Tensor& loss, TensorSpan targets, const Tensor& weights,
                  const Tensor& count) const;

 private:
  struct Holder {
    virtual ~Holder() = default;
    virtual Tensor call(TensorSpan outputs, TensorSpan targets, Where where) = 0;
    // Of each example by itself; undefined if the function has no reduction to leave out.
    virtual Tensor each(TensorSpan outputs, TensorSpan targets, Where where) = 0;
    virtual nn::ModuleBase* module() = 0;
    virtual std::optional<Scores> scores() const = 0;
    virtual const nn::CrossEntropyOptions* of_classes() const = 0;
  };
  template <class F>
  struct Held;
  [[noreturn]] static void fail_count(size_t outputs, size_t targets);

  Shared<Holder> held_;
  std::vector<Loss> parts_;
};

template <class F>
struct Loss::Held final : Loss::Holder {
  F f;
  explicit Held(F given) : f(std::move(given)) {}

  Tensor call(TensorSpan outputs, TensorSpan targets, Where where) override {
    if constexpr (std::invocable<F&, const Tensor&, const Tensor&>) {
      if (outputs.size() != 1 || targets.size() != 1) fail_count(outputs.size(), targets.size());
      if constexpr (std::invocable<F&, const Tensor&, const Tensor&, Where>) {
        return f(outputs[0], targets[0], where);
      } else {
        return f(outputs[0], targets[0]);
      }
    } else if constexpr (std::invocable<F&, TensorSpan, TensorSpan>) {
      return f(outputs, targets);
    } else {
      if (outputs.size() != 1 || !targets.empty()) fail_count(outputs.size(), targets.size());
      return f(outputs[0]);
    }
  }
  Tensor each(TensorSpan outputs, TensorSpan targets, Where where) override {
    if constexpr (requires { f.options.reduction = nn::Reduction::kNone; }) {
      Held without(f);
      without.f.options.reduction = nn::Reduction::kNone;
      return without.call(outputs, targets, where);
    } else if constexpr (requires { f.reduction = nn::Reduction::kNone; }) {
      Held without(f);
      without.f.reduction = nn::Reduction::kNone;
      return without.call(outputs, targets, where);
    } else {
      return {};
    }
  }
  std::optional<Scores> scores() const override {
    if constexpr (std::same_as<F, nn::BCEWithLogitsLoss>) return Scores::kLogits;
    if constexpr (std::same_as<F, nn::BCELoss>) return Scores::kProbabilities;
    return {};
  }
  const nn::CrossEntropyOptions* of_classes() const override {
    if constexpr (requires { f.options.ignore_index; }) {
      return &f.options;
    } else {
      return nullptr;
    }
  }
  nn::ModuleBase* module() override {
    if constexpr (std::derived_from<F, nn::ModuleBase>) {
      return &f;
    } else {
      return nullptr;
    }
  }
};

}  // namespace weft::train
