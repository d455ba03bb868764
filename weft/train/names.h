// What compile takes by name: the one of a table, or an error that lists them.
#pragma once

#include <span>

#include "weft/base/error.h"

namespace weft::train {

template <class T>
struct Named {
  std::string_view name;
  T value;
};

// Raises [compile.<law>] for names that are not in the table.
template <class T, size_t N>
const T& named(std::span<const Named<T>, N> table, std::string_view name, std::string_view kind,
               std::string_view law) {
  std::string all;
  for (const Named<T>& one : table) {
    if (one.name == name) return one.value;
    all += text(all.empty() ? "" : ", ", one.name);
  }
  fail(Code::kInvalid, "compile", law, "there is no ", kind, " '", name, "'; there are ", all);
}

}  // namespace weft::train
