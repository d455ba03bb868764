// Promotion at the door, by the rules of docs/design/promotion.md.
#include "weft/op/promote.h"

#include <algorithm>
#include <cstring>

#include "weft/base/error.h"
#include "weft/op/builtin.h"

namespace weft {
namespace {

// What promotion needs to know of an input.
struct Operand {
  DType dtype;
  bool weak;
};

// What a language scalar is where nothing else decides: 1.0 is float32, 1 is int64.
DType strong_dtype(DType weak) {
  if (weak == DType::kF64) return DType::kF32;
  return weak == DType::kC128 ? DType::kC64 : weak;
}

const ArgSpec& spec_of(const OpEntry& entry, size_t input) {
  return entry.inputs[std::min(input, entry.inputs.size() - 1)];
}

void check_count(const OpEntry& entry, size_t count) {
  const auto n = static_cast<int64_t>(count);
  if (n >= entry.min_inputs && n <= entry.max_inputs) return;
  if (entry.inputs.size() == 1 && entry.inputs[0].variadic) {
    fail(Code::kInvalid, entry.name, "count", "needs at least one input, but got none");
  }
  fail(Code::kType, entry.name, "count", "takes ", entry.min_inputs,
       entry.max_inputs == entry.min_inputs ? std::string() : text(" to ", entry.max_inputs),
       entry.max_inputs == 1 ? " input" : " inputs", ", but got ", count);
}

// The dtype that all operands of a group share.
DType common_dtype(const OpEntry& entry, std::span<const Operand> operands, int group) {
  std::optional<DType> common;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (spec_of(entry, i).group != group || operands[i].weak) continue;
    const DType dtype = operands[i].dtype;
    const std::optional<DType> joined = common ? promote(*common, dtype) : dtype;
    if (!joined) {
      fail(Code::kType, entry.name, "promotion", *common, " and ", dtype,
           " have no common dtype that holds both; cast one of them");
    }
    common = joined;
  }
  std::optional<DType> weak_only;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (spec_of(entry, i).group != group || !operands[i].weak) continue;
    const DType dtype = strong_dtype(operands[i].dtype);
    if (common) {
      common = promote_scalar(*common, kind_of(dtype));
    } else {
      weak_only = weak_only ? promote(*weak_only, dtype) : dtype;
    }
  }
  return common ? *common : *weak_only;
}

// The dtype an argument of class `spec` takes a value of `dtype` in, or an error.
DType admitted(const OpEntry& entry, const ArgSpec& spec, DType dtype) {
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
  std::string_view needs = spec.class_name;
  if (needs.starts_with("like ")) {
    for (const ArgSpec& other : entry.inputs) {
      if (other.name == needs.substr(5)) needs = other.class_name;
    }
  }
  fail(Code::kType, entry.name, "dtype", spec.name, " has dtype ", dtype, ", but must be ", needs,
       "; cast it first");
}

// The dtype of every input after promotion.
InlineVector<DType, 4> prepared_dtypes(const OpEntry& entry, std::span<const Operand> operands) {
  check_count(entry, operands.size());
  InlineVector<DType, 4> out(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec& spec = spec_of(entry, i);
    const DType own = operands[i].weak ? strong_dtype(operands[i].dtype) : operands[i].dtype;
    out[i] =
        admitted(entry, spec, spec.group < 0 ? own : common_dtype(entry, operands, spec.group));
  }
  return out;
}

// A complex scalar; `dtype` is complex, for nothing else admits it.
Tensor strong_complex(const Tensor& weak, DType dtype) {
  const Complex128 value = *static_cast<const Complex128*>(weak.data());
  Tensor out = Tensor::empty(dtype, {});
  if (dtype == DType::kC128) {
    *static_cast<Complex128*>(out.writable_data()) = value;
  } else {
    WEFT_ASSERT(dtype == DType::kC64, dtype);
    *static_cast<Complex64*>(out.writable_data()) = {static_cast<float>(value.re),
                                                     static_cast<float>(value.im)};
  }
  return out;
}

// A weak scalar in the dtype it takes: made directly, for `x + 1.0` must be quick.
Tensor strong_scalar(const Tensor& weak, DType dtype) {
  if (weak.dtype() == DType::kI64 && is_integer(dtype)) {
    // The low bytes of the integer: exact where it fits (the caller's language scalar wraps as a
    // cast does).
    const Tensor out = Tensor::empty(dtype, {});
    std::memcpy(out.writable_data(), weak.data(), static_cast<size_t>(size_of(dtype)));
    return out;
  }
  if (weak.dtype() == DType::kC128) return strong_complex(weak, dtype);
  return Tensor::scalar(dtype, weak.item());
}

}  // namespace

Tensors prepare_inputs(const OpDef& op, TensorSpan in, Where where) {
  const OpEntry& entry = entry_of(op);
  InlineVector<Operand, 4> operands;
  for (const Tensor& t : in) {
    if (!t.defined()) {
      fail(Code::kType, entry.name, "count", "input ", operands.size(),
           " is an undefined tensor; pass a value");
    }
    operands.push_back({t.dtype(), t.is_weak()});
  }
  const InlineVector<DType, 4> dtypes = prepared_dtypes(entry, operands);
  Tensors out;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].is_weak()) {
      out.push_back(strong_scalar(in[i], dtypes[i]));
    } else {
      out.push_back(in[i].dtype() == dtypes[i] ? in[i] : cast(in[i], dtypes[i], where));
    }
  }
  return out;
}

Types prepare_types(const OpDef& op, TypeSpan in) {
  const OpEntry& entry = entry_of(op);
  InlineVector<Operand, 4> operands;
  for (const Type& type : in) operands.push_back({type.dtype, false});
  const InlineVector<DType, 4> dtypes = prepared_dtypes(entry, operands);
  Types out;
  for (size_t i = 0; i < in.size(); ++i) out.push_back({dtypes[i], in[i].shape});
  return out;
}

}  // namespace weft
