// Names and types of saved values as text, and paths as bytes.
#include "weft/base/error.h"
#include "weft/base/text_cursor.h"
#include "weft/state/saving.h"

namespace weft {
namespace {

std::string read_name(TextCursor& cursor) {
  if (cursor.at("\"")) return cursor.quoted();
  std::string_view& rest = cursor.rest();
  size_t length = 0;
  while (length < rest.size() && is_plain_name(rest.substr(length, 1))) ++length;
  std::string out(rest.substr(0, length));
  rest.remove_prefix(length);
  if (out.empty()) cursor.fail("expected a name");
  return out;
}

Type read_type(TextCursor& cursor) {
  const std::optional<DType> dtype = parse_dtype(cursor.word());
  if (!dtype) cursor.fail("expected a dtype");
  Type out{*dtype, {}};
  cursor.expect("[");
  if (cursor.take("]")) return out;
  do {
    const auto size = cursor.number<int64_t>();
    if (size < 0) cursor.fail("expected a size");
    out.shape.push_back(size);
  } while (cursor.take(","));
  cursor.expect("]");
  return out;
}

}  // namespace

std::string print_saved_values(const SavedValues& values) {
  std::string out;
  for (const auto& [name, type] : values) {
    if (!out.empty()) out += ", ";
    if (is_plain_name(name)) {
      out += name;
    } else {
      append_quoted(out, name);
    }
    out += text(": ", type);
  }
  return out;
}

SavedValues parse_saved_values(std::string_view text) {
  SavedValues out;
  TextCursor cursor(text, "Saver");
  if (cursor.done()) return out;
  do {
    cursor.skip_space();
    SavedValue one{read_name(cursor), {}};
    cursor.expect(":");
    one.type = read_type(cursor);
    out.push_back(std::move(one));
  } while (cursor.take(","));
  if (!cursor.done()) cursor.fail("expected , or the end");
  return out;
}

Tensor path_tensor(std::string_view path) {
  return Tensor::from_bytes(DType::kU8, Shape{static_cast<int64_t>(path.size())},
                            std::as_bytes(std::span(path.data(), path.size())));
}

std::string path_in(const Tensor& bytes) {
  if (bytes.dtype() != DType::kU8 || bytes.rank() != 1) {
    fail(Code::kType, "Saver", "path", "the path is ", bytes.type(), "; it is the bytes of a path");
  }
  const std::vector<uint8_t> letters = bytes.to_vector<uint8_t>();
  return std::string(letters.begin(), letters.end());
}

}  // namespace weft
