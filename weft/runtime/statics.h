// What is no tensor in a tree, as a text: numbers and names by which one call is told from another,
// as people write them.
#pragma once

#include <string>

#include "weft/base/text.h"
#include "weft/base/text_cursor.h"
#include "weft/transform/tree.h"

namespace weft::detail {

template <class T>
inline constexpr bool is_pair_or_tuple = false;
template <class... T>
inline constexpr bool is_pair_or_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_pair_or_tuple<std::pair<A, B>> = true;

template <class T>
void append_statics(std::string& out, const T& tree) {
  const char* between = "";
  const auto append_next = [&](const auto& item, std::string_view name = {}) {
    out += text(between, name, name.empty() ? "" : " = ");
    append_statics(out, item);
    between = ", ";
  };
  if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Variable>) {
    out += "tensor";
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_quoted(out, tree);
  } else if constexpr (std::is_same_v<T, bool>) {
    out += tree ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    append_statics(out, static_cast<std::underlying_type_t<T>>(tree));
  } else if constexpr (std::is_integral_v<T>) {
    out += text(static_cast<int64_t>(tree));
  } else if constexpr (std::is_arithmetic_v<T>) {  // -0.0 is not 0.0, which gives another graph
    append_text(out, static_cast<double>(tree));
  } else if constexpr (is_pair_or_tuple<T>) {
    out += '(';
    std::apply([&](const auto&... items) { (append_next(items), ...); }, tree);
    out += ')';
  } else if constexpr (HasFields<T>) {
    out += '{';
    std::apply([&](auto... field) { (append_next(tree.*(field.member), field.name), ...); },
               T::fields);
    out += '}';
  } else {  // a list of trees, or a map to them
    out += '[';
    for (const auto& item : tree) append_next(item);
    out += ']';
  }
}

// A line for each argument of a call.
template <class... Args>
std::string statics_of(const std::tuple<Args...>& arguments) {
  std::string out;
  const auto append_line = [&](const auto& one) {
    append_statics(out, one);
    out += '\n';
  };
  std::apply([&](const auto&... all) { (append_line(all), ...); }, arguments);
  return out;
}

// "argument 1 was 0.5 and is 0.25", by the texts of two calls.
std::string changed_argument(std::string_view before, std::string_view now);

}  // namespace weft::detail
