// Tensors as text: numbers while there are few, else their bytes.
#include "weft/core/literal.h"

#include <charconv>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>

#include "weft/base/error.h"

namespace weft {
namespace {

constexpr int64_t kMostNumbers = 64;
constexpr char kDigits[] = "0123456789abcdef";

template <class T>
T read_as(const std::byte* at) {
  T out;
  std::memcpy(&out, at, sizeof(T));
  return out;
}
template <class T>
void write_as(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// The shortest text that reads back to the same number. NaN has many bits: only the usual one has a
// text.
bool append_number(std::string& out, std::floating_point auto value) {
  using T = decltype(value);
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  if (value != value) {
    if (std::memcmp(&value, &kNan, sizeof(T)) != 0) return false;
    out += "nan";
    return true;
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  return true;
}
bool append_number(std::string& out, std::integral auto value) {
  append_text(out, value);  // of bool: true, false
  return true;
}
bool append_number(std::string& out, Half value) {
  return (value.to_float() == value.to_float() || value.bits == 0x7e00) &&
         append_number(out, value.to_float());
}
bool append_number(std::string& out, BFloat16 value) {
  return (value.to_float() == value.to_float() || value.bits == 0x7fc0) &&
         append_number(out, value.to_float());
}
// 1+2j; the sign of the imaginary part stands between the two.
template <class Complex>
bool append_complex(std::string& out, Complex value) {
  std::string imaginary;
  if (!append_number(out, value.re) || !append_number(imaginary, value.im)) return false;
  out += text(imaginary.starts_with('-') ? "" : "+", imaginary, 'j');
  return true;
}
bool append_number(std::string& out, Complex64 value) { return append_complex(out, value); }
bool append_number(std::string& out, Complex128 value) { return append_complex(out, value); }

void read_number(TextCursor& cursor, bool& out) {
  out = cursor.take("true");
  if (!out && !cursor.take("false")) cursor.fail("expected true or false");
}
template <class T>
  requires std::is_arithmetic_v<T>
void read_number(TextCursor& cursor, T& out) {
  out = cursor.number<T>();
  if constexpr (std::floating_point<T>) {
    if (out != out) out = std::numeric_limits<T>::quiet_NaN();
  }
}
void read_number(TextCursor& cursor, Half& out) { out = Half::from_float(cursor.number<float>()); }
void read_number(TextCursor& cursor, BFloat16& out) {
  out = BFloat16::from_float(cursor.number<float>());
}
template <class Complex>
void read_complex(TextCursor& cursor, Complex& out) {
  read_number(cursor, out.re);
  cursor.take("+");
  read_number(cursor, out.im);
  cursor.expect("j");
}
void read_number(TextCursor& cursor, Complex64& out) { read_complex(cursor, out); }
void read_number(TextCursor& cursor, Complex128& out) { read_complex(cursor, out); }

// Calls visit with a value of the C++ type of the dtype.
template <class Visit>
auto with_type(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::kBool: return visit(bool{});
    case DType::kU8: return visit(uint8_t{});
    case DType::kI8: return visit(int8_t{});
    case DType::kU16: return visit(uint16_t{});
    case DType::kI16: return visit(int16_t{});
    case DType::kU32: return visit(uint32_t{});
    case DType::kI32: return visit(int32_t{});
    case DType::kU64: return visit(uint64_t{});
    case DType::kI64: return visit(int64_t{});
    case DType::kF16: return visit(Half{});
    case DType::kBF16: return visit(BFloat16{});
    case DType::kF32: return visit(float{});
    case DType::kF64: return visit(double{});
    case DType::kC64: return visit(Complex64{});
    case DType::kC128: return visit(Complex128{});
  }
  __builtin_unreachable();
}

bool append_numbers(std::string& out, DType dtype, const std::vector<std::byte>& bytes) {
  const auto item = static_cast<size_t>(size_of(dtype));
  std::string list = "[";
  for (size_t i = 0; i < bytes.size(); i += item) {
    if (i > 0) list += ", ";
    const bool has_text = with_type(
        dtype, [&]<class T>(T) { return append_number(list, read_as<T>(bytes.data() + i)); });
    if (!has_text) return false;
  }
  out += list + "]";
  return true;
}

int value_of_digit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  return 'a' <= c && c <= 'f' ? c - 'a' + 10 : -1;
}

std::vector<std::byte> read_bytes(TextCursor& cursor, DType dtype, size_t count) {
  std::string_view& rest = cursor.rest();
  if (rest.size() / 2 < count) cursor.fail("there are fewer bytes than the shape has");
  std::vector<std::byte> out(count);
  for (std::byte& b : out) {
    const int high = value_of_digit(rest[0]), low = value_of_digit(rest[1]);
    if (high < 0 || low < 0) cursor.fail("expected hexadecimal digits");
    b = static_cast<std::byte>(high * 16 + low);
    if (dtype == DType::kBool && b > std::byte{1}) cursor.fail("a bool is 00 or 01");
    rest.remove_prefix(2);
  }
  return out;
}

std::vector<std::byte> read_list(TextCursor& cursor, DType dtype, size_t count) {
  // A number takes two characters or more, with what parts it from the next.
  if (cursor.rest().size() / 2 + 1 < count)
    cursor.fail("there are fewer numbers than the shape has");
  const auto item = static_cast<size_t>(size_of(dtype));
  std::vector<std::byte> out(count * item);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) cursor.expect(",");
    with_type(dtype, [&]<class T>(T value) {
      read_number(cursor, value);
      write_as(out.data() + i * item, value);
    });
  }
  cursor.expect("]");
  return out;
}

