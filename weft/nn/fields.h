// The field list of a module: one line that gives its parameters, buffers, modules and their names.
//
//   static constexpr auto fields = fields_of(nn::field("first", &Net::first),
//                                            nn::field("scale", &Net::scale),
//                                            nn::buffer("count", &Net::count));
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <tuple>

#include "weft/op/attrs.h"
#include "weft/op/variable.h"

namespace weft::nn {

class ModuleBase;

template <class M, class T>
struct ModuleField {
  std::string_view name;  // empty: what is in it stands in its place
  T M::* member;
  bool is_buffer;
};

// A Variable that is learned, a module, or vectors, arrays, maps, optionals and structs with a
// field list, of such.
template <class M, class T>
constexpr ModuleField<M, T> field(std::string_view name, T M::* member) {
  return {name, member, false};
}
// A Variable that is saved with the module, but not learned.
template <class M>
constexpr ModuleField<M, Variable> buffer(std::string_view name, Variable M::* member) {
  return {name, member, true};
}

// Of a module whose members hold none of these.
inline constexpr auto kNoFields = fields_of();

// What a walk over fields meets, in the order of the list.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void variable(const std::string& name, Variable& place, bool is_buffer) = 0;
  virtual void module(const std::string& name, ModuleBase& module) = 0;
};

namespace detail {

std::string joined(std::string_view path, std::string_view name);

template <class T>
concept NamedItems = requires(T items) {
  { items.begin()->first } -> std::convertible_to<std::string_view>;
  items.begin()->second;
  items.end();
};
template <class T>
concept Items = requires(T items) {
  *items.begin();
  items.end();
};
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
// What holds a module or a function without saying which.
template <class T>
concept ModuleHolder = requires(T holder) {
  { holder.module() } -> std::same_as<ModuleBase*>;
};

template <class T>
void visit_fields(FieldVisitor& visitor, const std::string& path, T& holder);

template <class T>
void visit(FieldVisitor& visitor, const std::string& name, T& item, bool is_buffer = false) {
  if constexpr (std::same_as<T, Variable>) {
    if (item.defined()) visitor.variable(name, item, is_buffer);
  } else if constexpr (std::derived_from<T, ModuleBase>) {
    visitor.module(name, item);
  } else if constexpr (ModuleHolder<T>) {
    if (item.module() != nullptr) visitor.module(name, *item.module());
  } else if constexpr (is_optional<T>) {
    if (item.has_value()) visit(visitor, name, *item);
  } else if constexpr (NamedItems<T>) {
    for (auto& [key, below] : item) visit(visitor, joined(name, key), below);
  } else if constexpr (Items<T>) {
    size_t i = 0;
    for (auto& below : item) visit(visitor, joined(name, text(i++)), below);
  } else {
    static_assert(
        requires { T::fields; },
        "a field of a module is a Variable, a module, or a container of such");
    visit_fields(visitor, name, item);
  }
}

template <class T>
void visit_fields(FieldVisitor& visitor, const std::string& path, T& holder) {
  std::apply(
      [&](const auto&... one) {
        (visit(visitor, joined(path, one.name), holder.*(one.member), one.is_buffer), ...);
      },
      T::fields);
}

}  // namespace detail
}  // namespace weft::nn
