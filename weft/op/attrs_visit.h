// The fields of attributes by their C++ types; for the files that attrs.h is made of.
#pragma once

#include "weft/op/attrs.h"

namespace weft {

template <class T>
const T& field_value(const FieldInfo& field, const void* attrs) {
  return *static_cast<const T*>(field.in(attrs));
}

// Calls visit.operator()<T>() with the C++ type of the field.
template <class Visit>
auto with_field_type(FieldType type, Visit visit) {
  switch (type) {
    case FieldType::kBool: return visit.template operator()<bool>();
    case FieldType::kInt: return visit.template operator()<int64_t>();
    case FieldType::kFloat: return visit.template operator()<double>();
    case FieldType::kString: return visit.template operator()<std::string>();
    case FieldType::kDType: return visit.template operator()<DType>();
    case FieldType::kInts: return visit.template operator()<Ints>();
    case FieldType::kShape: return visit.template operator()<Shape>();
    case FieldType::kIndex: return visit.template operator()<Index>();
    case FieldType::kOptionalInt: return visit.template operator()<std::optional<int64_t>>();
    case FieldType::kOptionalFloat: return visit.template operator()<std::optional<double>>();
    case FieldType::kOptionalDType: return visit.template operator()<std::optional<DType>>();
    case FieldType::kOptionalInts: return visit.template operator()<std::optional<Ints>>();
    case FieldType::kTensor: return visit.template operator()<Tensor>();
    case FieldType::kVariable: return visit.template operator()<Variable>();
    case FieldType::kFunction: return visit.template operator()<FunctionAttr>();
    case FieldType::kFunctions: return visit.template operator()<FunctionsAttr>();
  }
  __builtin_unreachable();
}

}  // namespace weft
