// The text of a tensor, laid out as NumPy lays out arrays: 8 digits at most, aligned, summarised
// above 1000 elements.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "weft/core/tensor.h"

namespace weft {
namespace {

constexpr int64_t kThreshold = 1000, kEdge = 3;
constexpr size_t kLineWidth = 75;
constexpr int kPrecision = 8;
constexpr std::string_view kPrefix = "tensor(";

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The fewest digits that read back as the same element, in scientific form.
std::string shortest(DType dtype, double value) {
  char room[64];
  const auto text_of = [&](std::to_chars_result r) { return std::string(room, r.ptr); };
  if (dtype == DType::kF64 || dtype == DType::kC128) {
    return text_of(std::to_chars(room, room + sizeof room, value, std::chars_format::scientific));
  }
  const float single = static_cast<float>(value);
  if (dtype != DType::kF16 && dtype != DType::kBF16) {
    return text_of(std::to_chars(room, room + sizeof room, single, std::chars_format::scientific));
  }
  const auto bits = [&](float f) {
    return dtype == DType::kF16 ? Half::from_float(f).bits : BFloat16::from_float(f).bits;
  };
  for (int digits = 0;; ++digits) {
    std::string out = text_of(
        std::to_chars(room, room + sizeof room, single, std::chars_format::scientific, digits));
    float back = 0;
    std::from_chars(out.data(), out.data() + out.size(), back);
    if (bits(back) == bits(single) || digits > 9) return out;
  }
}

// A number in parts: what is aligned at the point.
struct Parts {
  std::string whole;     // "-12"
  std::string fraction;  // "5", without trailing zeros
  std::string exponent;  // "e+10", or empty
};

void drop_zeros(std::string& digits) {
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
}

Parts split_at_point(const std::string& number) {
  const size_t e = number.find('e');
  const std::string mantissa = number.substr(0, e);
  const size_t point = mantissa.find('.');
  Parts out{mantissa.substr(0, point), "", e == std::string::npos ? "" : number.substr(e)};
  if (point != std::string::npos) out.fraction = mantissa.substr(point + 1);
  drop_zeros(out.fraction);
  return out;
}

std::string formatted(double value, std::chars_format form, int digits) {
  char room[400];
  return std::string(room, std::to_chars(room, room + sizeof room, value, form, digits).ptr);
}

Parts scientific(DType dtype, double value) {
  Parts out = split_at_point(shortest(dtype, value));
  if (out.fraction.size() > kPrecision) {
    out = split_at_point(formatted(value, std::chars_format::scientific, kPrecision));
  }
  return out;
}

Parts positional(DType dtype, double value) {
  const Parts exact = split_at_point(shortest(dtype, value));
  const int exponent = std::atoi(exact.exponent.c_str() + 1);
  const int digits = static_cast<int>(exact.fraction.size()) - exponent;  // behind the point
  return split_at_point(
      formatted(value, std::chars_format::fixed, std::clamp(digits, 0, kPrecision)));
}

// How all real numbers of a tensor are written.
class RealFormat {
 public:
  RealFormat(DType dtype, const std::vector<double>& values, bool always_sign)
      : dtype_(dtype), always_sign_(always_sign) {
    double least = INFINITY, most = 0;
    for (double v : values) {
      if (!std::isfinite(v) || v == 0) continue;
      least = std::min(least, std::abs(v));
      most = std::max(most, std::abs(v));
    }
    scientific_ = most > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1000);
    for (double v : values) {
      if (!std::isfinite(v)) continue;
      const Parts p = parts(v);
      left_ = std::max(left_, p.whole.size());
      right_ = std::max(right_, p.fraction.size());
      exponent_ = std::max(exponent_, p.exponent.size());
    }
    for (double v : values) {
      if (std::isfinite(v)) continue;
      const size_t width = special(v).size(), behind = right_ + exponent_ + 1;
      if (width > behind) left_ = std::max(left_, width - behind);
    }
  }

  std::string operator()(double value) const {
    const size_t width = left_ + 1 + right_ + exponent_;
    if (!std::isfinite(value)) {
      const std::string out = special(value);
      return std::string(width - std::min(width, out.size()), ' ') + out;
    }
    const Parts p = parts(value);
    std::string out = text(std::string(left_ - p.whole.size(), ' '), p.whole, '.', p.fraction);
    out += std::string(right_ - p.fraction.size(), scientific_ ? '0' : ' ');
    return out + p.exponent;
  }

 private:
  Parts parts(double value) const {
    Parts out = scientific_ ? scientific(dtype_, value) : positional(dtype_, value);
    if (always_sign_ && out.whole[0] != '-') out.whole = text('+', out.whole);
    return out;
  }
  std::string special(double value) const {
    const std::string name = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return always_sign_ && name[0] != '-' ? text('+', name) : name;
  }

