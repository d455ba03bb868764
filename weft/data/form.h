// Form: the tree that the leaves of an element make: tuples, lists and dicts, nested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/base/shared.h"
#include "weft/core/tensor.h"

namespace weft::data {

struct Form {
  enum class Kind : uint8_t {
    kLeaf,
    kTuple,
    kList,
    kDict,
    kHost,  // a type of the language on top, by its name
  };
  Kind kind = Kind::kLeaf;
  std::vector<std::string> keys = {};  // kDict: one for each child; kHost: its name
  std::vector<Shared<const Form>> children = {};

  size_t leaf_count() const;
};

Shared<const Form> leaf_form();
Shared<const Form> tuple_form(size_t leaves);
Shared<const Form> tuple_form(std::vector<Shared<const Form>> children);

bool are_equal(const Form& a, const Form& b);

// "(*, {"a": *})": read back by parse_form, which raises [data.form] for what is none.
std::string to_string(const Form& form);
Shared<const Form> parse_form(std::string_view text);

}  // namespace weft::data
