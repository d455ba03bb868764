// Reads JSON (RFC 8259) strictly: what is no JSON raises, at the byte where it goes wrong.
#include <algorithm>
#include <charconv>

#include "weft/base/error.h"
#include "weft/io/json/json.h"

namespace weft::io {
namespace {

// The bytes of the character that begins the text, or 0 if that is no UTF-8.
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
  const auto follows = [&](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return follows(1) ? 2 : 0;
  if (first < 0xf0) {
    // Not what fits in fewer bytes, and no halves of UTF-16.
    const bool is_wrong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) > 0x9f);
    return follows(1) && follows(2) && !is_wrong ? 3 : 0;
  }
  if (first > 0xf4) return 0;
  const bool is_wrong = (first == 0xf0 && at(1) < 0x90) || (first == 0xf4 && at(1) > 0x8f);
  return follows(1) && follows(2) && follows(3) && !is_wrong ? 4 : 0;
}

void append_utf8(std::string& out, uint32_t c) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    tail(12), tail(6), tail(0);
  }
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view who, std::string_view path)
      : whole_(text), rest_(text), who_(who), path_(path) {}

  Json document() {
    Json out = value(0);
    skip_space();
    if (!rest_.empty()) wrong("something follows the end");
    return out;
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    fail(Code::kIo, who_, "json", "'", path_, "' has a header that is no JSON, at byte ",
         whole_.size() - rest_.size(), ": ", what, "; it is damaged, or of another format");
  }

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }
  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c, std::string_view what) {
    if (!take(c)) wrong(what);
  }
  bool take_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  Json value(int depth) {
    if (depth > kMostJsonDepth) wrong("it is nested more than 64 deep");
    skip_space();
    if (rest_.empty()) wrong("it ends too early");
    if (take('{')) return object(depth);
    if (take('[')) return array(depth);
    if (rest_.front() == '"') return string();
    if (take_word("null")) return {};
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    return number();
  }

  Json array(int depth) {
    JsonArray out;
    if (take(']')) return out;
    do out.push_back(value(depth + 1));
    while (take(','));
    expect(']', "expected , or ]");
    return out;
  }

  Json object(int depth) {
    JsonObject out;
    if (take('}')) return out;
    do {
      skip_space();
      if (!rest_.starts_with('"')) wrong("expected a name in quotes");
      std::string name = string();
      expect(':', "expected :");
      out.emplace_back(std::move(name), value(depth + 1));
    } while (take(','));
    expect('}', "expected , or }");
    require_distinct(out);
    return out;
  }

  void require_distinct(const JsonObject& members) const {
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const auto& [name, value] : members) names.push_back(name);
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      wrong("a name comes twice");
    }
  }

  std::string string() {
    rest_.remove_prefix(1);
    std::string out;
    for (;;) {
      if (rest_.empty()) wrong("a string has no end");
      const char c = rest_.front();
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) wrong("a string holds a control character");
      if (c == '\\') {
        rest_.remove_prefix(1);
        escape(out);
        continue;
      }
      const size_t length = utf8_length(rest_);
      if (length == 0) wrong("a string is not UTF-8");
      out += rest_.substr(0, length);
      rest_.remove_prefix(length);
    }
    rest_.remove_prefix(1);
    return out;
  }

  void escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) wrong("a string has no end");
    const char c = rest_.front();
    const size_t which = kLetters.find(c);
    if (which != std::string_view::npos) {
      out += kMeanings[which];
      rest_.remove_prefix(1);
      return;
    }
    if (c != 'u') wrong("a string has an escape that JSON lacks");
    uint32_t code = unit();
    if (code >= 0xd800 && code < 0xdc00) {  // half of a character of UTF-16
      if (!take_word("\\")) wrong("a string has half of a character");
      const uint32_t low = rest_.starts_with('u') ? unit() : 0;
      if (low < 0xdc00 || low > 0xdfff) wrong("a string has half of a character");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      wrong("a string has half of a character");
    }
    append_utf8(out, code);
  }

  // The four digits behind u.
  uint32_t unit() {
    uint32_t out = 0;
    const std::string_view digits = rest_.substr(1, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4) {
      wrong("a string has an escape that JSON lacks");
    }
    rest_.remove_prefix(5);
    return out;
  }

  Json number() {
    const std::string_view digits =
        rest_.substr(0, std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size()));
    const size_t first = digits.starts_with('-') ? 1 : 0;
    const bool has_digit = first < digits.size() && digits[first] >= '0' && digits[first] <= '9';
    const bool has_zero = has_digit && digits[first] == '0' && first + 1 < digits.size() &&
                          digits[first + 1] >= '0' && digits[first + 1] <= '9';
    if (!has_digit || has_zero || digits.ends_with('.')) wrong("expected a value");
    if (const size_t dot = digits.find('.'); dot != std::string_view::npos) {
      if (digits[dot + 1] < '0' || digits[dot + 1] > '9') wrong("expected a value");
    }
    if (digits.find_first_of(".eE") == std::string_view::npos) {
      if (int64_t out = 0; reads_as(digits, out)) return out;
      if (uint64_t out = 0; reads_as(digits, out)) return out;
    }
    double out = 0;
    if (!reads_as(digits, out)) wrong("expected a number that fits");
    return out;
  }

  template <class T>
  bool reads_as(std::string_view digits, T& out) {
    const char* const end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, out);
    if (error != std::errc() || at != end) return false;
    rest_.remove_prefix(digits.size());
    return true;
  }

  std::string_view whole_, rest_, who_, path_;
};

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Json parse_json(std::string_view text, std::string_view who, std::string_view path) {
  return Reader(text, who, path).document();
}

}  // namespace weft::io
