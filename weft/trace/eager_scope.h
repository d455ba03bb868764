// EagerScope: compute now, inside of a graph scope or of a function that is traced.
//
//   const Graph::Scope scope(graph);
//   const EagerScope now;
//   const Tensor table = exp(arange(0, 256, 1));   // a value, which the graph may use
#pragma once

#include "weft/op/levels.h"

namespace weft {

// Takes the ops while the scope is open. Those on values that are there are computed; of a value of
// a graph it raises [op.eager].
class EagerLevel final : public Level {
 public:
  EagerLevel();
  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override;
  // Variables are read, written and drawn from as they are now; the graph around gets nothing.
  bool follows_variables() const override { return true; }
  bool stages() const override { return true; }
  Tensor follow(const Variable& variable, const Tensor& value) override;
  Tensor drawn_before() override;
  bool on_seed(const Tensor& key, uint64_t draws) override;

 private:
  bool is_traced(const Tensor& t) const;
  uint32_t first_staging_;  // the level of the outermost graph around; tracers above have no value
};

class EagerScope {
 public:
  EagerScope();
  ~EagerScope();
  EagerScope(const EagerScope&) = delete;
  EagerScope& operator=(const EagerScope&) = delete;

 private:
  EagerLevel level_;
  LevelScope scope_;
  const uint32_t hidden_;  // open levels around that follow Variables
};

}  // namespace weft