Shape read_shape(TextCursor& cursor) {
  cursor.expect("[");
  Shape out;
  while (!cursor.take("]")) {
    if (!out.empty()) cursor.expect(",");
    if (rank_of(out) == kMaxRank) cursor.fail("more axes than a tensor may have");
    const auto size = cursor.number<int64_t>();
    if (size < 0) cursor.fail("a size is at least 0");
    out.push_back(size);
  }
  return out;
}

}  // namespace

std::vector<std::byte> bytes_of(const Tensor& t) {
  const auto item = static_cast<size_t>(size_of(t.dtype()));
  std::vector<std::byte> out(static_cast<size_t>(t.numel()) * item);
  if (t.is_contiguous() || t.numel() == 0) {
    if (!out.empty()) std::memcpy(out.data(), t.data(), out.size());
    return out;
  }
  Ints place(static_cast<size_t>(t.rank()), 0);
  const auto* const from = static_cast<const std::byte*>(t.data());
  for (size_t i = 0; i < out.size(); i += item) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < place.size(); ++axis) offset += place[axis] * t.strides()[axis];
    std::memcpy(out.data() + i, from + offset * static_cast<int64_t>(item), item);
    for (size_t axis = place.size(); axis-- > 0;) {
      if (++place[axis] < t.shape()[axis].value()) break;
      place[axis] = 0;
    }
  }
  return out;
}

void append_literal(std::string& out, const Tensor& tensor) {
  if (!tensor.defined()) {
    out += "none";
    return;
  }
  append_text(out, tensor.type());
  out += ' ';
  const std::vector<std::byte> bytes = bytes_of(tensor);
  if (tensor.numel() <= kMostNumbers && append_numbers(out, tensor.dtype(), bytes)) return;
  out += "0x";
  for (const std::byte b : bytes) {
    out += kDigits[static_cast<size_t>(b) / 16];
    out += kDigits[static_cast<size_t>(b) % 16];
  }
}

Tensor read_literal(TextCursor& cursor) {
  if (cursor.take("none")) return Tensor();
  const std::string_view before = cursor.rest();
  const std::optional<DType> dtype = parse_dtype(cursor.word());
  if (!dtype) cursor.fail_before(before, "expected a dtype");
  const Shape shape = read_shape(cursor);
  // Nothing is multiplied that the text does not hold.
  size_t count = 1;
  for (const Dim dim : shape) {
    const auto size = static_cast<size_t>(dim.value());
    if (size == 0) count = 0;
    if (count > 0 && size > cursor.rest().size() / count) {
      cursor.fail("there are fewer elements than the shape has");
    }
    count *= size;
  }
  const bool has_bytes = cursor.take("0x");
  if (!has_bytes && !cursor.take("[")) cursor.fail("expected '[' or '0x'");
  const std::vector<std::byte> bytes =
      has_bytes ? read_bytes(cursor, *dtype, count * static_cast<size_t>(size_of(*dtype)))
                : read_list(cursor, *dtype, count);
  try {
    return Tensor::from_bytes(*dtype, shape, bytes);
  } catch (const Error& error) {  // empty, with sizes whose product does not fit
    cursor.fail(error.message);
  }
}

bool are_equal_literals(const Tensor& a, const Tensor& b) {
  if (a.node() == b.node()) return true;
  if (!a.defined() || !b.defined() || !(a.type() == b.type())) return false;
  return bytes_of(a) == bytes_of(b);
}

}  // namespace weft
