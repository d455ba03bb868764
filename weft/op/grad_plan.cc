// Deriving what to save from partials, linearity and what rules declare.
#include "weft/op/grad_plan.h"

#include <map>
#include <mutex>

#include "weft/base/mutex.h"
#include "weft/op/levels.h"
#include "weft/op/record.h"
#include "weft/op/registry.h"
#include "weft/op/vjp_op.h"

namespace weft {
namespace {

struct TypeOnly : Tracer {
  InlineVector<Dim, 4> own_dims;
  TypeOnly();
};

const TracerType kTypeOnly{"type", [](Tracer* t) noexcept { delete static_cast<TypeOnly*>(t); },
                           [](const Tracer*) -> const TensorNode* { return nullptr; },
                           [](const Tracer*) -> std::string { return "a type only"; }};

TypeOnly::TypeOnly() : Tracer(&kTypeOnly) {}

const GradPlan* make_plan(const OpDef& op) {
  auto* const plan = new GradPlan;
  for (uint32_t wanted = 1; wanted < 1u << op.grad.partials; ++wanted) {
    plan->wanted[wanted] = {partial_reads(op, wanted), &vjp_op(op, wanted)};
  }
  return plan;
}

}  // namespace

const GradPlan& make_grad_plan(const OpDef& op) {
  static Mutex mutex;
  std::lock_guard lock(mutex);
  if (op.grad_plan.load_acquire() == nullptr) op.grad_plan.store_release(make_plan(op));
  return *op.grad_plan.load_acquire();
}

Savings::Savings(const OpDef& op, std::span<GradNode* const> links) : op_(op) {
  switch (op.grad.kind) {
    case GradKind::kPartials: {
      uint32_t wanted = 0;
      for (size_t i = 0; i < links.size(); ++i) wanted |= links[i] != nullptr ? 1u << i : 0u;
      mask_ = grad_plan(op).wanted[wanted].reads;
      outputs_ = mask_ >> links.size() & 1;
      break;
    }
    case GradKind::kBilinear:
      mask_ = (links[0] != nullptr ? 2u : 0u) | (links[1] != nullptr ? 1u : 0u);
      break;
    case GradKind::kRules:
      mask_ = op.grad.reads_inputs;
      outputs_ = op.grad.reads_outputs;
      break;
    case GradKind::kComposed: mask_ = ~0u; break;
    case GradKind::kLinear:
    case GradKind::kMissing:
    case GradKind::kNotDifferentiable: break;
  }
}

Tensor type_only(const Tensor& t) {
  auto* const node = new TypeOnly;
  node->level = kTypeOnlyLevel;
  node->dtype = t.dtype();
  node->rank = static_cast<uint8_t>(t.rank());
  node->own_dims.assign(t.shape().begin(), t.shape().end());
  node->dims = node->own_dims.data();
  return Tensor::adopt(node);
}

}  // namespace weft
