// Computing now where ops are staged.
#include "weft/trace/eager_scope.h"

#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/scope.h"
#include "weft/op/variable_state.h"
#include "weft/ops/random/key.h"
#include "weft/trace/staging.h"

namespace weft {
namespace {

uint32_t outermost_staging() {
  for (const Level* const level : open_levels()) {
    if (level->stages()) return level->id;
  }
  return UINT32_MAX;
}

}  // namespace

EagerLevel::EagerLevel() : Level(next_level_id(false)), first_staging_(outermost_staging()) {}

// A tracer of a transformation inside of the graph stands for values of the graph.
bool EagerLevel::is_traced(const Tensor& t) const {
  return t.defined() &&
         (staging_of(t) != nullptr || (first_staging_ <= t.level() && t.level() < id));
}

Tensors EagerLevel::interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  for (const Tensor& t : in) {
    if (!is_traced(t)) continue;
    const Tracer& tracer = *static_cast<const Tracer*>(t.node());
    fail(Code::kInvalid, op.name, "eager", "an input (", tracer.type->describe(&tracer),
         ") is known only when the graph runs, and in an eager scope ops compute now; use it "
         "outside of it");
  }
  const ScopeIs none(nullptr);
  return apply_prepared(op, in, attrs, where);
}

Tensor EagerLevel::follow(const Variable& variable, const Tensor&) {
  return stored_value(variable);
}

Tensor EagerLevel::drawn_before() { return random::drawn_now().words(); }

bool EagerLevel::on_seed(const Tensor& key, uint64_t draws) {
  random::set_generator_state({random::seed_of(key), draws});
  return true;
}

EagerScope::EagerScope()
    : scope_(level_, /*takes_all=*/true), hidden_(std::exchange(context.tapes, 0)) {}
EagerScope::~EagerScope() { context.tapes += hidden_; }

}  // namespace weft
