// Forms: made, compared, printed and read.
#include "weft/data/form.h"

#include "weft/base/text_cursor.h"

namespace weft::data {
namespace {

constexpr int kDeepest = 64;

void append(std::string& out, const Form& form) {
  if (form.kind == Form::Kind::kLeaf) {
    out += '*';
    return;
  }
  const bool is_dict = form.kind == Form::Kind::kDict;
  if (form.kind == Form::Kind::kHost) append_quoted(out, form.keys[0]);
  out += is_dict ? '{' : form.kind == Form::Kind::kList ? '[' : '(';
  for (size_t i = 0; i < form.children.size(); ++i) {
    if (i > 0) out += ", ";
    if (is_dict) {
      append_quoted(out, form.keys[i]);
      out += ": ";
    }
    append(out, *form.children[i]);
  }
  if (form.kind == Form::Kind::kTuple && form.children.size() == 1) out += ',';
  out += is_dict ? '}' : form.kind == Form::Kind::kList ? ']' : ')';
}

Shared<const Form> parsed(TextCursor& cursor, int depth) {
  if (depth > kDeepest) cursor.fail("is nested too deeply");
  if (cursor.take("*")) return leaf_form();
  Form out;
  std::string_view close = ")";
  if (cursor.take("{")) {
    out.kind = Form::Kind::kDict;
    close = "}";
  } else if (cursor.take("[")) {
    out.kind = Form::Kind::kList;
    close = "]";
  } else if (cursor.take("(")) {
    out.kind = Form::Kind::kTuple;
  } else {
    out.kind = Form::Kind::kHost;
    out.keys.push_back(cursor.quoted());
    cursor.expect("(");
  }
  while (!cursor.take(close)) {
    if (out.kind == Form::Kind::kDict) {
      out.keys.push_back(cursor.quoted());
      cursor.expect(":");
    }
    out.children.push_back(parsed(cursor, depth + 1));
    if (!cursor.at(close)) cursor.expect(",");
  }
  return new_shared<const Form>(std::move(out));
}

}  // namespace

size_t Form::leaf_count() const {
  if (kind == Kind::kLeaf) return 1;
  size_t out = 0;
  for (const Shared<const Form>& child : children) out += child->leaf_count();
  return out;
}

Shared<const Form> leaf_form() {
  static const Shared<const Form>& form = *new Shared<const Form>(new_shared<const Form>());
  return form;
}

Shared<const Form> tuple_form(std::vector<Shared<const Form>> children) {
  return new_shared<const Form>(Form{Form::Kind::kTuple, {}, std::move(children)});
}

Shared<const Form> tuple_form(size_t leaves) {
  return tuple_form(std::vector<Shared<const Form>>(leaves, leaf_form()));
}

bool are_equal(const Form& a, const Form& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.keys != b.keys || a.children.size() != b.children.size()) return false;
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!are_equal(*a.children[i], *b.children[i])) return false;
  }
  return true;
}

std::string to_string(const Form& form) {
  std::string out;
  append(out, form);
  return out;
}

Shared<const Form> parse_form(std::string_view text) {
  TextCursor cursor(text, "data");
  Shared<const Form> out = parsed(cursor, 0);
  if (!cursor.done()) cursor.fail("expected the end of the form");
  return out;
}

}  // namespace weft::data
