// TextCursor: reads a text from left to right; what the readers of sizes, literals, attributes and
// graphs have in common.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace weft {

// A string in quotes, with \" \\ \n \t and \x1f for what would not read well between them.
void append_quoted(std::string& out, std::string_view content);
// Names that need no quotes: letters, digits and _/.-<>? only.
bool is_plain_name(std::string_view name);
// The name after a sign such as % or @, quoted where it must be.
void append_name(std::string& out, char sign, std::string_view name);

class TextCursor {
 public:
  // `who` speaks in errors: [who.parse].
  TextCursor(std::string_view text, std::string_view who) : whole_(text), rest_(text), who_(who) {}

  // All of these pass over blanks first, and over comments, which go from // to the end of a line.
  bool done();
  bool at(std::string_view token);
  bool take(std::string_view token);
  void expect(std::string_view token);
  std::string_view word();                  // letters, digits and underscores; may be empty
  std::string quoted();                     // a string
  std::string name(std::string_view sign);  // a sign and a name
  template <class T>
  T number() {
    skip_space();
    T out{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) fail("expected a number that fits");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return out;
  }

  void skip_space();
  // What is left; readers of their own take from its beginning.
  std::string_view& rest() { return rest_; }
  std::string_view rest() const { return rest_; }

  // Raises, with the place where the cursor stands: line and column.
  [[noreturn]] void fail(std::string_view what) const;
  // The same for a place before it: what `rest` was there.
  [[noreturn]] void fail_before(std::string_view rest, std::string_view what);

 private:
  std::string_view whole_, rest_, who_;
};

}  // namespace weft
