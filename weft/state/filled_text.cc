// Python's format specifications, for graphs that run without Python.
#include "weft/state/filled_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "weft/base/function_ref.h"

namespace weft {
namespace {

// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct Format {
  std::string fill = " ";  // one character, of one or more bytes
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, no_negative_zero = false;
  size_t width = 0;
  int precision = -1;

  explicit Format(std::string_view rest) {
    const auto is_align = [](char c) { return std::string_view("<>=^").find(c) != rest_npos; };
    const size_t first = bytes_of_first(rest);
    const bool has_fill = rest.size() > first && is_align(rest[first]);
    if (has_fill) {
      fill = rest.substr(0, first);
      align = rest[first];
      rest.remove_prefix(first + 1);
    } else if (!rest.empty() && is_align(rest[0])) {
      align = take(rest);
    }
    if (!rest.empty() && std::string_view("+- ").find(rest[0]) != rest_npos) sign = take(rest);
    if (rest.starts_with('z')) no_negative_zero = take(rest) == 'z';
    if (rest.starts_with('#')) alternate = take(rest) == '#';
    if (rest.starts_with('0')) {
      if (!has_fill) fill = "0";
      if (align == 0) align = '=';
      take(rest);
    }
    width = static_cast<size_t>(std::max(0, number(rest)));
    if (rest.starts_with(',') || rest.starts_with('_')) grouping = take(rest);
    if (rest.starts_with('.')) {
      take(rest);
      precision = std::max(0, number(rest));
    }
    if (!rest.empty()) type = rest[0];
  }

 private:
  static constexpr size_t rest_npos = std::string_view::npos;

  static size_t bytes_of_first(std::string_view s) {
    size_t out = std::min<size_t>(1, s.size());
    while (out < s.size() && (static_cast<unsigned char>(s[out]) & 0xC0) == 0x80) ++out;
    return out;
  }
  static char take(std::string_view& rest) {
    const char out = rest[0];
    rest.remove_prefix(1);
    return out;
  }
  static int number(std::string_view& rest) {
    int out = -1;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), out).ptr;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return out;
  }
};

