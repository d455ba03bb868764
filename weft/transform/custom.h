// Functions with rules of their own: a forward pass, and a backward pass or a tangent rule.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "weft/transform/vjp.h"

namespace weft {

// What a forward pass leaves for the backward pass.
class CustomContext {
 public:
  // Inputs and outputs that are saved are differentiated through again by higher orders; anything
  // else counts as a constant.
  void save_for_backward(TensorSpan tensors) { saved_.assign(tensors.begin(), tensors.end()); }
  const Tensors& saved_tensors() const { return saved_; }
  bool needs_input_grad(size_t input) const { return wanted_[input]; }
  size_t input_count() const { return wanted_.size(); }

  std::shared_ptr<void> user;  // anything else the two share

 private:
  friend struct CustomCall;
  Tensors saved_;
  std::vector<bool> wanted_;
};

// The rules of a function over flat lists. One of `backward` and `jvp` is enough: the other mode is
// its transpose.
struct CustomRules {
  std::string name = "custom";
  std::function<Tensors(CustomContext&, TensorSpan in)> forward;
  // Cotangents of the outputs (undefined: zero) to one per input; undefined where there is none.
  std::function<Tensors(const CustomContext&, TensorSpan cotangents)> backward;
  // Primals and tangents (undefined: zero) to the tangents of the outputs.
  std::function<Tensors(TensorSpan primals, TensorSpan tangents)> jvp;
  // Under vmap: run example by example. Without it vmap raises.
  bool per_example = false;
  // The backward pass is given zeros where a cotangent is undefined.
  bool fill_cotangents = false;
};

// Runs the forward pass; every level that follows an input records ONE node for it.
Tensors apply_custom(std::shared_ptr<const CustomRules> rules, TensorSpan in,
                     Where where = Where::here());

// What to call an op in a picture or a message: for a custom function, its own name.
std::string_view shown_name(const OpDef& op, const void* attrs);

}  // namespace weft
