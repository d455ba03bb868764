// Attributes without their C++ type: copying, comparing, hashing, printing, parsing.
#include "weft/op/attrs.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>

#include "weft/base/error.h"
#include "weft/core/literal.h"

namespace weft {
namespace {

template <class T>
const T& value(const FieldInfo& field, const void* attrs) {
  return *static_cast<const T*>(field.in(attrs));
}

// Calls visit.operator()<T>() with the C++ type of the field.
template <class Visit>
auto with_type(FieldType type, Visit visit) {
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

void print_value(std::string& out, const std::string& s) {
  out += '"';
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}
void print_value(std::string& out, const Tensor& t) { append_literal(out, t); }
void print_value(std::string& out, const Variable& v, AttrPrinter* printer) {
  out += printer != nullptr ? printer->variable(v) : text('@', v.name());
}
void print_value(std::string& out, const FunctionAttr& f, AttrPrinter* printer) {
  if (f == nullptr) {
    out += "none";
  } else {
    out += printer != nullptr ? printer->function(*f) : text('@', name_of(*f));
  }
}
void print_value(std::string& out, const FunctionsAttr& list, AttrPrinter* printer) {
  out += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    print_value(out, list[i], printer);
  }
  out += ']';
}
template <class T>
void print_value(std::string& out, const std::optional<T>& optional) {
  if (optional) {
    append_text(out, *optional);
  } else {
    out += "none";
  }
}
template <class T>
void print_value(std::string& out, const T& plain) {
  append_text(out, plain);
}

template <class T>
constexpr bool kHasName = std::is_same_v<T, Variable> || std::is_same_v<T, FunctionAttr> ||
                          std::is_same_v<T, FunctionsAttr>;

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
template <class T>
bool are_equal_values(const T& a, const T& b) {
  return a == b;
}

// Reads the printed form; the cursor stands on the first character not read.
class Parser {
 public:
  Parser(std::string_view text, AttrNames* names) : rest_(text), whole_(text), names_(names) {}

