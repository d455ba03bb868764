// Attributes without their C++ type: copying, comparing, hashing.
#include "weft/op/attrs.h"

#include <algorithm>
#include <functional>

#include "weft/base/error.h"
#include "weft/core/literal.h"
#include "weft/op/attrs_visit.h"

namespace weft {
namespace {

bool are_equal_values(const Tensor& a, const Tensor& b) { return are_equal_literals(a, b); }
bool are_equal_values(const Variable& a, const Variable& b) { return a.id() == b.id(); }
bool are_equal_values(const FunctionAttr& a, const FunctionAttr& b) {
  if (a.get() == b.get()) return true;
  return a != nullptr && b != nullptr && are_equal(*a, *b);
}
bool are_equal_values(const FunctionsAttr& a, const FunctionsAttr& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return are_equal_values(x, y); });
}
// NaN is itself here: what is asked is whether they were given alike.
bool are_equal_values(double a, double b) { return a == b || (a != a && b != b); }
bool are_equal_values(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? are_equal_values(*a, *b) : a.has_value() == b.has_value();
}
template <class T>
bool are_equal_values(const T& a, const T& b) {
  return a == b;
}

size_t mix(size_t seed, size_t hash) {
  return seed ^ (hash + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

}  // namespace

const FieldInfo* AttrsType::find(std::string_view name) const {
  for (const FieldInfo& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

AnyAttrs::AnyAttrs(const AttrsType* type, const void* from)
    : type_(type), data_(::operator new(type->size, std::align_val_t(type->align))) {
  type->copy(data_, from);
}
AnyAttrs::AnyAttrs(const AttrsType* type)
    : type_(type), data_(::operator new(type->size, std::align_val_t(type->align))) {
  type->construct(data_);
}
AnyAttrs::~AnyAttrs() {
  type_->destroy(data_);
  ::operator delete(data_, std::align_val_t(type_->align));
}

void* AnyAttrs::field_of(std::string_view name, FieldType type) {
  const FieldInfo* const field = type_->find(name);
  WEFT_ASSERT(field != nullptr && field->type == type, "field ", name);
  return field->in(data_);
}

bool has_symbols(const AttrsType& type, const void* attrs) {
  for (const FieldInfo& field : type.fields) {
    if (field.type != FieldType::kShape) continue;
    for (const Dim dim : field_value<Shape>(field, attrs)) {
      if (!dim.is_known()) return true;
    }
  }
  return false;
}

AnyAttrs substituted(const AttrsType& type, const void* attrs,
                     std::span<const DimBinding> bindings) {
  AnyAttrs out(&type, attrs);
  for (const FieldInfo& field : type.fields) {
    if (field.type != FieldType::kShape) continue;
    for (Dim& dim : *static_cast<Shape*>(field.in(out.data()))) dim = substituted(dim, bindings);
  }
  return out;
}

bool equal_attrs(const AttrsType& type, const void* a, const void* b) {
  for (const FieldInfo& field : type.fields) {
    const bool equal = with_field_type(field.type, [&]<class T>() {
      return are_equal_values(field_value<T>(field, a), field_value<T>(field, b));
    });
    if (!equal) return false;
  }
  return true;
}

size_t hash_attrs(const AttrsType& type, const void* attrs) {
  size_t out = 0;
  for (const FieldInfo& field : type.fields) {
    out = mix(out, std::hash<std::string>()(print_field(field, attrs)));
  }
  return out;
}

}  // namespace weft
