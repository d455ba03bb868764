// Fields that hold one size: Shapes, since a size may have symbols, that have one extent by
// default.
#pragma once

#include "weft/op/attrs.h"

namespace weft::python {

// Callers give such a field a number or a size of a traced tensor, and no list.
inline bool is_one_size(const FieldInfo& field, const void* defaults) {
  return field.type == FieldType::kShape &&
         static_cast<const Shape*>(field.in(defaults))->size() == 1;
}

// One that may be left out, or None: its default is no size.
inline bool is_optional_size(const FieldInfo& field, const void* defaults) {
  if (!is_one_size(field, defaults)) return false;
  const Dim size = (*static_cast<const Shape*>(field.in(defaults)))[0];
  return size.is_known() && size.value() < 0;
}

}  // namespace weft::python
