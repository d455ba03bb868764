// Functions with rules of their own: a forward pass, and a backward pass or a tangent rule.
#pragma once

#include <functional>
#include <string>

#include "weft/op/batch.h"
#include "weft/transform/adapt.h"

namespace weft {

// What a forward pass leaves for the backward pass.
class CustomContext {
 public:
  // Inputs and outputs that are saved are differentiated through again by higher orders; anything
  // else counts as a constant.
  void save_for_backward(TensorSpan tensors) { saved_.assign(tensors.begin(), tensors.end()); }
  template <class... T>
  void save_for_backward(const Tensor& first, const T&... more) {
    saved_ = {first, more...};
  }
  const Tensors& saved_tensors() const { return saved_; }
  bool needs_input_grad(size_t input) const { return wanted_[input]; }
  size_t input_count() const { return wanted_.size(); }

  Shared<void> user;  // anything else the two share

 private:
  friend struct CustomCall;
  Tensors saved_;
  std::vector<bool> wanted_;
};

// All outputs of a batch, from the batched inputs: see BatchCtx.
using CustomBatch = std::function<Tensors(const BatchCtx& cx)>;

// The rules of a function over flat lists. One of `backward` and `jvp` is enough: the other mode is
// its transpose.
struct CustomRules {
  std::string name = "custom";
  std::function<Tensors(CustomContext&, TensorSpan in)> forward;
  // Cotangents of the outputs (undefined: zero) to one per input; undefined where there is none.
  std::function<Tensors(const CustomContext&, TensorSpan cotangents)> backward;
  // Primals and tangents (undefined: zero) to the tangents of the outputs.
  std::function<Tensors(TensorSpan primals, TensorSpan tangents)> jvp;
  // Under vmap: inputs and outputs with the batch axis in front. Without it the passes run on
  // batched values, unless per_example lets them run example by example.
  CustomBatch batch;
  bool per_example = false;
  // A graph takes the rule in together with the function. Else it runs where it is asked for.
  bool is_traced = true;
  // The backward pass is given zeros where a cotangent is undefined.
  bool fill_cotangents = false;
};

// Runs the forward pass; every level that follows an input records ONE node for it.
Tensors apply_custom(Shared<const CustomRules> rules, TensorSpan in, Where where = Where::here());

// What to call an op in a picture or a message: for a custom function, its own name.
std::string_view shown_name(const OpDef& op, const void* attrs);

struct CustomOptions {
  std::string name = "custom";
  CustomBatch batch = nullptr;  // under vmap; without it batched as the ops it is made of, unless
  bool per_example = false;     // it is to run example by example
};

namespace detail {

inline CustomRules rules_with(const CustomOptions& options) {
  CustomRules rules;
  rules.name = options.name;
  rules.batch = options.batch;
  rules.per_example = options.per_example;
  return rules;
}
// Calls `rules`, whose forward pass keeps the form of its value in `form`.
template <class Value>
Value call_custom(Shared<const CustomRules> rules, const Tensors& in, const FormOf<Value>& form,
                  Where where) {
  const Tensors out = apply_custom(std::move(rules), in, where);
  return rebuilt(**form, out);
}
// Leaves of a tree, or of a tuple of trees.
template <class T>
Tensors leaves_of(const T& tree) {
  return flattened(listed(tree));
}
// A tuple is a list; a list of one stands for its item.
template <class List>
auto only_or_all(List list) {
  return unlisted<(std::tuple_size_v<List> > 1)>(std::move(list));
}

}  // namespace detail

// A function that gives its value and the map from the value's cotangent to that of its argument,
// a tuple of them for several arguments:
//   const auto log1pexp = custom_gradient([](const Tensor& x) {
//     const Tensor e = exp(x);
//     return std::pair(log1p(e), [e](const Tensor& g) { return g * (1.0 - 1.0 / (e + 1.0)); });
//   });
template <class F>
auto custom_gradient(F f, CustomOptions options = {}, Where where = Where::here()) {
  return [f = std::move(f), options = std::move(options), where](const auto&... args) {
    const auto all = detail::arguments(args...);
    using Value = std::remove_cvref_t<decltype(std::apply(f, all).first)>;
    const Tensors in = flattened(all);
    const auto like = detail::form_of(all);
    const auto form = detail::new_form<Value>();
    auto rules = new_shared<CustomRules>(detail::rules_with(options));
    rules->fill_cotangents = true;
    rules->forward = [f, like, form](CustomContext& cx, TensorSpan leaves) {
      cx.save_for_backward(leaves);
      return detail::flattened_into<Value>(std::apply(f, rebuilt(like, leaves)).first, *form);
    };
    // The arguments as this level sees them: what the map closes over is followed by outer levels.
    rules->backward = [f, like](const CustomContext& cx, TensorSpan cotangents) {
      const auto [value, pull] = std::apply(f, rebuilt(like, cx.saved_tensors()));
      return detail::leaves_of(pull(rebuilt(value, cotangents)));
    };
    return detail::call_custom<Value>(std::move(rules), in, form, where);
  };
}

// f with a rule for its forward derivative; reverse mode is the transpose. `rule` takes primals and
// tangents (tuples if there are several) and gives the tangent of the value:
//   custom_jvp([](const Tensor& x) { return sin(x); },
//              [](const Tensor& x, const Tensor& t) { return cos(x) * t; });
template <class F, class Rule>
auto custom_jvp(F f, Rule rule, CustomOptions options = {}, Where where = Where::here()) {
  return [f = std::move(f), rule = std::move(rule), options = std::move(options),
          where](const auto&... args) {
    const auto all = detail::arguments(args...);
    using Value = std::remove_cvref_t<decltype(std::apply(f, all))>;
    const Tensors in = flattened(all);
    const auto like = detail::form_of(all);
    const auto form = detail::new_form<Value>();
    auto rules = new_shared<CustomRules>(detail::rules_with(options));
    rules->forward = [f, like, form](CustomContext&, TensorSpan leaves) {
      return detail::flattened_into<Value>(std::apply(f, rebuilt(like, leaves)), *form);
    };
    rules->jvp = [rule, like](TensorSpan primals, TensorSpan tangents) {
      const Tensors along = with_zeros(Tensors(tangents), primals, Where());
      return flattened(rule(detail::only_or_all(rebuilt(like, primals)),
                            detail::only_or_all(rebuilt(like, along))));
    };
    return detail::call_custom<Value>(std::move(rules), in, form, where);
  };
}

// A function with a backward pass of its own, which adds one node to the tape:
//   struct Cube : Function<Cube> {
//     static Tensor forward(CustomContext& cx, const Tensor& x) {
//       cx.save_for_backward(x);
//       return x * x * x;
//     }
//     static Tensor backward(const CustomContext& cx, const Tensor& g) {
//       const Tensor& x = cx.saved_tensors()[0];
//       return g * 3.0 * x * x;
//     }
//   };
//   const Tensor y = Cube::apply(x);
// Several cotangents come as the value's tuple; those of several arguments are given as one. A
// static `Tensors batch(const BatchCtx&)` is its rule for vmap, which else batches the ops inside.
template <class Derived>
struct Function {
  static constexpr const char* name = "Function";
  static constexpr bool per_example = false;

