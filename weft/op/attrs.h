// Attributes: a typed struct per op whose field list gives printing, hashing, equality, parsing and
// Python keywords.
//
//   struct ConcatAttrs {
//     int64_t axis = 0;
//     static constexpr auto fields = fields_of(field("axis", &ConcatAttrs::axis, "axis to join
//     along"));
//   };
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "weft/base/shared.h"
#include "weft/op/variable.h"

namespace weft {

namespace ir {
class Function;
}  // namespace ir
// A function as an attribute, of loops and branches; `ir/` has what it is.
using FunctionAttr = Shared<const ir::Function>;
using FunctionsAttr = InlineVector<FunctionAttr, 2>;

// One item of a basic index: an integer, start:stop:step, a new axis, or an ellipsis.
struct IndexItem {
  enum class Kind : uint8_t { kInteger, kRange, kNewAxis, kEllipsis };
  Kind kind = Kind::kRange;
  std::optional<int64_t> start, stop;  // kInteger uses start
  int64_t step = 1;

  friend bool operator==(const IndexItem&, const IndexItem&) = default;
};
using Index = InlineVector<IndexItem, 4>;
void append_text(std::string& out, const IndexItem& item);

// What a field may hold.
enum class FieldType : uint8_t {
  kBool,
  kInt,
  kFloat,
  kString,
  kDType,
  kInts,
  kShape,
  kIndex,
  kOptionalInt,
  kOptionalFloat,
  kOptionalDType,
  kOptionalInts,
  kTensor,
  kVariable,
  kFunction,
  kFunctions,
};

template <class T>
constexpr FieldType field_type_of() {
  if constexpr (std::is_same_v<T, bool>) return FieldType::kBool;
  if constexpr (std::is_same_v<T, int64_t>) return FieldType::kInt;
  if constexpr (std::is_same_v<T, double>) return FieldType::kFloat;
  if constexpr (std::is_same_v<T, std::string>) return FieldType::kString;
  if constexpr (std::is_same_v<T, DType>) return FieldType::kDType;
  if constexpr (std::is_same_v<T, Ints>) return FieldType::kInts;
  if constexpr (std::is_same_v<T, Shape>) return FieldType::kShape;
  if constexpr (std::is_same_v<T, Index>) return FieldType::kIndex;
  if constexpr (std::is_same_v<T, std::optional<int64_t>>) return FieldType::kOptionalInt;
  if constexpr (std::is_same_v<T, std::optional<double>>) return FieldType::kOptionalFloat;
  if constexpr (std::is_same_v<T, std::optional<DType>>) return FieldType::kOptionalDType;
  if constexpr (std::is_same_v<T, std::optional<Ints>>) return FieldType::kOptionalInts;
  if constexpr (std::is_same_v<T, Tensor>) return FieldType::kTensor;
  if constexpr (std::is_same_v<T, Variable>) return FieldType::kVariable;
  if constexpr (std::is_same_v<T, FunctionAttr>) return FieldType::kFunction;
  if constexpr (std::is_same_v<T, FunctionsAttr>) return FieldType::kFunctions;
}

inline constexpr bool kRequired = true;  // a field that callers must give

template <class A, class T>
struct AttrField {
  std::string_view name;
  T A::* member;
  std::string_view doc;
  bool required;
};
template <class A, class T>
constexpr AttrField<A, T> field(std::string_view name, T A::* member, std::string_view doc,
                                bool required = false) {
  return {name, member, doc, required};
}
template <class... F>
constexpr std::tuple<F...> fields_of(F... fields) {
  return {fields...};
}

// A field without its C++ types: what printing, hashing and the bindings walk.
struct FieldInfo {
  std::string_view name, doc;
  FieldType type;
  bool required;
  void* (*address)(void* attrs);

  void* in(void* attrs) const { return address(attrs); }
  const void* in(const void* attrs) const { return address(const_cast<void*>(attrs)); }
};

// An attribute struct without its C++ type.
struct AttrsType {
  size_t size, align;
  std::span<const FieldInfo> fields;
  void (*construct)(void* at);
  void (*copy)(void* at, const void* from);
  void (*destroy)(void* at);

