// The ambient tape's reverse pass: a sweep from the loss, then one addition per Variable.
#include "weft/transform/backward.h"

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/transform/cotangent.h"
#include "weft/transform/left_out.h"
#include "weft/transform/sweep.h"

namespace weft {
namespace {

[[noreturn]] void fail_no_path(const Tensor& loss, GradNode* stop) {
  if (stop != nullptr) {
    fail(Code::kInvalid, "backward", "path",
         "no gradient leads from this value to a Variable: its "
         "path ends ",
         describe_stop(stop));
  }
  if (is_tape_level(loss.level())) {
    fail(Code::kInvalid, "backward", "taped",
         "a GradientTape recorded this value, and it alone can differentiate it; take the tape's "
         "gradient, or compute the value outside of the tape");
  }
  if (!is_differentiable(loss.dtype())) {
    fail(Code::kType, "backward", "dtype", "this value has dtype ", loss.dtype(),
         ", which has no derivatives; compute it from Variables of a floating dtype");
  }
  fail(Code::kInvalid, "backward", "path", "this value (", loss.type(),
       ") was computed from no trainable Variable, or while recording was off; make what it "
       "depends on a Variable of a floating dtype, and compute it outside of no_grad");
}

// Of a tracer that stands for no single value. A graph's may outlive its scope, those of vmap not.
[[noreturn]] void fail_without_value(const Tensor& t) {
  const Level* const level = find_level(t.level());
  if (level == nullptr || level->stages()) {
    fail(Code::kInvalid, "backward", "staged", "this value (", t.type(),
         ") is part of a graph, which is not recorded; take value_and_grad or a GradientTape in a "
         "function, gradients in a graph, or call backward on what the function gives");
  }
  fail(Code::kInvalid, "backward", "batched",
       "the value is batched by vmap; take grad inside of vmap instead");
}

// The ambient tape's tracer under those of the transformations around.
Tensor ambient(const Tensor& loss) {
  Tensor t = loss;
  while (t.level() > kTapeLevel) {
    const Tensor below = value_below(t);
    if (!below.defined()) fail_without_value(t);
    t = below;
  }
  return t;
}

// What backward stores is plain: a transformation around it would not see that it depends on
// what it differentiates.
void require_untransformed(const Tensor& loss) {
  for (Tensor t = loss; t.defined() && t.level() > kTapeLevel; t = value_below(t)) {
    GradNode* const record = grad_node(t);
    if (is_tape_level(t.level()) || (record != nullptr && record->is_stop())) continue;
    if (!is_recording(t.level()) || !value_below(t).defined()) continue;
    fail(Code::kInvalid, "backward", "followed", static_cast<const Tracer*>(t.node())->type->name,
         " differentiates this value, and would not see the gradients that backward stores; take "
         "grad, or the gradient of a GradientTape, inside of it instead");
  }
}

}  // namespace

void backward(const Tensor& loss, const BackwardOptions& options, Where where) {
  if (!loss.defined()) fail(Code::kType, "backward", "loss", "the tensor is undefined");
  require_untransformed(loss);
  const Tensor target = ambient(loss);
  GradNode* const node = grad_node(target);
  if (node == nullptr) fail_no_path(loss, nullptr);
  if (node->is_stop()) fail_no_path(loss, node->record());
  const Tensor cotangent = initial_cotangent(target, options.gradient, "backward", where);
  Sweep sweep(kTapeLevel, {.keep_records = options.retain_graph || options.create_graph,
                           .create_graph = options.create_graph});
  sweep.start(target, cotangent);
  Tensors leaves;
  for (const Variable& variable : options.inputs) {
    leaves.push_back(variable.read());
    if (grad_node(leaves.back()) != nullptr) sweep.watch(leaves.back());
  }
  LeftOut::clear();
  sweep.run();
  bool has_reached_one = false;
  sweep.for_each_leaf([&](GradNode* leaf, const Tensor& gradient) {
    has_reached_one |= gradient.defined();
    add_gradient(leaf, gradient);
  });
  if (!has_reached_one && !LeftOut::last().empty()) {
    fail_at(where, Code::kInvalid, "backward", "path",
            "no gradient has reached a Variable: ", LeftOut::last(), "; let it give one");
  }
}

}  // namespace weft
