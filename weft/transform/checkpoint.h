// checkpoint: functions of which a tape keeps the inputs only, and which run again when their
// derivatives are needed.
#pragma once

#include <functional>

#include "weft/transform/adapt.h"

namespace weft {

// f(in), as one op. What f reads beside its inputs, Variables or values of transformations around,
// counts as an input; draws of the default generator give the same numbers when it runs again.
Tensors checkpoint_flat(std::function<Tensors(TensorSpan)> f, TensorSpan in,
                        Where where = Where::here());

// What a checkpoint runs again, of the op's first `inputs` inputs; those behind are its values.
// Null: the op is another one.
struct CheckpointedCall {
  std::function<Tensors(TensorSpan)> run;
  size_t inputs = 0;
};
const CheckpointedCall* checkpointed_call_of(const OpDef& op, const void* attrs);

// f, computed again in the backward pass and not kept; f itself is, so let it capture by value:
//   const Tensor h = checkpoint(block)(x);
template <class F>
auto checkpoint(F f, Where where = Where::here()) {
  return [f = std::move(f), where](const auto&... args) {
    const auto all = detail::arguments(args...);
    using Value = std::remove_cvref_t<decltype(std::apply(f, all))>;
    const auto form = detail::new_form<Value>();
    const auto flat = [f, like = detail::form_of(all), form](TensorSpan leaves) {
      return detail::flattened_into<Value>(std::apply(f, rebuilt(like, leaves)), *form);
    };
    const Tensors in = flattened(all);
    const Tensors out = checkpoint_flat(flat, in, where);
    return rebuilt(**form, out);
  };
}

}  // namespace weft