  bool done() {
    skip_space();
    return rest_.empty();
  }
  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail_at(text("expected '", token, "'"));
  }
  std::string_view word() {
    skip_space();
    size_t n = 0;
    while (n < rest_.size() && (isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_'))
      ++n;
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }
  template <class T>
  T number() {
    skip_space();
    T out{};
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (result.ec != std::errc()) fail_at("expected a number");
    rest_.remove_prefix(static_cast<size_t>(result.ptr - rest_.data()));
    return out;
  }
  [[noreturn]] void fail_at(std::string what) const {
    fail(Code::kInvalid, "attributes", "parse", what, " at position ", whole_.size() - rest_.size(),
         " of '", whole_, "'");
  }

  void read(bool& out) {
    if (take("true")) {
      out = true;
    } else {
      expect("false");
      out = false;
    }
  }
  void read(int64_t& out) { out = number<int64_t>(); }
  void read(double& out) { out = number<double>(); }
  void read(DType& out) {
    const std::string_view name = word();
    const std::optional<DType> dtype = parse_dtype(name);
    if (!dtype) fail_at(text("'", name, "' is no dtype"));
    out = *dtype;
  }
  void read(std::string& out) {
    expect("\"");
    out.clear();
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      out += rest_.front();
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) fail_at("the string has no end");
    rest_.remove_prefix(1);
  }
  void read(Dim& out) {
    skip_space();
    // Up to the comma or bracket that ends it, which is none inside of parentheses.
    size_t n = 0;
    for (int depth = 0; n < rest_.size(); ++n) {
      depth += rest_[n] == '(' ? 1 : rest_[n] == ')' ? -1 : 0;
      if (depth <= 0 && (rest_[n] == ',' || rest_[n] == ']')) break;
    }
    const std::optional<Dim> dim = parse_dim(rest_.substr(0, n));
    if (!dim) fail_at("expected a size");
    out = *dim;
    rest_.remove_prefix(n);
  }
  void read(Tensor& out) { out = parse_literal(rest_); }
  void read(Variable& out) { out = names("a Variable").variable(name()); }
  void read(FunctionAttr& out) {
    if (take("none")) {
      out = nullptr;
    } else {
      out = names("a function").function(name());
    }
  }
  void read(IndexItem& out) {
    out = {};
    if (take("newaxis")) {
      out.kind = IndexItem::Kind::kNewAxis;
    } else if (take("...")) {
      out.kind = IndexItem::Kind::kEllipsis;
    } else {
      read_range(out);
    }
  }
  template <class T, size_t N>
  void read(InlineVector<T, N>& out) {
    out.clear();
    expect("[");
    while (!take("]")) {
      if (!out.empty()) expect(",");
      T item{};
      read(item);
      out.push_back(item);
    }
  }
  template <class T>
  void read(std::optional<T>& out) {
    if (take("none")) {
      out.reset();
    } else {
      read(out.emplace());
    }
  }

 private:
  void skip_space() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool at_number() {
    skip_space();
    return !rest_.empty() &&
           (rest_.front() == '-' || isdigit(static_cast<unsigned char>(rest_.front())));
  }
  void read_range(IndexItem& out) {
    if (at_number()) out.start = number<int64_t>();
    if (!take(":")) {
      out.kind = IndexItem::Kind::kInteger;
      if (!out.start) fail_at("expected an index");
      return;
    }
    if (at_number()) out.stop = number<int64_t>();
    if (take(":")) out.step = number<int64_t>();
  }

  AttrNames& names(std::string_view what) {
    if (names_ == nullptr) fail_at(text("the name of ", what, " means nothing outside of a graph"));
    return *names_;
  }
  std::string_view name() {
    expect("@");
    size_t n = 0;
    while (n < rest_.size() && rest_[n] != ',' && rest_[n] != ']' && rest_[n] != '}' &&
           rest_[n] != ' ') {
      ++n;
    }
    if (n == 0) fail_at("expected a name");
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }

  std::string_view rest_, whole_;
  AttrNames* names_;
};

size_t mix(size_t seed, size_t hash) {
  return seed ^ (hash + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

}  // namespace

void append_text(std::string& out, const IndexItem& item) {
  switch (item.kind) {
    case IndexItem::Kind::kInteger: append_text(out, *item.start); return;
    case IndexItem::Kind::kNewAxis: out += "newaxis"; return;
    case IndexItem::Kind::kEllipsis: out += "..."; return;
    case IndexItem::Kind::kRange:
      if (item.start) append_text(out, *item.start);
      out += ':';
      if (item.stop) append_text(out, *item.stop);
      if (item.step != 1) out += text(':', item.step);
      return;
  }
}

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
    for (const Dim dim : value<Shape>(field, attrs)) {
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
    const bool equal = with_type(field.type, [&]<class T>() {
      return are_equal_values(value<T>(field, a), value<T>(field, b));
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

std::string print_field(const FieldInfo& field, const void* attrs, AttrPrinter* printer) {
  std::string out;
  with_type(field.type, [&]<class T>() {
    if constexpr (kHasName<T>) {
      print_value(out, value<T>(field, attrs), printer);
    } else {
      print_value(out, value<T>(field, attrs));
    }
  });
  return out;
}

std::string print_attrs(const AttrsType& type, const void* attrs, AttrPrinter* printer) {
  std::string out;
  for (const FieldInfo& field : type.fields) {
    if (!out.empty()) out += ", ";
    out += text(field.name, '=', print_field(field, attrs, printer));
  }
  return out;
}

AnyAttrs parse_attrs(const AttrsType& type, std::string_view source, AttrNames* names) {
  AnyAttrs out(&type);
  Parser parser(source, names);
  bool first = true;
  while (!parser.done()) {
    if (!first) parser.expect(",");
    first = false;
    const std::string_view name = parser.word();
    const FieldInfo* const field = type.find(name);
    if (field == nullptr) parser.fail_at(text("there is no attribute '", name, "'"));
    parser.expect("=");
    with_type(field->type,
              [&]<class T>() { parser.read(*static_cast<T*>(field->in(out.data()))); });
  }
  return out;
}

}  // namespace weft
