// JSON texts of values.
#include <cmath>

#include "weft/base/error.h"
#include "weft/io/json/json.h"

namespace weft::io {

void append_json_string(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

namespace {

struct Append {
  std::string& out;

  void operator()(std::monostate) const { out += "null"; }
  void operator()(bool value) const { append_text(out, value); }
  void operator()(int64_t value) const { append_text(out, value); }
  void operator()(uint64_t value) const { append_text(out, value); }
  void operator()(double value) const {
    if (!std::isfinite(value)) {
      fail(Code::kInvalid, "json", "number", "the number is ", value,
           ", which JSON cannot say; write it as a string");
    }
    const size_t start = out.size();
    append_text(out, value);
    // 3.0 stays a floating number.
    if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
  }
  void operator()(const std::string& value) const { append_json_string(out, value); }
  void operator()(const JsonArray& items) const {
    out += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ',';
      append_json(out, items[i]);
    }
    out += ']';
  }
  void operator()(const JsonObject& members) const {
    out += '{';
    for (size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      append_json_string(out, members[i].first);
      out += ':';
      append_json(out, members[i].second);
    }
    out += '}';
  }
};

}  // namespace

void append_json(std::string& out, const Json& json) { std::visit(Append{out}, json.value()); }

std::string to_text(const Json& json) {
  std::string out;
  append_json(out, json);
  return out;
}

const Json* Json::find(std::string_view name) const {
  const auto* const members = get_if<JsonObject>();
  if (members == nullptr) return nullptr;
  for (const auto& [key, value] : *members) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace weft::io
