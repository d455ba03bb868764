// Reads the header of an npy file: a dict of Python's, of three names.
#include "weft/io/npy/header.h"

#include <charconv>
#include <optional>

#include "weft/base/error.h"

namespace weft::io {
namespace {

struct Pair {
  DType ours;
  std::string_view name;  // behind the sign for the order of bytes
};
constexpr Pair kPairs[] = {
    {DType::kBool, "b1"}, {DType::kU8, "u1"},    {DType::kI8, "i1"},  {DType::kU16, "u2"},
    {DType::kI16, "i2"},  {DType::kU32, "u4"},   {DType::kI32, "i4"}, {DType::kU64, "u8"},
    {DType::kI64, "i8"},  {DType::kF16, "f2"},   {DType::kF32, "f4"}, {DType::kF64, "f8"},
    {DType::kC64, "c8"},  {DType::kC128, "c16"},
};

// What a dict of Python's may hold here.
class DictReader {
 public:
  DictReader(std::string_view text, const ByteStream& from, std::string_view who)
      : rest_(text), from_(from), who_(who) {}

  NpyHeader read() {
    NpyHeader out;
    std::optional<std::string> descr;
    bool has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = description();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        out.is_fortran = flag();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        out.sizes = sizes();
      } else {
        wrong();
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty() || !descr || !has_order || !has_shape) wrong();
    set_dtype(out, *descr);
    return out;
  }

 private:
  [[noreturn]] void wrong() const {
    fail_npy(from_, who_, "has a header without 'descr', 'fortran_order' and 'shape'");
  }
  [[noreturn]] void wrong_dtype(std::string_view descr) const {
    fail(Code::kType, who_, "dtype", "'", from_.name(), "' holds elements of '", descr,
         "', which Weft has no dtype for; numbers and flags can be read");
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
  void expect(char c) {
    if (!take(c)) wrong();
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string string() {
    const char quote = take('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos) wrong();
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return out;
  }
  // A list is the fields of records.
  std::string description() {
    skip_space();
    if (rest_.starts_with('[')) wrong_dtype("records");
    return string();
  }
  bool flag() {
    if (take_word("True")) return true;
    if (!take_word("False")) wrong();
    return false;
  }
  std::vector<int64_t> sizes() {
    std::vector<int64_t> out;
    expect('(');
    while (!take(')')) {
      skip_space();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) wrong();
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      take_word("L");  // as Python 2 wrote them
      out.push_back(size);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return out;
  }

  void set_dtype(NpyHeader& out, std::string_view descr) const {
    const char order = descr.empty() ? ' ' : descr.front();
    if (std::string_view("<>|=").find(order) == std::string_view::npos) wrong_dtype(descr);
    for (const Pair& pair : kPairs) {
      if (pair.name != descr.substr(1)) continue;
      out.dtype = pair.ours;
      out.is_swapped = order == '>';
      return;
    }
    wrong_dtype(descr);
  }

  std::string_view rest_;
  const ByteStream& from_;
  std::string_view who_;
};

}  // namespace

void fail_npy(const ByteStream& from, std::string_view who, std::string_view what) {
  fail(Code::kIo, who, "npy", "'", from.name(), "' ", what, "; it is damaged, or no npy file");
}

std::string_view npy_name(DType dtype) {
  for (const Pair& pair : kPairs) {
    if (pair.ours == dtype) return pair.name;
  }
  return "";
}

NpyHeader read_npy_header(ByteStream& from, std::string_view who) {
  uint8_t start[8];
  if (from.left() < sizeof start) fail_npy(from, who, text("has only ", from.left(), " bytes"));
  from.read(std::as_writable_bytes(std::span(start)));
  if (std::string_view(reinterpret_cast<const char*>(start), 6) != "\x93NUMPY") {
    fail_npy(from, who, "does not begin with \\x93NUMPY");
  }
  const int version = start[6];
  if (version < 1 || version > 3) {
    fail_npy(from, who, text("is of version ", version, " of the format, which has 1, 2 and 3"));
  }
  uint8_t digits[4] = {};
  const size_t count = version == 1 ? 2 : 4;
  if (from.left() < count) fail_npy(from, who, "ends within its header");
  from.read(std::as_writable_bytes(std::span(digits)).first(count));
  const uint64_t length =
      digits[0] | uint64_t{digits[1]} << 8 | uint64_t{digits[2]} << 16 | uint64_t{digits[3]} << 24;
  if (length > from.left()) {
    fail_npy(from, who,
             text("says that its header has ", length, " bytes, but there are ", from.left()));
  }
  std::string header(length, '\0');
  from.read(std::as_writable_bytes(std::span(header)));
  NpyHeader out = DictReader(header, from, who).read();
  if (byte_count(out.dtype, out.sizes) != from.left()) {
    fail_npy(from, who,
             text("has ", from.left(), " bytes for elements of ", out.dtype, " and the shape ",
                  out.sizes));
  }
  return out;
}

}  // namespace weft::io
