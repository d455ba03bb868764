// Attributes as text: printing and reading, field by field.
#include "weft/op/attrs_text.h"

#include "weft/core/dim_text.h"
#include "weft/core/literal.h"
#include "weft/op/attrs_visit.h"

namespace weft {
namespace {

void print_value(std::string& out, const std::string& s) { append_quoted(out, s); }
void print_value(std::string& out, const Tensor& t) { append_literal(out, t); }
void print_value(std::string& out, const Variable& v, AttrPrinter* printer) {
  if (!v.defined()) {
    out += "none";
  } else if (printer != nullptr) {
    out += printer->variable(v);
  } else {
    append_name(out, '@', v.name());
  }
}
void print_value(std::string& out, const FunctionAttr& f, AttrPrinter* printer) {
  if (f == nullptr) {
    out += "none";
  } else if (printer != nullptr) {
    out += printer->function(*f);
  } else {
    append_name(out, '@', name_of(*f));
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

// Reads the printed form of a field where the cursor stands.
class Reader {
 public:
  Reader(TextCursor& cursor, AttrNames* names) : cursor_(cursor), names_(names) {}

  void read(bool& out) {
    out = cursor_.take("true");
    if (!out) cursor_.expect("false");
  }
  void read(int64_t& out) { out = cursor_.number<int64_t>(); }
  void read(double& out) { out = cursor_.number<double>(); }
  void read(DType& out) {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const std::string_view name = cursor_.word();
    const std::optional<DType> dtype = parse_dtype(name);
    if (!dtype) cursor_.fail_before(before, text("'", name, "' is no dtype"));
    out = *dtype;
  }
  void read(std::string& out) { out = cursor_.quoted(); }
  void read(Dim& out) { out = read_dim(cursor_); }
  void read(Tensor& out) { out = read_literal(cursor_); }
  void read(Variable& out) {
    if (cursor_.take("none")) {
      out = Variable();
    } else {
      out = names("a Variable").variable(cursor_.name("@"));
    }
  }
  void read(FunctionAttr& out) {
    if (cursor_.take("none")) {
      out = nullptr;
    } else {
      out = names("a function").function(cursor_.name("@"));
    }
  }
  void read(IndexItem& out) {
    out = {};
    if (cursor_.take("newaxis")) {
      out.kind = IndexItem::Kind::kNewAxis;
    } else if (cursor_.take("...")) {
      out.kind = IndexItem::Kind::kEllipsis;
    } else {
      read_range(out);
    }
  }
  template <class T, size_t N>
  void read(InlineVector<T, N>& out) {
    out.clear();
    if constexpr (std::is_same_v<T, Dim>) {
      // A single size may stand without them: texts of older versions have it so.
      if (!cursor_.take("[")) {
        T only{};
        read(only);
        out.push_back(only);
        return;
      }
    } else {
      cursor_.expect("[");
    }
    while (!cursor_.take("]")) {
      if (!out.empty()) cursor_.expect(",");
      T item{};
      read(item);
      out.push_back(item);
    }
  }
  template <class T>
  void read(std::optional<T>& out) {
    if (cursor_.take("none")) {
      out.reset();
    } else {
      read(out.emplace());
    }
  }

 private:
  bool at_number() {
    cursor_.skip_space();
    const std::string_view rest = cursor_.rest();
    return !rest.empty() && (rest[0] == '-' || ('0' <= rest[0] && rest[0] <= '9'));
  }
  void read_range(IndexItem& out) {
    if (at_number()) out.start = cursor_.number<int64_t>();
    if (!cursor_.take(":")) {
      out.kind = IndexItem::Kind::kInteger;
      if (!out.start) cursor_.fail("expected an index");
      return;
    }
    if (at_number()) out.stop = cursor_.number<int64_t>();
    if (cursor_.take(":")) out.step = cursor_.number<int64_t>();
  }
  AttrNames& names(std::string_view what) {
    if (names_ == nullptr) {
      cursor_.fail(text("the name of ", what, " means nothing outside of a graph"));
    }
    return *names_;
  }

  TextCursor& cursor_;
  AttrNames* const names_;
};

}  // namespace

void append_text(std::string& out, const IndexItem& item) {
  switch (item.kind) {
    case IndexItem::Kind::kInteger:
      if (item.start) append_text(out, *item.start);
      return;
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

std::string print_field(const FieldInfo& field, const void* attrs, AttrPrinter* printer) {
  std::string out;
  with_field_type(field.type, [&]<class T>() {
    if constexpr (kHasName<T>) {
      print_value(out, field_value<T>(field, attrs), printer);
    } else {
      print_value(out, field_value<T>(field, attrs));
    }
  });
  return out;
}

std::string print_attrs(const AttrsType& type, const void* attrs, AttrPrinter* printer) {
  std::string out;
  for (const FieldInfo& field : type.fields) {
    const std::string value = print_field(field, attrs, printer);
    // What a node has for its derivatives and batches alone is told if it has any.
    const bool may_be_left_out = field.name.starts_with("saves_") || field.name == "lanes";
    if (may_be_left_out && value == "[]") continue;
    if (field.name == "with_maker" && value == "false") continue;  // as most writes are
    out += text(out.empty() ? "" : ", ", field.name, '=', value);
  }
  return out;
}

AnyAttrs read_attrs(const AttrsType& type, TextCursor& cursor, AttrNames* names) {
  AnyAttrs out(&type);
  Reader reader(cursor, names);
  for (bool is_first = true; !cursor.done() && !cursor.at("}"); is_first = false) {
    if (!is_first) cursor.expect(",");
    cursor.skip_space();
    const std::string_view before = cursor.rest();
    const std::string_view name = cursor.word();
    const FieldInfo* const field = type.find(name);
    if (field == nullptr) {
      cursor.fail_before(before, text("there is no attribute '", name, "'"));
    }
    cursor.expect("=");
    with_field_type(field->type,
                    [&]<class T>() { reader.read(*static_cast<T*>(field->in(out.data()))); });
  }
  return out;
}

AnyAttrs parse_attrs(const AttrsType& type, std::string_view source, AttrNames* names) {
  TextCursor cursor(source, "attributes");
  AnyAttrs out = read_attrs(type, cursor, names);
  if (!cursor.done()) cursor.fail("expected ',' or the end");
  return out;
}

}  // namespace weft
