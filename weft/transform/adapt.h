// How functions over trees of tensors become functions over flat lists.
#pragma once

#include <optional>
#include <utility>

#include "weft/base/shared.h"
#include "weft/transform/tree.h"
#include "weft/transform/vjp.h"

namespace weft {

// A function that gives a pair: its value, and something beside it that is not differentiated.
//   auto [slope, accuracy] = grad(with_aux(loss_and_accuracy))(weights, batch);
template <class F>
struct WithAux {
  F f;
  template <class... Args>
  auto operator()(const Args&... args) const {
    return f(args...);
  }
};
template <class F>
WithAux<F> with_aux(F f) {
  return {std::move(f)};
}

// The tensor without transformations that have ended: what leaves a function beside its value.
Tensor without_ended_levels(Tensor t);

// The value as a constant: no gradient flows through it. Without transformations around it is the
// plain value, of which no tape knows.
Tensor detach(const Tensor& x, Where where = Where::here());

namespace detail {

template <class T>
inline constexpr bool has_aux = false;
template <class F>
inline constexpr bool has_aux<WithAux<F>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class... T>
inline constexpr bool is_list<std::tuple<T...>> = true;

// An argument as a tree: Variables are read.
template <class T>
const T& argument(const T& tree) {
  return tree;
}
inline Tensor argument(const Variable& variable) { return variable.read(); }
template <class T>
using Argument = std::remove_cvref_t<decltype(argument(std::declval<const T&>()))>;

template <class... Args>
std::tuple<Argument<Args>...> arguments(const Args&... args) {
  return std::tuple<Argument<Args>...>(argument(args)...);
}

// A tree of what `f` gives for every leaf.
template <class T, class F>
T mapped(const T& tree, const F& f) {
  Tensors leaves = flattened(tree);
  for (Tensor& leaf : leaves) leaf = f(leaf);
  return rebuilt(tree, leaves);
}

// The form alone: tensors in it would live as long as what keeps it.
template <class T>
T form_of(const T& tree) {
  return rebuilt(tree, Tensors(flattened(tree).size()));
}
template <class T>
using FormOf = Shared<std::optional<T>>;
template <class T>
FormOf<T> new_form() {
  return new_shared<std::optional<T>>();
}
// The leaves of a value, whose form is kept.
template <class T>
Tensors flattened_into(const T& value, std::optional<T>& form) {
  if (!form.has_value()) form.emplace(form_of(value));
  return flattened(value);
}

// A std::tuple is a list of arguments; anything else is the only one. And back.
template <class T>
auto listed(const T& tree) {
  if constexpr (is_list<T>) {
    return tree;
  } else {
    return std::tuple<Argument<T>>(argument(tree));
  }
}
template <bool kWasList, class List>
auto unlisted(List&& list) {
  if constexpr (kWasList) {
    return std::forward<List>(list);
  } else {
    return std::get<0>(std::forward<List>(list));
  }
}

// The arguments I of a call, and calls with others in their places.
template <size_t... I>
struct Places {
  static constexpr bool kAreSeveral = sizeof...(I) > 1;

  template <class... Args>
  static auto taken(const std::tuple<const Args&...>& all) {
    static_assert(((I < sizeof...(Args)) && ...), "there is no argument of that number");
    return std::tuple<std::tuple_element_t<I, std::tuple<Args...>>...>(std::get<I>(all)...);
  }
  template <class F, class All, class List, size_t... J>
  static auto call(const F& f, const All& all, const List& replaced, std::index_sequence<J...>) {
    return f(at<J>(all, replaced)...);
  }

 private:
  template <size_t J, class All, class List>
  static const auto& at(const All& all, const List& replaced) {
    constexpr size_t numbers[] = {I...};
    constexpr size_t place = [&] {
      size_t k = 0;
      while (k < sizeof...(I) && numbers[k] != J) ++k;
      return k;
    }();
    if constexpr (place < sizeof...(I)) {
      return std::get<place>(replaced);
    } else {
      return std::get<J>(all);
    }
  }
};
template <size_t... I>
struct Chosen : Places<I...> {};
template <>
struct Chosen<> : Places<0> {};

// f over a list of trees, as a function over flat lists. It remembers the form of f's value, and
// what f gave beside it.
template <class F, class List, class Call>
class Flat {
 public:
  using Result = std::remove_cvref_t<std::invoke_result_t<const Call&, const List&>>;
  static constexpr bool kHasAux = has_aux<F>;

  Flat(const List& like, const Call& call) : like_(like), call_(call) {}

  Tensors operator()(TensorSpan leaves) {
    result_.emplace(call_(rebuilt(like_, leaves)));
    return flattened(value());
  }
  const auto& value() const {
    if constexpr (kHasAux) {
      return std::get<0>(*result_);
    } else {
      return *result_;
    }
  }
  auto aux() const {
    const auto& aux = std::get<1>(*result_);
    Tensors leaves = flattened(aux);
    for (Tensor& leaf : leaves) leaf = without_ended_levels(leaf);
    return rebuilt(aux, leaves);
  }

 private:
  const List& like_;
  const Call& call_;
  std::optional<Result> result_;
};
template <class F, class List, class Call>
Flat<F, List, Call> flat(const F&, const List& like, const Call& call) {
  return {like, call};
}

}  // namespace detail
}  // namespace weft