  template <class... Args>
  static auto apply(const Args&... args) {
    const auto all = detail::arguments(args...);
    const auto forward = [](CustomContext& cx, const auto& list) {
      return std::apply([&](const auto&... x) { return Derived::forward(cx, x...); }, list);
    };
    using Value = decltype(forward(std::declval<CustomContext&>(), all));
    const Tensors in = flattened(all);
    const auto like = detail::form_of(all);
    const auto form = detail::new_form<Value>();
    auto rules = new_shared<CustomRules>();
    rules->name = Derived::name;
    rules->per_example = Derived::per_example;
    if constexpr (requires(const BatchCtx& cx) { Derived::batch(cx); }) {
      rules->batch = [](const BatchCtx& cx) { return Derived::batch(cx); };
    }
    rules->fill_cotangents = true;
    rules->forward = [=](CustomContext& cx, TensorSpan leaves) {
      const Value value = forward(cx, rebuilt(like, leaves));
      return detail::flattened_into<Value>(value, *form);
    };
    rules->backward = [form](const CustomContext& cx, TensorSpan cotangents) {
      return detail::leaves_of(Derived::backward(cx, rebuilt(**form, cotangents)));
    };
    return detail::call_custom<Value>(std::move(rules), in, form, Where());
  }
};

}  // namespace weft