  const FieldInfo* find(std::string_view name) const;
};

template <class A>
struct AttrsTypeOf {
  static constexpr size_t kCount = std::tuple_size_v<decltype(A::fields)>;

  template <size_t I>
  static constexpr FieldInfo info() {
    constexpr auto f = std::get<I>(A::fields);
    using T = std::remove_reference_t<decltype(std::declval<A&>().*(f.member))>;
    return {f.name, f.doc, field_type_of<T>(), f.required, [](void* attrs) -> void* {
              return &(static_cast<A*>(attrs)->*(std::get<I>(A::fields).member));
            }};
  }
  template <size_t... I>
  static constexpr std::array<FieldInfo, kCount> infos(std::index_sequence<I...>) {
    return {info<I>()...};
  }
  static constexpr std::array<FieldInfo, kCount> kFields =
      infos(std::make_index_sequence<kCount>());
  static constexpr AttrsType kType{
      sizeof(A),
      alignof(A),
      kFields,
      [](void* at) { new (at) A(); },
      [](void* at, const void* from) { new (at) A(*static_cast<const A*>(from)); },
      [](void* at) { static_cast<A*>(at)->~A(); }};
};

// For OpDef::attrs.
template <class A>
constexpr const AttrsType* attrs_type() {
  return &AttrsTypeOf<A>::kType;
}

struct NoAttrs {
  static constexpr auto fields = fields_of();
};
inline constexpr NoAttrs kNoAttrs;

// Attributes by value, without their C++ type: rules that rewrite them hold one of these.
class AnyAttrs {
 public:
  AnyAttrs(const AttrsType* type, const void* from);
  explicit AnyAttrs(const AttrsType* type);  // the defaults
  AnyAttrs(const AnyAttrs& other) : AnyAttrs(other.type_, other.data_) {}
  AnyAttrs& operator=(const AnyAttrs&) = delete;
  ~AnyAttrs();

  const AttrsType& type() const { return *type_; }
  void* data() { return data_; }
  const void* data() const { return data_; }
  template <class T>
  T& get(std::string_view field) {
    return *static_cast<T*>(field_of(field, field_type_of<T>()));
  }

 private:
  void* field_of(std::string_view name, FieldType type);
  const AttrsType* type_;
  void* data_;
};

// What names in printed attributes stand for: "@w" a Variable, "@body" a function.
class AttrNames {
 public:
  virtual ~AttrNames() = default;
  virtual Variable variable(std::string_view name) = 0;  // raises if there is none
  virtual FunctionAttr function(std::string_view name) = 0;
};
// And how they are printed. Without one, Variables go by their own names and functions by theirs.
class AttrPrinter {
 public:
  virtual ~AttrPrinter() = default;
  virtual std::string variable(const Variable& variable) = 0;
  virtual std::string function(const ir::Function& function) = 0;
};
// Of functions (defined by ir/): their names, and whether they mean the same.
std::string_view name_of(const ir::Function& function);
bool are_equal(const ir::Function& a, const ir::Function& b);

// Have they sizes with symbols? And the same with other sizes in the places of symbols.
bool has_symbols(const AttrsType& type, const void* attrs);
AnyAttrs substituted(const AttrsType& type, const void* attrs,
                     std::span<const DimBinding> bindings);

bool equal_attrs(const AttrsType& type, const void* a, const void* b);
size_t hash_attrs(const AttrsType& type, const void* attrs);
// "axis=1, keepdims=true"; parse_attrs reads it back and raises on what it cannot read.
std::string print_attrs(const AttrsType& type, const void* attrs, AttrPrinter* printer = nullptr);
std::string print_field(const FieldInfo& field, const void* attrs, AttrPrinter* printer = nullptr);
AnyAttrs parse_attrs(const AttrsType& type, std::string_view text, AttrNames* names = nullptr);

}  // namespace weft
