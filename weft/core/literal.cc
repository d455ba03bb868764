// Tensors as text: numbers while there are few, else their bytes.
#include "weft/core/literal.h"

#include <charconv>
#include <cstring>
#include <optional>

#include "weft/base/error.h"

namespace weft {
namespace {

constexpr int64_t kMostNumbers = 64;
constexpr char kDigits[] = "0123456789abcdef";

// The elements in row-major order.
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

template <class T>
T read_as(const std::byte* at) {
  T out;
  std::memcpy(&out, at, sizeof(T));
  return out;
}

// The shortest text that reads back to the same number; NaN has many bits, so it has no text.
bool append_number(std::string& out, DType dtype, const std::byte* at) {
  char text[32];
  const auto put = [&](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      if (value != value) return false;
    }
    out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
    return true;
  };
  switch (dtype) {
    case DType::kBool: out += read_as<bool>(at) ? "true" : "false"; return true;
    case DType::kU8: return put(read_as<uint8_t>(at));
    case DType::kI8: return put(read_as<int8_t>(at));
    case DType::kU16: return put(read_as<uint16_t>(at));
    case DType::kI16: return put(read_as<int16_t>(at));
    case DType::kU32: return put(read_as<uint32_t>(at));
    case DType::kI32: return put(read_as<int32_t>(at));
    case DType::kU64: return put(read_as<uint64_t>(at));
    case DType::kI64: return put(read_as<int64_t>(at));
    case DType::kF32: return put(read_as<float>(at));
    case DType::kF64: return put(read_as<double>(at));
    default: return false;
  }
}

bool append_numbers(std::string& out, const Tensor& t, const std::vector<std::byte>& bytes) {
  const auto item = static_cast<size_t>(size_of(t.dtype()));
  std::string list = "[";
  for (size_t i = 0; i < bytes.size(); i += item) {
    if (i > 0) list += ", ";
    if (!append_number(list, t.dtype(), bytes.data() + i)) return false;
  }
  out += list + "]";
  return true;
}

[[noreturn]] void fail_to_parse(std::string_view what, std::string_view rest) {
  fail(Code::kInvalid, "literal", "parse", what, " at '", rest.substr(0, 40), "'");
}

bool take(std::string_view& rest, std::string_view token) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (!rest.starts_with(token)) return false;
  rest.remove_prefix(token.size());
  return true;
}

template <class T>
void read_number(std::string_view& rest, std::byte* to) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  T value{};
  if constexpr (std::is_same_v<T, bool>) {
    value = take(rest, "true");
    if (!value && !take(rest, "false")) fail_to_parse("expected true or false", rest);
  } else {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) fail_to_parse("expected a number of that dtype", rest);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  }
  std::memcpy(to, &value, sizeof(T));
}

void read_item(DType dtype, std::string_view& rest, std::byte* to) {
  switch (dtype) {
    case DType::kBool: return read_number<bool>(rest, to);
    case DType::kU8: return read_number<uint8_t>(rest, to);
    case DType::kI8: return read_number<int8_t>(rest, to);
    case DType::kU16: return read_number<uint16_t>(rest, to);
    case DType::kI16: return read_number<int16_t>(rest, to);
    case DType::kU32: return read_number<uint32_t>(rest, to);
    case DType::kI32: return read_number<int32_t>(rest, to);
    case DType::kU64: return read_number<uint64_t>(rest, to);
    case DType::kI64: return read_number<int64_t>(rest, to);
    case DType::kF32: return read_number<float>(rest, to);
    case DType::kF64: return read_number<double>(rest, to);
    default: fail_to_parse("numbers of this dtype are written as bytes", rest);
  }
}

int value_of_digit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  return 'a' <= c && c <= 'f' ? c - 'a' + 10 : -1;
}

std::vector<std::byte> read_bytes(std::string_view& rest, size_t count) {
  if (rest.size() / 2 < count) fail_to_parse("fewer bytes than the shape has", rest);
  std::vector<std::byte> out(count);
  for (std::byte& b : out) {
    const int high = value_of_digit(rest[0]), low = value_of_digit(rest[1]);
    if (high < 0 || low < 0) fail_to_parse("expected hexadecimal digits", rest);
    b = static_cast<std::byte>(high * 16 + low);
    rest.remove_prefix(2);
  }
  return out;
}

std::vector<std::byte> read_list(DType dtype, std::string_view& rest, size_t count) {
  // A number takes two characters or more, with what parts it from the next.
  if (rest.size() / 2 + 1 < count) fail_to_parse("fewer numbers than the shape has", rest);
  const auto item = static_cast<size_t>(size_of(dtype));
  std::vector<std::byte> out(count * item);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && !take(rest, ",")) fail_to_parse("expected ','", rest);
    read_item(dtype, rest, out.data() + i * item);
  }
  if (!take(rest, "]")) fail_to_parse("expected ']'", rest);
  return out;
}

Shape read_shape(std::string_view& rest) {
  if (!take(rest, "[")) fail_to_parse("expected '['", rest);
  Shape out;
  while (!take(rest, "]")) {
    if (!out.empty() && !take(rest, ",")) fail_to_parse("expected ','", rest);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    int64_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || size < 0) fail_to_parse("expected a size", rest);
    if (rank_of(out) == kMaxRank) fail_to_parse("more axes than a tensor may have", rest);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    out.push_back(size);
  }
  return out;
}

}  // namespace

void append_literal(std::string& out, const Tensor& tensor) {
  if (!tensor.defined()) {
    out += "none";
    return;
  }
  append_text(out, tensor.type());
  out += ' ';
  const std::vector<std::byte> bytes = bytes_of(tensor);
  if (tensor.numel() <= kMostNumbers && append_numbers(out, tensor, bytes)) return;
  out += "0x";
  for (const std::byte b : bytes) {
    out += kDigits[static_cast<size_t>(b) / 16];
    out += kDigits[static_cast<size_t>(b) % 16];
  }
}

Tensor parse_literal(std::string_view& rest) {
  if (take(rest, "none")) return Tensor();
  size_t n = 0;
  while (n < rest.size() && isalnum(static_cast<unsigned char>(rest[n]))) ++n;
  const std::optional<DType> dtype = parse_dtype(rest.substr(0, n));
  if (!dtype) fail_to_parse("expected a dtype", rest);
  rest.remove_prefix(n);
  const Shape shape = read_shape(rest);
  const auto count = static_cast<size_t>(num_elements(shape).value());
  if (count > rest.size()) fail_to_parse("fewer elements than the shape has", rest);
  const bool has_bytes = take(rest, "0x");
  if (!has_bytes && !take(rest, "[")) fail_to_parse("expected '[' or '0x'", rest);
  return Tensor::from_bytes(*dtype, shape,
                            has_bytes
                                ? read_bytes(rest, count * static_cast<size_t>(size_of(*dtype)))
                                : read_list(*dtype, rest, count));
}

bool are_equal_literals(const Tensor& a, const Tensor& b) {
  if (a.node() == b.node()) return true;
  if (!a.defined() || !b.defined() || !(a.type() == b.type())) return false;
  return bytes_of(a) == bytes_of(b);
}

}  // namespace weft
