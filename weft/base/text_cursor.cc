// Reading texts: tokens, names, strings, and where an error is.
#include "weft/base/text_cursor.h"

#include <algorithm>

#include "weft/base/error.h"

namespace weft {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kNameSigns = "_/.-<>?";

bool is_letter_or_digit(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
}
bool is_in_names(char c) {
  return is_letter_or_digit(c) || kNameSigns.find(c) != std::string_view::npos;
}

template <class Belongs>
std::string_view take_while(std::string_view& rest, Belongs belongs) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), belongs);
  const std::string_view out = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest.remove_prefix(out.size());
  return out;
}

}  // namespace

void append_quoted(std::string& out, std::string_view content) {
  out += '"';
  for (const char c : content) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHexDigits[byte / 16];
      out += kHexDigits[byte % 16];
    } else {
      out += c;
    }
  }
  out += '"';
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_in_names);
}

void append_name(std::string& out, char sign, std::string_view name) {
  out += sign;
  if (is_plain_name(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

void TextCursor::skip_space() {
  for (;;) {
    take_while(rest_, [](char c) { return c == ' ' || ('\t' <= c && c <= '\r'); });
    if (!rest_.starts_with("//")) return;
    take_while(rest_, [](char c) { return c != '\n'; });
  }
}

bool TextCursor::done() {
  skip_space();
  return rest_.empty();
}

bool TextCursor::at(std::string_view token) {
  skip_space();
  return rest_.starts_with(token);
}

bool TextCursor::take(std::string_view token) {
  if (!at(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

void TextCursor::expect(std::string_view token) {
  if (!take(token)) fail(text("expected '", token, "'"));
}

std::string_view TextCursor::word() {
  skip_space();
  return take_while(rest_, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

std::string TextCursor::quoted() {
  expect("\"");
  std::string out;
  while (!rest_.empty() && rest_.front() != '"') {
    char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\\') {
      if (rest_.empty()) break;
      c = rest_.front();
      rest_.remove_prefix(1);
      if (c == 'n') c = '\n';
      if (c == 't') c = '\t';
      if (c == 'x') {
        const size_t high = rest_.empty() ? std::string_view::npos : kHexDigits.find(rest_[0]);
        const size_t low = rest_.size() < 2 ? std::string_view::npos : kHexDigits.find(rest_[1]);
        if (high == std::string_view::npos || low == std::string_view::npos) {
          fail("expected two hexadecimal digits");
        }
        rest_.remove_prefix(2);
        c = static_cast<char>(high * 16 + low);
      }
    }
    out += c;
  }
  if (rest_.empty()) fail("the string has no end");
  rest_.remove_prefix(1);
  return out;
}

std::string TextCursor::name(std::string_view sign) {
  expect(sign);
  if (rest_.starts_with('"')) return quoted();
  const std::string_view out = take_while(rest_, is_in_names);
  if (out.empty()) fail("expected a name");
  return std::string(out);
}

void TextCursor::fail(std::string_view what) const {
  const std::string_view before = whole_.substr(0, whole_.size() - rest_.size());
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t start = before.rfind('\n');  // npos + 1 is 0
  weft::fail(Code::kInvalid, who_, "parse", what, " at line ", line, ", column ",
             before.size() - (start + 1) + 1);
}

void TextCursor::fail_before(std::string_view rest, std::string_view what) {
  rest_ = rest;
  fail(what);
}

}  // namespace weft
