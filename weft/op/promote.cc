// Promotion at the door, by the rules of docs/design/promotion.md.
#include "weft/op/promote.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "weft/base/error.h"
#include "weft/core/scalar.h"
#include "weft/op/builtin.h"

namespace weft {
namespace {

// What promotion needs to know of an input.
struct Operand {
  DType dtype;
  bool weak;
};

const ArgSpec& spec_of(const OpEntry& entry, size_t input) {
  return entry.inputs[std::min(input, entry.inputs.size() - 1)];
}

[[noreturn]] void fail_count(std::string_view op, int least, int most, size_t count) {
  if (least == 1 && most == INT_MAX) {
    fail(Code::kInvalid, op, "count", "needs at least one input, but got none");
  }
  fail(Code::kType, op, "count", "takes ", least,
       most == least ? std::string() : text(" to ", most), most == 1 ? " input" : " inputs",
       ", but got ", count);
}

[[noreturn]] void fail_undefined(std::string_view op, size_t input) {
  fail(Code::kType, op, "count", "input ", input, " is an undefined tensor; pass a value");
}

void check_count(const OpEntry& entry, size_t count) {
  const auto n = static_cast<int64_t>(count);
  if (n >= entry.min_inputs && n <= entry.max_inputs) return;
  fail_count(entry.name, entry.min_inputs, entry.max_inputs, count);
}

DType joined(const OpEntry& entry, std::optional<DType> common, DType dtype) {
  const std::optional<DType> out = common ? promote(*common, dtype) : dtype;
  if (!out) {
    fail(Code::kType, entry.name, "promotion", *common, " and ", dtype,
         " have no common dtype that holds both; cast one of them");
  }
  return *out;
}

// The dtype that all operands of a group share.
DType common_dtype(const OpEntry& entry, std::span<const Operand> operands, int group) {
  std::optional<DType> common;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (spec_of(entry, i).group != group || operands[i].weak) continue;
    common = joined(entry, common, operands[i].dtype);
  }
  std::optional<DType> weak_only;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (spec_of(entry, i).group != group || !operands[i].weak) continue;
    const DType dtype = strong_dtype(operands[i].dtype);
    if (common) {
      common = promote_scalar(*common, kind_of(dtype));
    } else {
      weak_only = joined(entry, weak_only, dtype);
    }
  }
  return common ? *common : *weak_only;
}

// The dtype an argument of class `spec` takes a value of `dtype` in, if any.
std::optional<DType> admitted(const ArgSpec& spec, DType dtype) {
  if (contains(spec.dtypes, dtype)) return dtype;
  const Kind kind = kind_of(dtype);
  // Bools and integers become the default float, bools the default integer, where the op has no
  // form of their own.
  if (kind == Kind::kBool && contains(spec.dtypes, DType::kI64)) return DType::kI64;
  if (kind <= Kind::kInteger && contains(spec.dtypes, DType::kF32)) return DType::kF32;
  if (kind == Kind::kFloating && !(spec.dtypes & (bit(DType::kF32) | bit(DType::kF64))) &&
      contains(spec.dtypes, DType::kC64)) {
    return dtype == DType::kF64 ? DType::kC128 : DType::kC64;
  }
  return {};
}

bool is_cast(const OpEntry& entry) {
  return entry.op != nullptr && entry.op->kernel.kind == KernelKind::kCast;
}

// A traced number beside float64: rules that meet it alone again would make it a float32.
bool is_weak_double(const Tensor& t) { return t.is_weak() && strong_dtype(t.dtype()) != t.dtype(); }

// A language scalar that settles by itself is float32, int64, ...; a cast takes it as it was
// written: cast(0.1, float64) is 0.1.
DType own_dtype(const OpEntry& entry, const Operand& operand) {
  return operand.weak && !is_cast(entry) ? strong_dtype(operand.dtype) : operand.dtype;
}

std::string argument_name(const ArgSpec& spec, size_t i) {
  return spec.variadic ? text(spec.name, "[", i, "]") : std::string(spec.name);
}

// Blames the input that is outside of the class by itself: in `x & 1.0` that is 1.0, though both
// would become floats.
[[noreturn]] void fail_dtype(const OpEntry& entry, std::span<const Operand> operands, size_t i,
                             DType dtype) {
  const int group = spec_of(entry, i).group;
  for (size_t j = 0; group >= 0 && j < operands.size(); ++j) {
    const DType own = own_dtype(entry, operands[j]);
    if (spec_of(entry, j).group != group || admitted(spec_of(entry, j), own)) continue;
    i = j;
    dtype = own;
    break;
  }
  const ArgSpec& spec = spec_of(entry, i);
  std::string_view needs = spec.class_name;
  for (const ArgSpec& other : entry.inputs) {
    if (needs.starts_with("like ") && other.name == needs.substr(5)) needs = other.class_name;
  }
  if (needs == "bits") needs = "boolean or integer";
  fail(Code::kType, entry.name, "dtype", argument_name(spec, i), " has dtype ", dtype,
       ", but must be ", needs, "; cast it first");
}

