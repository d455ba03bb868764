// Conditions and loops over functions of trees: what control.h declares on flat lists, for people.
#pragma once

#include "weft/control/control.h"

namespace weft {

// then(operands...) if `pred` is true, else otherwise(operands...); both give trees of one form.
template <class Then, class Otherwise, class... Operands>
auto cond(const Tensor& pred, Then then, Otherwise otherwise, const Operands&... operands) {
  const auto all = detail::arguments(operands...);
  using Value = std::remove_cvref_t<decltype(std::apply(then, all))>;
  std::optional<Value> form;
  const auto flat = [&](const auto& f) {
    return [&](TensorSpan leaves) {
      return detail::flattened_into<Value>(std::apply(f, rebuilt(all, leaves)), form);
    };
  };
  const auto yes = flat(then), no = flat(otherwise);
  const Tensors out = cond_flat(pred, yes, no, flattened(all), Where());
  return rebuilt(*form, out);
}

// Applies `body` to `init`, then to what it gives, as long as `test` of it is true. A tuple stands
// for several arguments.
template <class Test, class Body, class State>
State while_loop(Test test, Body body, const State& init, const WhileOptions& options = {},
                 Where where = Where::here()) {
  const auto call = [&](const auto& f, TensorSpan leaves) {
    if constexpr (detail::is_list<State>) {
      return std::apply(f, rebuilt(init, leaves));
    } else {
      return f(rebuilt(init, leaves));
    }
  };
  const auto goes_on = [&](TensorSpan leaves) { return Tensors{Tensor(call(test, leaves))}; };
  const auto step = [&](TensorSpan leaves) { return flattened(State(call(body, leaves))); };
  return rebuilt(init, while_flat(goes_on, step, flattened(init), options, where));
}

// f(carry, row) gives the next carry and a row of results, for every row of the tensors in `xs`:
// the last carry, and the rows stacked.
template <class F, class Carry, class Rows>
auto scan(F f, const Carry& init, const Rows& xs, const ScanOptions& options = {},
          Where where = Where::here()) {
  using Pair = std::remove_cvref_t<decltype(f(init, xs))>;
  using Result = std::remove_cvref_t<decltype(std::declval<Pair>().second)>;
  std::optional<Result> form;
  const size_t carried = flattened(init).size();
  const auto step = [&](TensorSpan leaves) {
    const Pair out = f(rebuilt(init, leaves.first(carried)), rebuilt(xs, leaves.subspan(carried)));
    Tensors all = flattened(Carry(out.first));
    for (const Tensor& t : detail::flattened_into<Result>(out.second, form)) all.push_back(t);
    return all;
  };
  const ScanResult out = scan_flat(step, flattened(init), flattened(xs), options, where);
  return std::pair<Carry, Result>(rebuilt(init, out.carry), rebuilt(*form, out.rows));
}

}  // namespace weft
