// apply: the one door. Every op happens here, in every mode, for built-ins and user-defined ops
// alike.
#pragma once

#include "weft/base/where.h"
#include "weft/op/op.h"

namespace weft {

Tensors apply_all(const OpDef& op, TensorSpan in, const void* attrs, Where where);
Tensor apply_one(const OpDef& op, TensorSpan in, const void* attrs, Where where);

// The only output of an op with one output.
template <class A>
Tensor apply(const OpDef& op, TensorSpan in, const A& attrs, Where where) {
  return apply_one(op, in, &attrs, where);
}
template <class A>
Tensors apply_all(const OpDef& op, TensorSpan in, const A& attrs, Where where)
  requires(!std::is_convertible_v<const A&, const void*>)
{
  return apply_all(op, in, static_cast<const void*>(&attrs), where);
}

// Runs a composite; errors name it and the user's line.
Tensors compose_all(const CompositeDef& op, TensorSpan in, const void* attrs, Where where);
template <class A>
Tensor compose(const CompositeDef& op, TensorSpan in, const A& attrs, Where where) {
  return std::move(compose_all(op, in, &attrs, where)[0]);
}

// The types an op gives for inputs of these types; raises the op's laws.
Types infer_types(const OpDef& op, TypeSpan in, const void* attrs);

// A level: what interprets the ops on its tracers (grad, jvp, vmap, a graph scope). Inner levels
// have higher ids.
class Level {
 public:
  explicit Level(uint32_t id) : id(id) {}
  virtual ~Level() = default;
  virtual Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) = 0;
  const uint32_t id;
};

// Opens a level on this thread for as long as it lives.
class LevelScope {
 public:
  explicit LevelScope(Level& level,
                      bool takes_all = false);  // takes_all: a graph scope, which stages every op
  ~LevelScope();
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;

 private:
  Level* outer_scope_;
};

// Even ids are transforms, odd ids are tapes.
uint32_t next_level_id(bool is_tape);

// Computes concrete, prepared inputs now (defined by eager/: the link-time symbols of the door).
Tensors eager_compute(const OpDef& op, TensorSpan in, const void* attrs);
// The fast path: an elementwise op on contiguous inputs of one type. Undefined if the inputs are
// not that simple.
Tensor eager_fast(const OpDef& op, TensorSpan in);

}  // namespace weft
