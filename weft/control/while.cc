// while: a loop whose number of steps is known when it has ended.
//
// The form that saves keeps what was carried at every step, or, when that would take more memory
// than it may, at every 2nd, 4th, ... step (checkpoints halved online); the backward pass computes
// the steps between again. It gives, behind what is carried: a row for each step (without memory),
// and the kept values stacked.
#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/control/loop.h"
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/op/saving.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

size_t carries_of(const WhileAttrs& at) { return static_cast<size_t>(at.carries); }

Types infer_while(const WhileAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(at.carries >= 0 && carries_of(at) <= in.size(), "carries", "carries ", at.carries,
             " of ", in.size(), " inputs");
  require_loop(at.cond, at.body, carries_of(at), cx, in);
  Types out(in.first(carries_of(at)).begin(), in.first(carries_of(at)).end());
  if (!at.saves) return out;
  out.push_back({DType::kBool, {Dim::symbol("?steps")}});
  for (size_t k = 0; k < carries_of(at); ++k) {
    Type type = in[k];
    type.shape.insert(0, Dim::symbol("?kept"));
    out.push_back(type);
  }
  return out;
}

int64_t bytes_of(TensorSpan tensors) {
  int64_t out = 0;
  for (const Tensor& t : tensors) out += t.numel() * size_of(t.dtype());
  return out;
}

// What was carried at every `spacing`-th step, as rows of stacks. It takes half of the bytes: the
// backward pass computes as much again between two of them.
class Checkpoints {
 public:
  Checkpoints(TensorSpan carry, int64_t max_bytes)
      : most_(std::max<int64_t>(2, max_bytes / 2 / std::max<int64_t>(1, bytes_of(carry)))) {}

  void see(int64_t step, TensorSpan carry) {
    if (step % spacing_ != 0) return;
    if (kept_ == most_) {
      thin();
      if (step % spacing_ != 0) return;
    }
    if (kept_ == room_) grow(carry);
    for (size_t k = 0; k < carry.size(); ++k) native::copy(loop_row(stacks_[k], kept_), carry[k]);
    ++kept_;
  }

  // The k-th value of all of them, stacked.
  Tensor stack(size_t k, const Type& like) const {
    Shape shape(like.shape);
    shape[0] = kept_;
    return kept_ == 0 ? Tensor::empty(like.dtype, shape)
                      : stacks_[k].view(shape, stacks_[k].strides());
  }

 private:
  // Every second one stays.
  void thin() {
    for (const Tensor& stack : stacks_) {
      for (int64_t i = 1; 2 * i < kept_; ++i) {
        native::copy(loop_row(stack, i), loop_row(stack, 2 * i));
      }
    }
    kept_ = (kept_ + 1) / 2;
    spacing_ *= 2;
  }

  void grow(TensorSpan carry) {
    room_ = std::min(most_, std::max<int64_t>(8, 2 * room_));
    for (size_t k = 0; k < carry.size(); ++k) {
      Shape shape(carry[k].shape());
      shape.insert(0, room_);
      const Tensor larger = Tensor::empty(carry[k].dtype(), shape);
      for (int64_t i = 0; i < kept_; ++i) {
        native::copy(loop_row(larger, i), loop_row(stacks_[k], i));
      }
      if (k < stacks_.size()) {
        stacks_[k] = larger;
      } else {
        stacks_.push_back(larger);
      }
    }
  }

  const int64_t most_;
  int64_t spacing_ = 1, kept_ = 0, room_ = 0;
  Tensors stacks_;
};

// A row for each step, all of them one element: a size without memory.
Tensor step_marks(int64_t steps) {
  const Tensor one = Tensor::scalar(DType::kBool, 1);
  return one.view(Shape{steps}, Ints{0});
}

// Step by step with tensors: what observers see, and what has no plan. Returns the steps.
int64_t run_simply(const WhileAttrs& at, Tensors& arguments, Checkpoints& checkpoints) {
  const size_t count = carries_of(at);
  for (int64_t steps = 0;; ++steps) {
    const Tensors goes_on = ir::run(*at.cond, arguments);
    if (goes_on[0].item_int() == 0) return steps;
    if (at.saves) checkpoints.see(steps, TensorSpan(arguments).first(count));
    Tensors next = ir::run(*at.body, arguments);
    for (size_t k = 0; k < count; ++k) arguments[k] = std::move(next[k]);
  }
}

