// The function transformations, on functions over trees of tensors. They nest in any order, and
// have the names and meanings of Python's. Where Python takes several primals, C++ takes a
// std::tuple of them: it stands for a list of arguments, and results then are tuples too.
#pragma once

#include "weft/op/levels.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/transform/adapt.h"
#include "weft/transform/jacobian.h"
#include "weft/transform/jvp.h"
#include "weft/transform/vmap.h"

namespace weft {

namespace detail {

// body(f as a function of the leaves of the arguments I, those arguments).
template <size_t... I, class F, class Body, class... Args>
auto at_chosen(const F& f, const Body& body, const Args&... args) {
  using At = Chosen<I...>;
  const std::tuple<const Args&...> all(args...);
  const auto x = At::taken(all);
  const auto call = [&](const auto& list) {
    return At::call(f, all, list, std::index_sequence_for<Args...>());
  };
  auto of_leaves = flat(f, x, call);
  return body(of_leaves, x);
}

template <size_t... I, class F, class... Args>
auto value_and_grad_of(const F& f, Unconnected unconnected, Where where, const Args&... args) {
  const auto body = [&](auto& of_leaves, const auto& x) {
    static_assert(std::is_convertible_v<decltype(of_leaves.value()), const Tensor&>,
                  "a function to differentiate gives a scalar tensor; for more there is with_aux");
    const ValueAndGrad at = value_and_grad_flat(of_leaves, flattened(x), unconnected, where);
    auto slope = unlisted<Chosen<I...>::kAreSeveral>(rebuilt(x, at.gradients));
    if constexpr (has_aux<F>) {
      return std::pair(std::pair(at.value, of_leaves.aux()), std::move(slope));
    } else {
      return std::pair(at.value, std::move(slope));
    }
  };
  return at_chosen<I...>(f, body, args...);
}

// Blocks as a tree: like the arguments if f gives a tensor, like f's value if there is one tensor
// to differentiate with respect to; else one tree like the arguments for each leaf of the value.
template <bool kAreSeveral, class Value, class List>
auto blocks_as_tree(const Value& value, const List& x, const Tensors& blocks) {
  using X = decltype(unlisted<kAreSeveral>(x));
  if constexpr (std::is_same_v<X, Tensor> && !std::is_same_v<Value, Tensor>) {
    return rebuilt(value, blocks);
  } else {
    std::vector<X> rows;
    const size_t width = flattened(x).size();
    for (size_t at = 0; at + width <= blocks.size() && width > 0; at += width) {
      rows.push_back(unlisted<kAreSeveral>(rebuilt(x, TensorSpan(blocks).subspan(at, width))));
    }
    if constexpr (std::is_same_v<Value, Tensor>) {
      return rows.empty() ? unlisted<kAreSeveral>(x) : rows[0];
    } else {
      return rows;
    }
  }
}

template <size_t... I, class F, class Mode, class... Args>
auto jacobian_of(const F& f, Mode mode, Where where, const Args&... args) {
  const auto body = [&](auto& of_leaves, const auto& x) {
    const Tensors blocks = mode(of_leaves, flattened(x), where);
    return blocks_as_tree<Chosen<I...>::kAreSeveral>(of_leaves.value(), x, blocks);
  };
  return at_chosen<I...>(f, body, args...);
}

// How many leaves each part of a tuple has; of anything else, all of it.
template <class T>
std::vector<size_t> part_sizes(const T& tree) {
  if constexpr (requires { std::tuple_size<T>::value; }) {
    return std::apply(
        [](const auto&... part) { return std::vector<size_t>{flattened(part).size()...}; }, tree);
  } else {
    return {flattened(tree).size()};
  }
}

template <class F, class List>
auto vmap_of(const F& f, const VmapOptions& options, Where where, const List& all) {
  const auto call = [&](const auto& list) { return std::apply(f, list); };
  auto of_leaves = flat(f, all, call);
  FlatVmapOptions spread{.axis_size = options.axis_size,
                         .axis_name = options.axis_name,
                         .randomness = options.randomness};
  spread.in_axes = spread_axes(options.in_axes, part_sizes(all), "in_axes", "arguments");
  const auto run = [&](TensorSpan leaves) {
    Tensors out = of_leaves(leaves);
    spread.out_axes =
        spread_axes(options.out_axes, part_sizes(of_leaves.value()), "out_axes", "results");
    return out;
  };
  const Tensors out = vmap_flat(run, flattened(all), spread, where);
  return rebuilt(of_leaves.value(), out);
}

}  // namespace detail

// f's value and its gradient with respect to the arguments I (the first if none is given; several
// give a tuple), trees like those arguments:
//   auto [loss, slope] = value_and_grad(loss_of)(weights, batch);
//   auto [loss, slopes] = value_and_grad<0, 2>(f)(a, b, c);
// With with_aux(f) the value is the pair that f gives.
template <size_t... I, class F>
auto value_and_grad(F f, Unconnected unconnected = Unconnected::kRaise,
                    Where where = Where::here()) {
  return [f = std::move(f), unconnected, where](const auto&... args) {
    return detail::value_and_grad_of<I...>(f, unconnected, where, detail::argument(args)...);
  };
}

// The gradient alone, or with with_aux(f) a pair of it and what f gives beside its value:
//   grad(grad(cube))(x);   grad<1>(f)(a, b);   auto [slope, aux] = grad(with_aux(f))(x);
template <size_t... I, class F>
auto grad(F f, Unconnected unconnected = Unconnected::kRaise, Where where = Where::here()) {
  return [f = std::move(f), unconnected, where](const auto&... args) {
    auto both = detail::value_and_grad_of<I...>(f, unconnected, where, detail::argument(args)...);
    if constexpr (detail::has_aux<F>) {
      return std::pair(std::move(both.second), std::move(both.first.second));
    } else {
      return std::move(both.second);
    }
  };
}

// f at the primals and its derivative along the tangents, trees of one form:
//   auto [y, dy] = jvp(f, x, dx);   auto [y, dy] = jvp(g, std::tuple(a, b), std::tuple(da, db));
// With with_aux(f) what f gives beside its value comes third; so it does for vjp.
template <class F, class X, class T>
auto jvp(const F& f, const X& primals, const T& tangents, Where where = Where::here()) {
  const auto x = detail::listed(primals);
  const auto along = detail::listed(tangents);
  static_assert(std::is_same_v<decltype(x), decltype(along)>, "tangents are trees like primals");
  const auto call = [&](const auto& list) { return std::apply(f, list); };
  auto of_leaves = detail::flat(f, x, call);
  JvpResult at = jvp_flat(of_leaves, flattened(x), flattened(along), where);
  at.tangents = with_zeros(std::move(at.tangents), at.outputs, where);
  auto value = rebuilt(of_leaves.value(), at.outputs);
  auto tangent = rebuilt(of_leaves.value(), at.tangents);
  if constexpr (detail::has_aux<F>) {
    return std::tuple(std::move(value), std::move(tangent), of_leaves.aux());
  } else {
    return std::pair(std::move(value), std::move(tangent));
  }
}

// f at the primals, and the map from a cotangent of that to one of the primals:
//   auto [y, pull] = vjp(f, x);   const Tensor dx = pull(dy);
template <class F, class X>
auto vjp(const F& f, const X& primals, Where where = Where::here()) {
  const auto x = detail::listed(primals);
  const auto call = [&](const auto& list) { return std::apply(f, list); };
  auto of_leaves = detail::flat(f, x, call);
  const Linearization line(of_leaves, flattened(x), where, "vjp");
  auto value = rebuilt(of_leaves.value(), line.outputs());
  auto pull = [line, x, where](const decltype(value)& cotangent) {
    Tensors slopes = line.pull(flattened(cotangent));
    return detail::unlisted<detail::is_list<X>>(
        rebuilt(x, with_zeros(std::move(slopes), flattened(x), where)));
  };
  if constexpr (detail::has_aux<F>) {
    return std::tuple(std::move(value), std::move(pull), of_leaves.aux());
  } else {
    return std::pair(std::move(value), std::move(pull));
  }
}

// f at the primals, and the linear map from tangents to the tangent of that; f itself runs once:
//   auto [y, push] = linearize(f, x);   const Tensor dy = push(dx);
template <class F, class X>
auto linearize(const F& f, const X& primals, Where where = Where::here()) {
  const auto x = detail::listed(primals);
  const auto call = [&](const auto& list) { return std::apply(f, list); };
  auto of_leaves = detail::flat(f, x, call);
  const Linearization line(of_leaves, flattened(x), where, "linearize");
  auto value = rebuilt(of_leaves.value(), line.outputs());
  auto push = [line, value, where](const detail::Argument<X>& tangents) {
    return rebuilt(value, with_zeros(line.push(flattened(tangents)), line.outputs(), where));
  };
  return std::pair(std::move(value), std::move(push));
}

// All derivatives of f with respect to the arguments I, in reverse or forward mode. If f gives a
// tensor: a tree like the arguments, of blocks [*output shape, *input shape]. If it gives a tree:
// one like that for a single tensor argument; else a vector, a tree like the arguments per leaf.
//   const Tensor slopes = jacrev(f)(x);
template <size_t... I, class F>
auto jacrev(F f, Where where = Where::here()) {
  return [f = std::move(f), where](const auto&... args) {
    return detail::jacobian_of<I...>(f, jacrev_flat, where, detail::argument(args)...);
  };
}
template <size_t... I, class F>
auto jacfwd(F f, Where where = Where::here()) {
  return [f = std::move(f), where](const auto&... args) {
    return detail::jacobian_of<I...>(f, jacfwd_flat, where, detail::argument(args)...);
  };
}

// The second derivatives of a scalar f, forward over reverse: [*x shape, *x shape].
//   const Tensor curvature = hessian(f)(x);
template <size_t... I, class F>
auto hessian(F f, Where where = Where::here()) {
  return [slope = grad<I...>(std::move(f), Unconnected::kZero, where), where](const auto&... args) {
    return detail::jacobian_of<I...>(slope, hessian_flat, where, detail::argument(args)...);
  };
}

// The second derivative of a scalar f along the tangents, a tree like the primals:
//   const Tensor product = hvp(f, x, direction);
template <class F, class X, class T>
auto hvp(const F& f, const X& primals, const T& tangents, Where where = Where::here()) {
  const auto over = [&]<size_t... I>(std::index_sequence<I...>) {
    return jvp(grad<I...>(f, Unconnected::kZero, where), primals, tangents, where).second;
  };
  if constexpr (!detail::is_list<X>) {
    return over(std::index_sequence<0>());
  } else if constexpr (std::tuple_size_v<X> == 1) {
    return std::tuple(over(std::index_sequence<0>()));
  } else {
    return over(std::make_index_sequence<std::tuple_size_v<X>>());
  }
}

// f for every example of a batch at once, along axis 0 of all arguments if nothing else is said:
//   vmap(f, {.in_axes = {0, std::nullopt}, .out_axes = {1}})(batch, weights);
// in_axes has one entry for all arguments or one for each, out_axes one for all results or one for
// each part of the tuple that f gives; an entry is an axis for all leaves of a tree, or a list with
// one for each: {.in_axes = {{0, std::nullopt}, 0}}.
template <class F>
auto vmap(F f, VmapOptions options = {}, Where where = Where::here()) {
  return [f = std::move(f), options = std::move(options), where](const auto&... args) {
    return detail::vmap_of(f, options, where, detail::arguments(args...));
  };
}

// A tree as a constant: no gradient flows through.
//   const Layer frozen = stop_gradient(layer);
template <class T>
  requires(!std::is_convertible_v<T, Tensor>)
T stop_gradient(const T& tree, Where where = Where::here()) {
  return detail::mapped(tree, [&](const Tensor& leaf) { return stop_gradient(leaf, where); });
}

// A tree as constants, and outside of transformations as plain values: detach(x) of every leaf.
template <class T>
  requires(!std::is_convertible_v<T, Tensor>)
T detach(const T& tree, Where where = Where::here()) {
  return detail::mapped(tree, [&](const Tensor& leaf) { return detach(leaf, where); });
}

// Sums and means over the examples of a named axis, of every leaf.
template <class T>
  requires(!std::is_convertible_v<T, Tensor>)
T psum(const T& tree, std::string_view axis_name, Where where = Where::here()) {
  return detail::mapped(tree, [&](const Tensor& leaf) { return psum(leaf, axis_name, where); });
}
template <class T>
  requires(!std::is_convertible_v<T, Tensor>)
T pmean(const T& tree, std::string_view axis_name, Where where = Where::here()) {
  return detail::mapped(tree, [&](const Tensor& leaf) { return pmean(leaf, axis_name, where); });
}

// f, with nothing recorded inside; `const NoGrad off;` does the same to the rest of a block.
//   const Tensor y = no_grad(f)(x);
template <class F>
auto no_grad(F f) {
  return [f = std::move(f)](const auto&... args) {
    const NoGrad off;
    return f(args...);
  };
}

}  // namespace weft
