// Laws about the values of tensors: checked at once where they are known, else when the graph runs.
//
//     const ValueCheck kBernoulliP{"bernoulli", "p", require_probabilities};
//     const Tensor p = checked(kBernoulliP, in[1]);   // computes with this one
#pragma once

#include <algorithm>
#include <optional>

#include "weft/op/infer.h"
#include "weft/op/op.h"
#include "weft/op/scope.h"

namespace weft {

// A law about values. Saved graphs refer to it as "op.law", so every ValueCheck must be listed in
// check_values.cc.
struct ValueCheck {
  std::string_view op, law;
  // Raises [op.law] unless the values, which are concrete, satisfy the law. Under vmap they have
  // further axes in front. `numbers` are sizes and options that the law compares with.
  void (*require)(const InferCtx& cx, TensorSpan values, const Ints& numbers);
};

// Returns `x` after a check of `values`, or of `x` itself if there are none; compute with the
// result instead of `x`. Known values, constants in a graph included, are checked now. Others are
// checked by the op check.values, which returns `x`: with the same error, exactly when an op that
// reads the result runs, in a session, a branch, a loop or a batch.
Tensor checked(const ValueCheck& check, const Tensor& x, const Tensors& values = {},
               const Ints& numbers = {});

// f(). If all of `in` are concrete, its ops compute now, even where a graph is open.
template <class F>
auto computed_if_known(TensorSpan in, F f) {
  std::optional<ScopeIs> now;
  if (std::ranges::all_of(in, [](const Tensor& t) { return t.is_concrete(); })) {
    now.emplace(nullptr);
  }
  return f();
}

// The value checks of all ops.
extern const ValueCheck kBernoulliP, kBincountRange, kCategoricalLogits, kChoiceWeights,
    kCorrcoefVariables, kCovVariables, kHistogramEdges, kHistogramRange, kPercentileQ, kQuantileQ,
    kUniformInterval;

extern const OpDef kCheckValues;

}  // namespace weft