// The same by addresses: what is carried goes back and forth between two places. -1 if there is no
// plan.
int64_t run_in_place(const WhileAttrs& at, Tensors& arguments, Checkpoints& checkpoints) {
  const size_t count = carries_of(at);
  Tensors here(TensorSpan(arguments).first(count)), there;
  Types types;
  for (Tensor& t : here) {
    Shape pair(t.shape());
    pair.insert(0, 2);
    types.push_back(t.type());
    const Tensor both = Tensor::empty(t.dtype(), pair);
    native::copy(loop_row(both, 0), t);
    t = loop_row(both, 0);
    there.push_back(loop_row(both, 1));
  }
  for (size_t k = 0; k < count; ++k) arguments[k] = here[k];
  const Types test{{DType::kBool, {}}};
  const Shared<ir::Stepper> cond = ir::stepper_of(*at.cond, arguments, test);
  const Shared<ir::Stepper> body = ir::stepper_of(*at.body, arguments, types);
  if (cond == nullptr || body == nullptr) return -1;
  std::vector<char*> from, to;
  for (const Tensor& t : arguments) from.push_back(static_cast<char*>(t.writable_data()));
  for (const Tensor& t : there) to.push_back(static_cast<char*>(t.writable_data()));
  char goes_on = 0;
  char* const answer = &goes_on;
  for (int64_t steps = 0;; ++steps) {
    poll_interrupt();
    cond->run(from.data(), &answer);
    if (goes_on == 0) {
      for (size_t k = 0; k < count; ++k) arguments[k] = here[k];
      return steps;
    }
    if (at.saves) checkpoints.see(steps, here);
    body->run(from.data(), to.data());
    for (size_t k = 0; k < count; ++k) std::swap(from[k], to[k]);
    std::swap(here, there);
  }
}

Tensors run(const WhileAttrs& at, TensorSpan in, TypeSpan types) {
  const size_t count = carries_of(at);
  Tensors arguments(in);
  Checkpoints checkpoints(in.first(count), at.max_saved_bytes);
  int64_t steps = run_in_place(at, arguments, checkpoints);
  if (steps < 0) steps = run_simply(at, arguments, checkpoints);
  Tensors out(TensorSpan(arguments).first(count));
  if (!at.saves) return out;
  out.push_back(step_marks(steps));
  for (size_t k = 0; k < count; ++k) out.push_back(checkpoints.stack(k, types[count + 1 + k]));
  return out;
}

std::optional<AnyAttrs> saving(const SavingCall& call) {
  WhileAttrs at = *static_cast<const WhileAttrs*>(call.attrs);
  if (at.saves) return {};
  at.saves = true;
  return std::optional<AnyAttrs>(std::in_place, kWhile.attrs, &at);
}

Tensors vjp(const WhileAttrs& at, const GradCtx& cx, TensorSpan g) {
  const size_t count = carries_of(at);
  Tensors in;
  for (size_t k = 0; k < count; ++k) {
    if (!is_differentiable(cx.outputs[k].dtype())) continue;
    in.push_back(g[k].defined()
                     ? g[k]
                     : zeros(Shape(cx.outputs[k].shape()), cx.outputs[k].dtype(), cx.where));
  }
  for (size_t k = count + 1; k < g.size(); ++k) {
    if (g[k].defined()) {
      fail(Code::kMissing, "while", "grad",
           "what a loop saves for its backward pass is differentiated itself; this happens only in "
           "derivatives of derivatives that were taken through a loop without its own rule");
    }
  }
  return while_vjp(at, in, cx.inputs, cx.outputs.subspan(count), wanted_flags(cx), cx.where);
}