// The dtype of every input after promotion.
InlineVector<DType, 4> prepared_dtypes(const OpEntry& entry, std::span<const Operand> operands) {
  InlineVector<DType, 4> out(operands.size());
  DType common{};
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec& spec = spec_of(entry, i);
    // Asked once for neighbours of one group: a concat may have thousands of inputs.
    if (spec.group >= 0 && (i == 0 || spec.group != spec_of(entry, i - 1).group)) {
      common = common_dtype(entry, operands, spec.group);
    }
    const DType dtype = spec.group < 0 ? own_dtype(entry, operands[i]) : common;
    const std::optional<DType> taken = admitted(spec, dtype);
    if (!taken) fail_dtype(entry, operands, i, dtype);
    out[i] = *taken;
  }
  return out;
}

// An input that the door fills takes the dtype of the others, as a language scalar does.
constexpr Operand kLeftOut{DType::kBool, true};

void add_left_out(const OpEntry& entry, InlineVector<Operand, 4>& operands) {
  for (size_t i = operands.size(); i < entry.inputs.size() && entry.inputs[i].otherwise; ++i) {
    operands.push_back(kLeftOut);
  }
}

// The number that the signature names; of an integer dtype the infinities are its ends.
Tensor left_out_value(const ArgSpec& spec, DType dtype) {
  const double value = *spec.otherwise;
  const Tensor out = Tensor::empty(dtype, {});
  if (store_scalar(Tensor(value), dtype, out.writable_data())) return out;
  const bool lowest = value < 0, has_sign = is_signed_integer(dtype);
  const auto size = static_cast<size_t>(size_of(dtype));
  auto* const bytes = static_cast<unsigned char*>(out.writable_data());
  std::memset(bytes, lowest ? 0x00 : 0xff, size);
  if (has_sign) bytes[size - 1] = lowest ? 0x80 : 0x7f;
  return out;
}

}  // namespace

DType strong_dtype(DType weak) {
  if (weak == DType::kF64) return DType::kF32;
  return weak == DType::kC128 ? DType::kC64 : weak;
}

Tensor strong_scalar(std::string_view op, std::string_view argument, const Tensor& weak,
                     DType dtype) {
  const Tensor out = Tensor::empty(dtype, {});
  if (store_scalar(weak, dtype, out.writable_data())) [[likely]]
    return out;
  if (kind_of(weak.dtype()) > kind_of(dtype)) {
    fail(Code::kInvalid, op, "fits", argument, " is ", value_of(weak), ", which is no ", dtype,
         "; round it or take its real part, or choose another dtype");
  }
  fail(Code::kOverflow, op, "fits", argument, " is ", value_of(weak), ", but ", dtype, " holds ",
       range_of(dtype), "; use a dtype that holds it");
}

Tensors prepare_inputs(const OpDef& op, TensorSpan in, Where where) {
  const OpEntry& entry = entry_of(op);
  InlineVector<Operand, 4> operands;
  for (const Tensor& t : in) {
    const bool fills = operands.size() < entry.inputs.size() &&
                       entry.inputs[operands.size()].otherwise.has_value();
    if (!t.defined() && !fills) fail_undefined(entry.name, operands.size());
    operands.push_back(t.defined() ? Operand{t.dtype(), t.is_weak()} : kLeftOut);
  }
  check_count(entry, operands.size());
  add_left_out(entry, operands);
  const InlineVector<DType, 4> dtypes = prepared_dtypes(entry, operands);
  Tensors out;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i >= in.size() || !in[i].defined()) {
      out.push_back(left_out_value(spec_of(entry, i), dtypes[i]));
    } else if (in[i].is_weak() && in[i].is_concrete()) {
      out.push_back(
          strong_scalar(entry.name, argument_name(spec_of(entry, i), i), in[i], dtypes[i]));
    } else {
      const bool is_right =
          in[i].dtype() == dtypes[i] && (is_cast(entry) || !is_weak_double(in[i]));
      out.push_back(is_right ? in[i] : cast(in[i], dtypes[i], where));
    }
  }
  return out;
}

TensorSpan given_inputs(const CompositeDef& op, TensorSpan in) {
  while (!in.empty() && !in.back().defined()) in = in.first(in.size() - 1);
  int least = 0, most = 0;
  for (const std::string_view arg : op.inputs) {
    const std::string_view name = arg.substr(0, arg.find(':'));
    const bool given = static_cast<size_t>(most) < in.size();
    if (name.find('?') == std::string_view::npos) {
      if (given && !in[static_cast<size_t>(most)].defined()) {
        fail_undefined(op.name, static_cast<size_t>(most));
      }
      ++least;
    }
    most = name.ends_with("...") ? INT_MAX : most + 1;
  }
  const auto count = static_cast<int64_t>(in.size());
  if (count < least || count > most) fail_count(op.name, least, most, in.size());
  for (size_t i = op.inputs.size(); i < in.size(); ++i) {
    if (!in[i].defined()) fail_undefined(op.name, i);
  }
  return in;
}

Types prepare_types(const OpDef& op, TypeSpan in) {
  const OpEntry& entry = entry_of(op);
  InlineVector<Operand, 4> operands;
  for (const Type& type : in) operands.push_back({type.dtype, false});
  check_count(entry, operands.size());
  add_left_out(entry, operands);
  const InlineVector<DType, 4> dtypes = prepared_dtypes(entry, operands);
  Types out;
  for (size_t i = 0; i < operands.size(); ++i) {
    out.push_back({dtypes[i], i < in.size() ? in[i].shape : Shape()});
  }
  return out;
}

}  // namespace weft
