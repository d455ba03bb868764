// Conditions and loops over functions of trees: what control.h declares on flat lists, for people.
#pragma once

#include <functional>

#include "weft/control/control.h"
#include "weft/state/state.h"

namespace weft {
namespace detail {

// What each branch gives: all give what the first does.
template <class Branches, class Arguments>
struct OfBranches {  // a range of functions of one type
  using Value = decltype(std::apply(*std::begin(std::declval<const Branches&>()),
                                    std::declval<const Arguments&>()));
};
template <class First, class... More, class Arguments>
struct OfBranches<std::tuple<First, More...>, Arguments> {
  using Value = decltype(std::apply(std::declval<const First&>(), std::declval<Arguments>()));
};
template <class Branches, class Arguments>
using ValueOfBranches = std::remove_cvref_t<typename OfBranches<Branches, Arguments>::Value>;

template <class Branches, class Call>
void for_each_branch(const Branches& branches, const Call& call) {
  if constexpr (is_list<Branches>) {
    std::apply([&](const auto&... branch) { (call(branch), ...); }, branches);
  } else {
    for (const auto& branch : branches) call(branch);
  }
}

// Of a loop that counts: a number, a tensor, a Variable or a size.
template <class T>
Tensor bound(const T& value, Where where) {
  if constexpr (std::is_same_v<T, Dim>) {
    return size_value(value, where);
  } else {
    return Tensor(value);
  }
}

}  // namespace detail

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
  const auto yes = flat(then);
  const auto no = flat(otherwise);
  const Tensors out = cond_flat(pred, yes, no, flattened(all), Where());
  return rebuilt(*form, out);
}

// branches[index](operands...); the last of them if there is no such number. The branches are a
// tuple of functions, or a vector or array of functions of one type; all give trees of one form.
template <class Branches, class... Operands>
auto switch_case(const Tensor& index, const Branches& branches, const Operands&... operands) {
  const auto all = detail::arguments(operands...);
  using Value = detail::ValueOfBranches<Branches, decltype(all)>;
  std::optional<Value> form;
  std::vector<std::function<Tensors(TensorSpan)>> flat;
  detail::for_each_branch(branches, [&](const auto& f) {
    flat.push_back([&](TensorSpan leaves) {
      return detail::flattened_into<Value>(std::apply(f, rebuilt(all, leaves)), form);
    });
  });
  const std::vector<FlatFunction> functions(flat.begin(), flat.end());
  const Tensors out = switch_flat(index, functions, flattened(all), "switch_case", Where());
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

// f of every row of the tensors in `xs`, one after the other, the results stacked; vmap computes
// them at once.
template <class F, class Rows>
auto map(F f, const Rows& xs, Where where = Where::here()) {
  using Result = std::remove_cvref_t<decltype(f(xs))>;
  std::optional<Result> form;
  const auto one = [&](TensorSpan leaves) {
    return detail::flattened_into<Result>(f(rebuilt(xs, leaves)), form);
  };
  const Tensors out = map_flat(one, flattened(xs), where);
  return rebuilt(*form, out);
}

// body(i, value) for i from `lower` up to `upper`, beginning with `init`. The bounds are numbers,
// or tensors and sizes of which only the run knows the value.
template <class Lower, class Upper, class Body, class State>
State fori_loop(const Lower& lower, const Upper& upper, Body body, const State& init,
                Where where = Where::here()) {
  const auto step = [&](TensorSpan leaves) {
    return flattened(State(body(leaves[0], rebuilt(init, leaves.subspan(1)))));
  };
  const Tensors state = flattened(init);
  if constexpr (std::is_integral_v<Lower> && std::is_integral_v<Upper>) {
    const auto first = static_cast<int64_t>(lower), last = static_cast<int64_t>(upper);
    return rebuilt(init, fori_flat(first, last, step, state, where));
  } else {
    return rebuilt(init, fori_flat(detail::bound(lower, where), detail::bound(upper, where), step,
                                   state, where));
  }
}

}  // namespace weft
