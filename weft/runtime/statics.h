// What is no tensor in a tree, as a text: numbers and names by which one call is told from another.
#pragma once

#include <cstring>
#include <string>

#include "weft/base/text.h"
#include "weft/transform/tree.h"

namespace weft::detail {

template <class T>
inline constexpr bool is_pair_or_tuple = false;
template <class... T>
inline constexpr bool is_pair_or_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_pair_or_tuple<std::pair<A, B>> = true;

// Numbers by their bits: 0.0 and -0.0 give other graphs.
template <class T>
void append_bits(std::string& out, const T& number) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &number, sizeof(T));
  static constexpr char kDigits[] = "0123456789abcdef";
  for (const char byte : bytes) {
    out += kDigits[static_cast<unsigned char>(byte) >> 4];
    out += kDigits[static_cast<unsigned char>(byte) & 15];
  }
}

template <class T>
void append_statics(std::string& out, const T& tree) {
  const auto append_all = [&](const auto&... items) {
    out += '(';
    ((append_statics(out, items), out += ' '), ...);
    out += ')';
  };
  if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Variable>) {
    out += '*';
  } else if constexpr (std::is_same_v<T, std::string>) {
    out += text(tree.size(), ':', tree);
  } else if constexpr (std::is_integral_v<T>) {
    out += text(static_cast<int64_t>(tree));
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    append_bits(out, tree);
  } else if constexpr (is_pair_or_tuple<T>) {
    std::apply(append_all, tree);
  } else if constexpr (HasFields<T>) {
    std::apply([&](auto... field) { append_all(tree.*(field.member)...); }, T::fields);
  } else {  // a list of trees, or a map to them
    out += '[';
    for (const auto& item : tree) append_statics(out, item);
    out += ']';
  }
}

template <class T>
std::string statics_of(const T& tree) {
  std::string out;
  append_statics(out, tree);
  return out;
}

}  // namespace weft::detail
