// Json: JSON texts as values, for the headers and indexes of files.
//
//   const io::Json header = io::parse_json(text, "load", path);
//   for (const auto& [name, entry] : header.object("")) ...
//
// A library would do for good texts. Those of strangers need what nlohmann's lacks: names that come
// twice raise instead of the last one winning, depth has a bound, and integers keep 64 bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft::io {

class Json;
using JsonArray = std::vector<Json>;
using JsonObject = std::vector<std::pair<std::string, Json>>;  // in the order of the text

class Json {
 public:
  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string,
                             JsonArray, JsonObject>;  // uint64_t: only what int64_t cannot hold
  Json() = default;                                   // null
  template <class T>
    requires std::constructible_from<Value, T> && (!std::is_same_v<std::decay_t<T>, Json>)
  Json(T&& value) : value_(std::forward<T>(value)) {}    // NOLINT(google-explicit-constructor)
  Json(const char* text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  const Value& value() const { return value_; }
  Value& value() { return value_; }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  // The member of an object; null if there is none, or this is no object.
  const Json* find(std::string_view name) const;

 private:
  Value value_;
};

inline constexpr int kMostJsonDepth = 64;

// Raises Error{kIo} [who.json] with `path` and the byte where the text is none. Texts are UTF-8.
Json parse_json(std::string_view text, std::string_view who, std::string_view path);

// On one line. Numbers read back equal; those that JSON cannot say raise [json.number].
std::string to_text(const Json& json);
void append_json(std::string& out, const Json& json);
void append_json_string(std::string& out, std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace weft::io