size_t characters(std::string_view s) {
  return static_cast<size_t>(std::ranges::count_if(
      s, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// `head` is the sign and the prefix, which "=" leaves in front.
std::string padded(const Format& format, const std::string& head, const std::string& body,
                   char align) {
  const size_t size = characters(head) + characters(body);
  const size_t missing = format.width > size ? format.width - size : 0;
  const size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  std::string left, right;
  for (size_t i = 0; i < before; ++i) left += format.fill;
  for (size_t i = before; i < missing; ++i) right += format.fill;
  return align == '=' ? head + left + body : left + head + body + right;
}

std::string grouped(const std::string& digits, char separator, size_t each) {
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % each == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// A number of its parts. Zeros in front are grouped with the digits.
std::string put_together(const Format& format, const std::string& head, std::string digits,
                         const std::string& rest) {
  if (format.grouping != 0 && !digits.empty()) {  // none in inf and nan
    const bool by_four = std::string_view("xXbo").find(format.type) != std::string_view::npos;
    const size_t each = by_four && format.type != 0 ? 4 : 3;
    const auto all = [&] { return grouped(digits, format.grouping, each); };
    while (format.align == '=' && format.fill == "0" &&
           head.size() + all().size() + rest.size() < format.width) {
      digits.insert(0, "0");
    }
    digits = all();
  }
  return padded(format, head, digits + rest, format.align == 0 ? '>' : format.align);
}

std::string sign_of(const Format& format, bool is_negative) {
  if (is_negative) return "-";
  return format.sign == '-' ? "" : std::string(1, format.sign);
}

std::string formatted_integer(const Format& format, bool is_negative, uint64_t size) {
  const int base = format.type == 'b'                                             ? 2
                   : format.type == 'o'                                           ? 8
                   : std::tolower(static_cast<unsigned char>(format.type)) == 'x' ? 16
                                                                                  : 10;
  char digits[65];
  std::string body(digits, std::to_chars(digits, digits + sizeof digits, size, base).ptr);
  if (format.type == 'X') {
    for (char& c : body) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  std::string head = sign_of(format, is_negative);
  if (format.alternate && base != 10) head += {'0', format.type};
  return put_together(format, head, std::move(body), "");
}

std::string by_printf(const Format& format, int precision, char type, double size) {
  const char pattern[] = {'%', format.alternate ? '#' : '-', '.', '*', type, 0};
  std::string out(static_cast<size_t>(std::snprintf(nullptr, 0, pattern, precision, size)), ' ');
  std::snprintf(out.data(), out.size() + 1, pattern, precision, size);
  return out;
}

// As repr shows it, or, with a precision, by %g with a digit behind the point.
std::string plain_digits(const Format& format, double size) {
  std::string out;
  if (format.precision >= 0) {
    out = by_printf(format, std::max(1, format.precision), 'g', size);
    const bool is_whole = out.find_first_of(".e") == std::string::npos;
    const auto digits = static_cast<int>(out.size());
    if (is_whole && digits >= std::max(1, format.precision)) {
      out = by_printf(format, std::max(0, format.precision - 1), 'e', size);
      const size_t point = out.find('.');
      const size_t exponent = out.find('e');
      if (point != std::string::npos) {
        size_t last = exponent;
        while (last > point + 1 && out[last - 1] == '0') --last;
        if (last == point + 1) --last;
        out.erase(last, exponent - last);
      }
      return out;
    }
    return is_whole ? out + ".0" : out;
  }
  char digits[64];
  char* end =
      std::to_chars(digits, digits + sizeof digits, size, std::chars_format::scientific).ptr;
  out.assign(digits, end);
  const int exponent = std::atoi(out.c_str() + out.find('e') + 1);
  if (exponent < -4 || exponent >= 16) return out;
  end = std::to_chars(digits, digits + sizeof digits, size, std::chars_format::fixed).ptr;
  out.assign(digits, end);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

// Of what has no sign.
std::string float_digits(const Format& format, double size) {
  const bool is_upper = std::isupper(static_cast<unsigned char>(format.type)) != 0;
  if (std::isnan(size)) return is_upper ? "NAN" : "nan";
  if (std::isinf(size)) return is_upper ? "INF" : "inf";
  const int precision = format.precision < 0 ? 6 : format.precision;
  switch (format.type) {
    case 0: return plain_digits(format, size);
    case '%': return by_printf(format, precision, 'f', size * 100);
    case 'n': return by_printf(format, precision, 'g', size);
    default: return by_printf(format, precision, format.type, size);
  }
}

std::string formatted_float(const Format& format, double value) {
  std::string body = float_digits(format, std::abs(value));
  bool is_negative = std::signbit(value) && !std::isnan(value);
  if (format.no_negative_zero && body.find_first_of("123456789iI") == std::string::npos) {
    is_negative = false;
  }
  const size_t digits = std::min(body.find_first_not_of("0123456789"), body.size());
  std::string rest = body.substr(digits);
  body.resize(digits);
  if (format.type == '%') rest += '%';
  return put_together(format, sign_of(format, is_negative), std::move(body), rest);
}

std::string formatted_text(const Format& format, std::string text) {
  if (format.precision >= 0) {
    size_t bytes = 0;
    for (int count = 0; bytes < text.size(); ++bytes) {
      if ((static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80 && count++ == format.precision) {
        break;
      }
    }
    text.resize(bytes);
  }
  return padded(format, "", text, format.align == 0 ? '<' : format.align);
}

// As str of Python's number writes it.
std::string number_text(const Tensor& value) {
  if (value.dtype() == DType::kBool) return value.item_int() != 0 ? "True" : "False";
  return formatted_number(value, "-");
}

std::string written(const Tensor& value, std::string_view field) {
  const size_t colon = field.find(':');
  const std::string_view format = colon == std::string_view::npos ? "" : field.substr(colon + 1);
  if (field.starts_with("!n") && value.numel() == 1) {
    const std::string number = number_text(value);
    return format.empty() ? number : formatted_text(Format(format), number);
  }
  if (format.empty()) return to_string(value);
  if (field.starts_with('!')) return formatted_text(Format(format), to_string(value));
  return value.numel() == 1 && !is_complex(value.dtype()) ? formatted_number(value, format)
                                                          : to_string(value);
}

std::string walked(std::string_view pattern, FunctionRef<std::string(std::string_view)> value) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const bool is_twice = i + 1 < pattern.size() && pattern[i + 1] == c;
    if ((c == '{' || c == '}') && is_twice) {
      out += c;
      ++i;
    } else if (const size_t end = c == '{' ? pattern.find('}', i) : std::string_view::npos;
               end != std::string_view::npos) {
      out += value(pattern.substr(i + 1, end - i - 1));
      i = end;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string formatted_number(const Tensor& number, std::string_view format) {
  const Format parts(format);
  const bool is_whole = !is_floating(number.dtype());
  const bool as_float = std::string_view("eEfFgG%").find(parts.type) != std::string_view::npos;
  if (!is_whole || (as_float && parts.type != 0)) return formatted_float(parts, number.item());
  const bool is_unsigned = number.dtype() == DType::kU64;  // whose values may not fit
  const int64_t value =
      is_unsigned ? *static_cast<const int64_t*>(number.data()) : number.item_int();
  const bool is_negative = value < 0 && !is_unsigned;
  const auto bits = static_cast<uint64_t>(value);
  return formatted_integer(parts, is_negative, is_negative ? ~bits + 1 : bits);
}

std::string filled_text(std::string_view pattern, TensorSpan values) {
  size_t next = 0;
  return walked(pattern, [&](std::string_view field) {
    return next < values.size() ? written(values[next++], field) : std::string("{}");
  });
}

std::string text_with(std::string_view pattern, std::string_view placeholder) {
  return walked(pattern, [&](std::string_view) { return std::string(placeholder); });
}

}  // namespace weft