  DType dtype_;
  bool always_sign_, scientific_ = false;
  size_t left_ = 0, right_ = 0, exponent_ = 0;
};

double real_at(DType dtype, const char* at, bool imaginary) {
  switch (dtype) {
    case DType::kF16: return load<Half>(at).to_float();
    case DType::kBF16: return load<BFloat16>(at).to_float();
    case DType::kF32: return load<float>(at);
    case DType::kF64: return load<double>(at);
    case DType::kC64: return load<float>(at + (imaginary ? 4 : 0));
    default: return load<double>(at + (imaginary ? 8 : 0));
  }
}

std::string integer_at(DType dtype, const char* at) {
  switch (dtype) {
    case DType::kBool: return load<uint8_t>(at) ? "True" : "False";
    case DType::kU8: return text(load<uint8_t>(at));
    case DType::kI8: return text(load<int8_t>(at));
    case DType::kU16: return text(load<uint16_t>(at));
    case DType::kI16: return text(load<int16_t>(at));
    case DType::kU32: return text(load<uint32_t>(at));
    case DType::kI32: return text(load<int32_t>(at));
    case DType::kU64: return text(load<uint64_t>(at));
    default: return text(load<int64_t>(at));
  }
}

// The elements that are shown, in order, as aligned words.
std::vector<std::string> words(DType dtype, const std::vector<const char*>& elements) {
  std::vector<std::string> out;
  if (kind_of(dtype) <= Kind::kInteger) {
    size_t width = 0;
    for (const char* at : elements) width = std::max(width, integer_at(dtype, at).size());
    for (const char* at : elements) {
      const std::string word = integer_at(dtype, at);
      out.push_back(std::string(width - word.size(), ' ') + word);
    }
    return out;
  }
  std::vector<double> real, imaginary;
  for (const char* at : elements) {
    real.push_back(real_at(dtype, at, false));
    if (is_complex(dtype)) imaginary.push_back(real_at(dtype, at, true));
  }
  const RealFormat format(dtype, real, false), imaginary_format(dtype, imaginary, true);
  for (size_t i = 0; i < elements.size(); ++i) {
    out.push_back(format(real[i]));
    if (!is_complex(dtype)) continue;
    std::string word = imaginary_format(imaginary[i]);
    const size_t end = word.find_last_not_of(' ') + 1;
    out.back() += text(word.substr(0, end), 'j', word.substr(end));
  }
  return out;
}

class Printer {
 public:
  explicit Printer(const Tensor& t) : t_(t), summary_(t.numel() > kThreshold) {
    collect(0, static_cast<const char*>(t.data()));
    words_ = words(t.dtype(), elements_);
  }

  std::string body() { return nested(0, std::string(kPrefix.size() + 1, ' '), kLineWidth - 1); }

 private:
  bool is_cut(size_t axis) const { return summary_ && t_.shape()[axis].value() > 2 * kEdge; }

  void collect(size_t axis, const char* at) {
    if (axis == t_.shape().size()) {
      elements_.push_back(at);
      return;
    }
    const int64_t extent = t_.shape()[axis].value();
    const int64_t step = t_.strides()[axis] * size_of(t_.dtype());
    for (int64_t i = 0; i < extent; ++i) {
      if (is_cut(axis) && i == kEdge) i = extent - kEdge;
      collect(axis + 1, at + i * step);
    }
  }

  std::string nested(size_t axis, const std::string& indent, size_t width) {
    const size_t rank = t_.shape().size();
    if (axis == rank) return words_[next_++];
    return axis + 1 == rank ? row(axis, indent, width) : rows(axis, indent, width);
  }

  // One row, broken where the line is full.
  std::string row(size_t axis, const std::string& indent, size_t width) {
    std::string out, line = indent;
    const int64_t extent = t_.shape()[axis].value();
    const auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    for (int64_t i = 0; i < extent; ++i) {
      if (is_cut(axis) && i == kEdge) {
        extend("...");
        line += ", ";
        i = extent - kEdge;
      }
      extend(words_[next_++]);
      if (i + 1 < extent) line += ", ";
    }
    return text('[', (out + line).substr(indent.size()), ']');
  }

  std::string rows(size_t axis, const std::string& indent, size_t width) {
    const int64_t extent = t_.shape()[axis].value();
    const std::string separator = text(',', std::string(t_.shape().size() - axis - 1, '\n'));
    std::string out;
    for (int64_t i = 0; i < extent; ++i) {
      if (is_cut(axis) && i == kEdge) {
        out += indent + "..." + separator;
        i = extent - kEdge;
      }
      out += indent;
      out += nested(axis + 1, text(indent, ' '), width - 1);
      if (i + 1 < extent) out += separator;
    }
    return text('[', out.substr(indent.size()), ']');
  }

  const Tensor& t_;
  bool summary_;
  std::vector<const char*> elements_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

std::string shape_text(ShapeView shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += text(i == 0 ? "" : ", ", shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

namespace {

// A tracer with a value below (grad, jvp, a tape) is printed as that value and what follows it; one
// without (vmap) as its type.
std::string tracer_text(const Tensor& t) {
  const Tracer& tracer = *static_cast<const Tracer*>(t.node());
  const std::string what = tracer.type->describe(&tracer);
  const TensorNode* const value = tracer.type->value(&tracer);
  if (value == nullptr) return text(kPrefix, "<", t.type(), ", ", what, ">)");
  retain(const_cast<TensorNode*>(value));
  std::string out = to_string(Tensor::adopt(const_cast<TensorNode*>(value)));
  if (what.empty()) return out;
  out.pop_back();
  return text(out, ", ", what, ")");
}

}  // namespace

std::string to_string(const Tensor& t) {
  if (!t.defined()) return "tensor(undefined)";
  if (!t.is_concrete()) return tracer_text(t);
  const bool is_empty = t.numel() == 0;
  std::string out = std::string(kPrefix) + (is_empty ? "[]" : Printer(t).body());
  std::string rest;
  if ((is_empty && t.rank() > 1) || t.numel() > kThreshold) {
    rest = text("shape=", shape_text(t.shape()), ", ");
  }
  rest += text("dtype=", name_of(t.dtype()), ")");
  const size_t last_line = out.size() - (out.rfind('\n') + 1);
  const bool fits = last_line + 2 + rest.size() <= kLineWidth;
  return text(out, ',', fits ? " " : text('\n', std::string(kPrefix.size(), ' ')), rest);
}

}  // namespace weft
