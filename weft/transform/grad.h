// The function transformations, on functions over trees of tensors. They nest in any order.
#pragma once

#include <optional>

#include "weft/op/builtin.h"
#include "weft/transform/cotangent.h"
#include "weft/transform/jvp.h"
#include "weft/transform/tree.h"
#include "weft/transform/vmap.h"

namespace weft {

namespace detail {

// Calls f(args...) with argument I replaced.
template <size_t I, class F, class Tuple, class New, size_t... J>
decltype(auto) call_with(F& f, const Tuple& args, const New& replaced, std::index_sequence<J...>) {
  return f([&]() -> decltype(auto) {
    if constexpr (I == J) {
      return (replaced);
    } else {
      return (std::get<J>(args));
    }
  }()...);
}

}  // namespace detail

// f's value and its gradient with respect to argument I, a tree like that argument:
//   auto [loss, slope] = value_and_grad(loss_of)(weights, batch);
template <size_t I = 0, class F>
auto value_and_grad(F f, Unconnected unconnected = Unconnected::kRaise,
                    Where where = Where::here()) {
  return [f, unconnected, where](const auto&... args) {
    const std::tuple<const std::decay_t<decltype(args)>&...> all(args...);
    const auto& argument = std::get<I>(all);
    const Tensors in = flattened(argument);
    const auto flat = [&](TensorSpan leaves) -> Tensors {
      return {detail::call_with<I>(f, all, rebuilt(argument, leaves),
                                   std::make_index_sequence<sizeof...(args)>())};
    };
    const Linearization line(flat, in, where);
    const Tensors start{initial_cotangent(line.outputs()[0], Tensor(), "grad", where)};
    const Tensors slope =
        connected(line, line.pull(start, /*last=*/true), in, unconnected, "grad", where);
    return std::pair(line.outputs()[0], rebuilt(argument, slope));
  };
}

template <size_t I = 0, class F>
auto grad(F f, Unconnected unconnected = Unconnected::kRaise, Where where = Where::here()) {
  return [both = value_and_grad<I>(std::move(f), unconnected, where)](const auto&... args) {
    return both(args...).second;
  };
}

// f(x) and its derivative along `tangent`, a tree like x.
template <class F, class X>
auto jvp(F f, const X& x, const X& tangent, Where where = Where::here()) {
  using Y = std::decay_t<decltype(f(x))>;
  std::optional<Y> form;
  const auto flat = [&](TensorSpan leaves) -> Tensors {
    form.emplace(f(rebuilt(x, leaves)));
    return flattened(*form);
  };
  JvpResult out = jvp_flat(flat, flattened(x), flattened(tangent), where);
  for (size_t k = 0; k < out.tangents.size(); ++k) {
    if (!out.tangents[k].defined())
      out.tangents[k] = zeros(Shape(out.outputs[k].shape()), out.outputs[k].dtype(), where);
  }
  return std::pair(rebuilt(*form, out.outputs), rebuilt(*form, out.tangents));
}

// f(x) and the map from a cotangent of f(x) to one of x.
template <class F, class X>
auto vjp(F f, const X& x, Where where = Where::here()) {
  using Y = std::decay_t<decltype(f(x))>;
  std::optional<Y> form;
  const auto flat = [&](TensorSpan leaves) -> Tensors {
    form.emplace(f(rebuilt(x, leaves)));
    return flattened(*form);
  };
  const Linearization line(flat, flattened(x), where);
  const auto pullback = [line, x, where](const Y& cotangent) {
    const Tensors in = flattened(x);
    return rebuilt(
        x, connected(line, line.pull(flattened(cotangent)), in, Unconnected::kZero, "vjp", where));
  };
  return std::pair(rebuilt(*form, line.outputs()), pullback);
}

// f for every example along axis 0 of all arguments.
template <class F>
auto vmap(F f, Where where = Where::here()) {
  return [f, where](const auto&... args) {
    const std::tuple<std::decay_t<decltype(args)>...> all(args...);
    const Tensors in = flattened(all);
    using Y = std::decay_t<decltype(std::apply(f, all))>;
    std::optional<Y> form;
    const auto flat = [&](TensorSpan leaves) -> Tensors {
      form.emplace(std::apply(f, rebuilt(all, leaves)));
      return flattened(*form);
    };
    VmapOptions options;
    options.in_axes.assign(in.size(), 0);
    const Tensors out = vmap_flat(flat, in, options, where);
    return rebuilt(*form, out);
  };
}

}  // namespace weft