Tensors jvp(const WhileAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  const size_t count = carries_of(at);
  WithTangents both(cx, tangents, count);
  const size_t carries = both.add(0, count);
  both.add(count, cx.inputs.size());
  const Types types = types_of(cx.inputs);
  const std::vector<Type> parameters = both.parameters(*at.body);
  WhileAttrs attrs = at;
  attrs.carries = static_cast<int64_t>(carries);
  attrs.body = derived(at.body, derived_key("forward_step", both.active()), types, parameters,
                       [&](TensorSpan given) {
                         const FunctionAttr step = jvp_of(at.body, both.active(), types);
                         return ir::inlined(*step, both.values_and_tangents(given), Where());
                       });
  attrs.cond =
      derived(at.cond, derived_key("forward_test", both.active()), types, parameters,
              [&](TensorSpan given) { return ir::inlined(*at.cond, both.values(given), Where()); });
  const Tensors out = apply_prepared(kWhile, both.inputs(), &attrs, cx.where);

  Tensors result;
  const auto take = [&](size_t first, size_t values) {
    size_t next = values + count;
    for (size_t k = 0; k < count; ++k) {
      const bool has_one = is_differentiable(cx.outputs[first + k].dtype());
      result.push_back(has_one ? out[next++] : Tensor());
    }
  };
  take(0, 0);
  if (at.saves) {
    result.push_back(Tensor());
    take(count + 1, carries + 1);
  }
  return result;
}

// The loop goes on while any example does; the body runs on those that do.
Tensors batched(const WhileAttrs& at, const BatchCtx& cx) {
  const BatchedLoop loop(at, cx);
  WhileAttrs attrs = at;
  attrs.cond = loop.cond;
  attrs.body = loop.body;
  Tensors out = apply_prepared(kWhile, loop.inputs, &attrs, cx.where);
  const size_t count = carries_of(at);
  if (at.saves) {
    Shape shape{cx.size};
    for (const Dim dim : out[count].shape()) shape.push_back(dim);
    out[count] = broadcast_to(out[count], shape, cx.where);
    for (size_t k = count + 1; k < out.size(); ++k) {
      out[k] = moveaxis(out[k], Ints{1}, Ints{0}, cx.where);
    }
  }
  return out;
}

}  // namespace

BatchedLoop::BatchedLoop(const WhileAttrs& at, const BatchCtx& cx) {
  Types types, with_batch;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    inputs.push_back(cx.with_batch_axis(i));
    Type type = inputs[i].type();
    type.shape.erase(0);
    types.push_back(type);
  }
  const Flags all(types.size(), true);
  const FunctionAttr tests = vmap_of(at.cond, all, types, cx.size);
  for (size_t i = 0; i < types.size(); ++i) with_batch.push_back(tests->parameter_type(i));
  cond = derived(tests, "any", types_of(inputs), with_batch, [&](TensorSpan given) {
    return Tensors{any(ir::inlined(*tests, given, Where())[0])};
  });
  const auto step = [&](TensorSpan given) {
    const Tensor goes_on = ir::inlined(*tests, given, Where())[0];
    return step_or_stay(kSwitchLanes, at.body, carries_of(at), goes_on, given, types);
  };
  body = derived(tests, loop_key("lanes", at.body), types_of(inputs), with_batch, step);
}

Tensors step_or_stay(const OpDef& by, const FunctionAttr& body, size_t carries,
                     const Tensor& goes_on, TensorSpan given, TypeSpan types) {
  SwitchAttrs attrs;
  attrs.branches = {derived(body, "stays", types, body_types(*body),
                            [&](TensorSpan in) { return Tensors(in.first(carries)); }),
                    body};
  Tensors operands{cast(goes_on, DType::kI64)};
  for (const Tensor& t : given) operands.push_back(t);
  return apply_prepared(by, operands, &attrs, Where());
}

std::string loop_key(std::string_view kind, const FunctionAttr& body) {
  return text(kind, ':', static_cast<const void*>(body.get()));
}

std::vector<Type> body_types(const ir::Function& body) {
  std::vector<Type> out;
  for (size_t i = 0; i < body.parameter_count(); ++i) out.push_back(body.parameter_type(i));
  return out;
}

Tensor loop_row(const Tensor& x, int64_t i) {
  return x.view(x.shape().subspan(1), x.strides().subspan(1), i * x.strides()[0]);
}

constinit const OpDef kWhile{
    .name = "while",
    .doc = "Runs a function of what it carries as long as another one says so.",
    .inputs = {"operands...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<WhileAttrs>(),
    .infer = rule<infer_while>(),
    .grad = derive::rules<vjp, jvp>().saving_by(saving),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run>(),
};

}  // namespace weft
