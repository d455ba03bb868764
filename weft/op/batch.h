// The batching vocabulary: how an op runs on inputs that carry one more leading axis.
#pragma once

#include <string_view>

#include "weft/base/where.h"
#include "weft/core/tensor.h"
#include "weft/op/rule.h"

namespace weft {

// What a batching rule sees: batched inputs have the batch axis in front.
struct BatchCtx {
  TensorSpan inputs;
  std::span<const bool> batched;
  Dim size;
  Where where;
  bool* is_shared = nullptr;        // a rule sets it if its outputs are the same for every example
  std::string_view axis_name = "";  // of the batch axis; for rules that run functions later

  // The input with a batch axis in front, in any case (a view).
  Tensor with_batch_axis(size_t input) const;
};

// All outputs have the batch axis in front, unless the rule says that they are shared.
using BatchFn = Rule<Tensors, const BatchCtx&>;

enum class BatchKind : uint8_t { kBroadcasting, kSameShape, kShiftAxis, kRule, kPerExample };

struct BatchRule {
  BatchKind kind;
  std::string_view text = "";  // kShiftAxis: the field; kPerExample: why there is no better rule
  BatchFn fn{};

  BatchRule() = delete;
  constexpr explicit BatchRule(BatchKind kind) : kind(kind) {}
};

namespace batch {

// The inputs broadcast against each other from the right: a batch axis in front does no harm once
// ranks are aligned.
constexpr BatchRule broadcasting() { return BatchRule(BatchKind::kBroadcasting); }

// All inputs have one shape: each gets the batch axis.
constexpr BatchRule same_shape() { return BatchRule(BatchKind::kSameShape); }

// The attribute `field` (an axis, or a list of axes; none means all) counts axes: each moves by
// one.
constexpr BatchRule shift_axis(std::string_view field) {
  BatchRule out(BatchKind::kShiftAxis);
  out.text = field;
  return out;
}

template <auto F>
constexpr BatchRule rule() {
  BatchRule out(BatchKind::kRule);
  out.fn = weft::rule<F>();
  return out;
}

// Runs example by example; `reason` says why there is no better rule.
constexpr BatchRule per_example(std::string_view reason) {
  BatchRule out(BatchKind::kPerExample);
  out.text = reason;
  return out;
}

}  // namespace batch

struct OpDef;

Tensors call_batch(const OpDef& op, const void* attrs, const BatchCtx& cx);

}  // namespace weft
