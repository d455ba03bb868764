// Trees of tensors: what functions take and give. A Tensor, or vectors, arrays, tuples, pairs, maps
// and structs with a field list, of trees; numbers and strings in them are carried along.
#pragma once

#include <array>
#include <tuple>
#include <vector>

#include "weft/op/attrs.h"
#include "weft/op/variable.h"

namespace weft {

// struct Layer { Tensor weight, bias; static constexpr auto fields = fields_of(...); };
template <class T>
concept HasFields = requires { T::fields; };

template <class T>
struct Tree;

template <>
struct Tree<Tensor> {
  static void flatten(const Tensor& t, Tensors& out) { out.push_back(t); }
  static Tensor rebuild(const Tensor&, const Tensor*& next) { return *next++; }
};

// A Variable inside of a tree is its value.
template <>
struct Tree<Variable> {
  static void flatten(const Variable& v, Tensors& out) { out.push_back(v.value()); }
};

// What holds no tensors is carried along as it is: sizes, flags, names.
template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>)
struct Tree<T> {
  static void flatten(const T&, Tensors&) {}
  static T rebuild(const T& like, const Tensor*&) { return like; }
};

template <class T>
struct Tree<std::vector<T>> {
  static void flatten(const std::vector<T>& list, Tensors& out) {
    for (const T& item : list) Tree<T>::flatten(item, out);
  }
  static std::vector<T> rebuild(const std::vector<T>& like, const Tensor*& next) {
    std::vector<T> out;
    for (const T& item : like) out.push_back(Tree<T>::rebuild(item, next));
    return out;
  }
};

template <class T, size_t N>
struct Tree<std::array<T, N>> {
  static void flatten(const std::array<T, N>& list, Tensors& out) {
    for (const T& item : list) Tree<T>::flatten(item, out);
  }
  static std::array<T, N> rebuild(const std::array<T, N>& like, const Tensor*& next) {
    std::array<T, N> out;
    for (size_t i = 0; i < N; ++i) out[i] = Tree<T>::rebuild(like[i], next);
    return out;
  }
};

template <class... T>
struct Tree<std::tuple<T...>> {
  static void flatten(const std::tuple<T...>& list, Tensors& out) {
    std::apply([&](const T&... item) { (Tree<T>::flatten(item, out), ...); }, list);
  }
  static std::tuple<T...> rebuild(const std::tuple<T...>& like, const Tensor*& next) {
    // Braces: the items are rebuilt from left to right.
    return std::apply(
        [&](const T&... item) { return std::tuple<T...>{Tree<T>::rebuild(item, next)...}; }, like);
  }
};

template <class A, class B>
struct Tree<std::pair<A, B>> {
  static void flatten(const std::pair<A, B>& pair, Tensors& out) {
    Tree<A>::flatten(pair.first, out);
    Tree<B>::flatten(pair.second, out);
  }
  static std::pair<A, B> rebuild(const std::pair<A, B>& like, const Tensor*& next) {
    A first = Tree<A>::rebuild(like.first, next);
    return {std::move(first), Tree<B>::rebuild(like.second, next)};
  }
};

// std::map, without its header: keys are carried along, in their order.
template <class Map>
  requires requires(Map map) {
    typename Map::key_compare;
    typename Map::mapped_type;
    map.begin()->second;
  }
struct Tree<Map> {
  using Item = typename Map::mapped_type;
  static void flatten(const Map& map, Tensors& out) {
    for (const auto& [key, item] : map) Tree<Item>::flatten(item, out);
  }
  static Map rebuild(const Map& like, const Tensor*& next) {
    Map out = like;
    for (auto& [key, item] : out) item = Tree<Item>::rebuild(item, next);
    return out;
  }
};

template <HasFields T>
struct Tree<T> {
  static void flatten(const T& tree, Tensors& out) {
    std::apply([&](auto... field) { (flatten_one(tree.*(field.member), out), ...); }, T::fields);
  }
  static T rebuild(const T& like, const Tensor*& next) {
    T out = like;
    std::apply([&](auto... field) { (rebuild_one(out.*(field.member), next), ...); }, T::fields);
    return out;
  }

 private:
  template <class U>
  static void flatten_one(const U& item, Tensors& out) {
    Tree<U>::flatten(item, out);
  }
  template <class U>
  static void rebuild_one(U& item, const Tensor*& next) {
    item = Tree<U>::rebuild(item, next);
  }
};

template <class T>
Tensors flattened(const T& tree) {
  Tensors out;
  Tree<T>::flatten(tree, out);
  return out;
}
// A tree of the form of `like`, with these leaves.
template <class T>
T rebuilt(const T& like, TensorSpan leaves) {
  const Tensor* next = leaves.data();
  return Tree<T>::rebuild(like, next);
}

}  // namespace weft
