// What a composite is made of: the ops it applies, recorded once, then run again by their own rules
// for derivatives and batches. A stand-in for the tape and vmap, small enough to trust.
#pragma once

#include <deque>
#include <vector>

#include "weft/op/apply.h"
#include "weft/op/levels.h"
#include "weft/op/registry.h"

namespace weft::suite {

// A value as the composite sees it while it is recorded: a type, and no memory to look into.
Tensor make_tracer(uint32_t level, size_t id, const Type& type);
size_t tracer_id(const Tensor& tracer);

// One op that was applied; ids count values.
struct Step {
  const OpDef* op;
  AnyAttrs attrs;
  std::vector<size_t> in, out;
};

// The ops that a call applies to its inputs, in order. Ops recorded as themselves are one step.
class Trace : public Level {
 public:
  Trace(const OpEntry& entry, TensorSpan in, const void* attrs);
  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override;

  const std::deque<Step>& steps() const { return steps_; }
  Tensors outputs() const;

  // One tangent per output from one per input; undefined means zero.
  Tensors jvp(TensorSpan tangents) const;
  // One cotangent per input, of those wanted.
  Tensors vjp(std::span<const bool> wanted, TensorSpan cotangents) const;
  // The outputs for inputs of which some have a batch axis in front; `batched` of the outputs.
  Tensors batch(TensorSpan in, std::span<const bool> batched, int64_t size,
                std::vector<bool>* out_batched) const;

 private:
  size_t id_of(const Tensor& t);
  // Which values change with the inputs, so far as gradients can tell.
  std::vector<bool> active(std::span<const bool> wanted) const;
  Tensors values_at(const std::vector<size_t>& ids, const std::vector<Tensor>& of) const;

  std::vector<Tensor> values_;  // by id; the inputs come first
  size_t inputs_ = 0;
  std::deque<Step> steps_;
  std::vector<size_t> outputs_;
};

// The types that an op or composite gives for inputs of these types, without values: symbolic dims
// pass through it.
Types types_through(const OpEntry& entry, TypeSpan in, const void* attrs);

}  // namespace weft::suite
