// How while runs: by addresses where its functions have plans, else step by step with tensors.
//
// The form that saves keeps what was carried at every step, or, when that would take more memory
// than it may, at every 2nd, 4th, ... step (checkpoints halved online); the backward pass computes
// the steps between again.
#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/control/loop.h"
#include "weft/control/while.h"
#include "weft/core/byte_count.h"
#include "weft/core/kept_copy.h"
#include "weft/core/native.h"

namespace weft {
namespace {

// What was carried at every `spacing`-th step, as rows of stacks. It takes half of the bytes: the
// backward pass computes as much again between two of them.
class Checkpoints {
 public:
  Checkpoints(TensorSpan carry, int64_t max_bytes)
      : most_(std::max<int64_t>(2, max_bytes / 2 / std::max<int64_t>(1, byte_count(carry)))) {}

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
  const RewrittenMemory carried(here);
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

}  // namespace

Tensors run_while(const WhileAttrs& at, TensorSpan in, TypeSpan types) {
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

}  // namespace weft
