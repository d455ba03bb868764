// update_op: an op that updates many tensors in one pass, from one meaning generic over {Expr,
// Tensor}.
//
//     constexpr auto descend = [](auto lr, auto p, auto g) { return std::array{p - g * lr}; };
//     constinit const OpDef kDescend = update_op<descend, 1>("descend.update", "p - lr * g.");
//
// The meaning takes scalars, then a tensor of each list: what is updated, its gradient, and what
// else is updated; it gives the new ones of all but the gradient. On Expr it becomes one kernel for
// all tensors of a call, on Tensor it is what derivatives are made of.
#pragma once

#include <array>

#include "weft/op/apply.h"
#include "weft/op/composed.h"
#include "weft/ops/math/operators.h"

namespace weft {

// How many scalars and lists of tensors an update takes.
struct UpdateForm {
  size_t scalars = 0, lists = 0;
};

Types update_types(UpdateForm form, const InferCtx& cx, TypeSpan in);
// The outputs by ordinary ops, tensor by tensor.
Tensors update_formula(UpdateForm form, TensorSpan in, void (*meaning)(const Tensor*, Tensor*));

// a * x + b * y, and the first product is the first to be made: C++ leaves that open.
template <class T>
T weighted(const T& a, const T& x, const T& b, const T& y) {
  const T first = a * x;
  return first + b * y;
}

namespace detail {

template <auto F, class T, size_t... I>
auto call_update(const T* in, std::index_sequence<I...>) {
  return F(in[I]...);
}

// How many tensors a meaning takes, after so many scalars: one more than it gives.
template <auto F, size_t Scalars, size_t Lists = 2>
constexpr size_t lists_of() {
  const auto takes = []<size_t... I>(std::index_sequence<I...>) {
    return requires(const Expr* in) { F(in[I]...); };
  };
  if constexpr (takes(std::make_index_sequence<Scalars + Lists>())) {
    return Lists;
  } else {
    static_assert(Lists < 12, "an update of more tensors than there is room for");
    return lists_of<F, Scalars, Lists + 1>();
  }
}

template <auto F, size_t Scalars>
struct Update {
  static constexpr UpdateForm kForm{Scalars, lists_of<F, Scalars>()};

  template <class T>
  static void meaning(const T* in, T* out) {
    const auto results = call_update<F>(in, std::make_index_sequence<Scalars + kForm.lists>());
    static_assert(results.size() + 1 == kForm.lists, "all but the gradient have a new value");
    for (size_t k = 0; k < results.size(); ++k) out[k] = results[k];
  }
  static Types infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
    return update_types(kForm, cx, in);
  }
  static Tensors formula(const NoAttrs&, const GradCtx& cx, TensorSpan) {
    return update_formula(kForm, cx.inputs, meaning<Tensor>);
  }
};

}  // namespace detail

template <auto F, size_t Scalars>
constexpr OpDef update_op(std::string_view name, std::string_view doc) {
  using This = detail::Update<F, Scalars>;
  return {
      .name = name,
      .module = "optim",
      .doc = doc,
      .inputs = {"operands...: floating"},
      .outputs = {"out...: like operands"},
      .laws = {Law{"count", "scalars, then lists of equally many tensors"},
               Law{"scalar", "the first inputs are scalars"},
               Law{"shape", "the tensors of a parameter have its shape"}},
      .infer = rule<This::infer>(),
      .grad = derive::composed<This::formula>(),
      .batch = batch::per_example("the lists of an update are not told apart from its scalars"),
      .kernel = kernel::update(static_cast<int>(Scalars), static_cast<int>(This::kForm.lists),
                               This::template meaning<Expr>),
  };
}

}  // namespace weft
