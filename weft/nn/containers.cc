// Sequential.
#include "weft/nn/containers.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/op/context.h"

namespace weft::nn {

Sequential::Sequential(std::initializer_list<AnyModule> modules) {
  for (const AnyModule& module : modules) add(module);
}

void Sequential::add(AnyModule module) {
  size_t number = items.size();
  const auto is_taken = [&] {
    return std::ranges::any_of(items, [&](const Named& one) { return one.first == text(number); });
  };
  while (is_taken()) ++number;
  items.emplace_back(text(number), std::move(module));
}

AnyModule& Sequential::operator[](size_t index) {
  if (index >= items.size()) {
    fail(Code::kIndex, "Sequential", "index", "has no module ", index, "; it has ", items.size());
  }
  return items[index].second;
}

AnyModule& Sequential::operator[](std::string_view name) {
  std::string names;
  for (Named& item : items) {
    if (item.first == name) return item.second;
    names += text(names.empty() ? "" : ", ", item.first);
  }
  fail(Code::kIndex, "Sequential", "name", "has no module '", name, "'; it has ", names);
}

void Sequential::fail_type(const std::string& index) {
  fail(Code::kType, "Sequential", "type", "module ", index, " is of another type");
}

Tensor Sequential::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  Tensor out = x;
  for (const Named& item : items) out = item.second(out, line_for_user(where));
  return out;
}

}  // namespace weft::nn
