// Forward hooks: functions that see the calls of a module, and may change what goes in or comes
// out.
//
//   const nn::Hook hook = net.first.register_forward_hook(
//       [&](const nn::ModuleBase&, TensorSpan inputs, TensorSpan outputs) { seen = outputs[0]; });
//   net(x);
//   hook.remove();
#pragma once

#include <functional>
#include <optional>

#include "weft/base/shared.h"
#include "weft/transform/tree.h"

namespace weft::nn {

class ModuleBase;

// What a hook gives: nothing, or tensors instead of those that it saw, as many.
class Replaced {
 public:
  Replaced() = default;
  Replaced(Tensor one)
      : Replaced(Tensors{std::move(one)}) {}       // NOLINT(google-explicit-constructor)
  Replaced(Tensors all) : all_(std::move(all)) {}  // NOLINT(google-explicit-constructor)
  Replaced(std::nullopt_t) {}                      // NOLINT(google-explicit-constructor)
  const std::optional<Tensors>& tensors() const { return all_; }

 private:
  std::optional<Tensors> all_;
};

namespace detail {

// One registered function; `outputs` are none before the call.
struct HookEntry {
  std::function<Replaced(const ModuleBase&, TensorSpan inputs, TensorSpan outputs)> function;
  bool is_before;
  uint64_t number;  // of all hooks there ever were: traces know by it what they have called
  bool is_removed = false;
};

}  // namespace detail

// A registered hook. The hook stays when this ends; `remove` takes it away, from copies of the
// module too.
class Hook {
 public:
  explicit Hook(Shared<detail::HookEntry> entry) : entry_(std::move(entry)) {}
  void remove() const { entry_->is_removed = true; }

 private:
  Shared<detail::HookEntry> entry_;
};

namespace detail {

// What the tensors of arguments and results can be seen in and replaced: trees.
template <class T>
inline constexpr bool is_plain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool is_tree = is_plain<T>;
template <HasFields T>
inline constexpr bool is_tree<T> =
    requires(const T& tree, const Tensor*& next) { Tree<T>::rebuild(tree, next); };
template <>
inline constexpr bool is_tree<Tensor> = true;
template <class T>
inline constexpr bool is_tree<std::vector<T>> = is_tree<T>;
template <class T, size_t N>
inline constexpr bool is_tree<std::array<T, N>> = is_tree<T>;
template <class A, class B>
inline constexpr bool is_tree<std::pair<A, B>> = is_tree<A> && is_tree<B>;
template <class... T>
inline constexpr bool is_tree<std::tuple<T...>> = (is_tree<T> && ...);

template <class T>
inline constexpr bool is_row = std::same_as<T, TensorSpan> || std::same_as<T, Tensors>;

template <class T>
void add_leaves(const T& argument, Tensors& out) {
  if constexpr (is_row<T>) {
    for (const Tensor& one : argument) out.push_back(one);
  } else if constexpr (is_tree<T>) {
    Tree<T>::flatten(argument, out);
  }
}
// The argument with these leaves; what has none stays itself.
template <class Argument>
decltype(auto) with_leaves(Argument& argument, const Tensor*& next) {
  using T = std::remove_const_t<Argument>;
  if constexpr (is_row<T>) {
    next += argument.size();
    return T(next - argument.size(), next);
  } else if constexpr (is_tree<T> && !is_plain<T>) {
    return Tree<T>::rebuild(argument, next);
  } else {
    return (argument);
  }
}

// The hooks of a module around a call. `inputs` become what hooks make of them.
void call_before(const ModuleBase& module, Tensors& inputs);
// Whether `outputs` have become others.
bool call_after(const ModuleBase& module, TensorSpan inputs, Tensors& outputs);

// f(args...) between the hooks before and after.
template <class F, class... Args>
auto hooked(const ModuleBase& module, const F& f, Args&... args) {
  Tensors inputs;
  (add_leaves(args, inputs), ...);
  call_before(module, inputs);
  const Tensor* next = inputs.data();
  // Braces: leaves are taken from left to right.
  std::tuple<decltype(with_leaves(args, next))...> given{with_leaves(args, next)...};
  using Result = std::remove_cvref_t<decltype(std::apply(f, given))>;
  Tensors outputs;
  if constexpr (std::is_void_v<Result>) {
    std::apply(f, given);
    call_after(module, inputs, outputs);
  } else {
    Result result = std::apply(f, given);
    add_leaves(result, outputs);
    const bool is_replaced = call_after(module, inputs, outputs);
    if constexpr (is_tree<Result> || is_row<Result>) {
      next = outputs.data();
      if (is_replaced) result = with_leaves(result, next);
    }
    return result;
  }
}

}  // namespace detail
}  // namespace weft::nn
