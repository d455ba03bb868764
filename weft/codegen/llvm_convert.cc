// Conversions between dtypes: float to integer saturates, NaN gives 0, one rounding to 16 bits.
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "weft/base/error.h"
#include "weft/codegen/llvm_values.h"

namespace weft::codegen {

using llvm::Value;

namespace {
int value_bits(DType dtype) {  // of an integer, without the sign
  return static_cast<int>(8 * size_of(dtype)) - (is_signed_integer(dtype) ? 1 : 0);
}
bool is_half(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }
}  // namespace

Value* Values::convert(DType from, DType to, Value* x) {
  if (from == to) return x;
  if (from == DType::kBF16) {
    llvm::Type* word = widened(b_.getInt32Ty());
    Value* shifted = b_.CreateShl(b_.CreateZExt(x, word), bits(word, 16));
    return convert(DType::kF32, to, b_.CreateBitCast(shifted, type(DType::kF32)));
  }
  if (from == DType::kF16) {
    Value* half = b_.CreateBitCast(x, widened(b_.getHalfTy()));
    return convert(DType::kF32, to, b_.CreateFPExt(half, type(DType::kF32)));
  }
  if (is_half(to)) {
    Value* f = convert(from, DType::kF32, x);
    if (to == DType::kBF16) return to_bf16(f);
    Value* half = b_.CreateFPTrunc(canonical_nan(DType::kF32, f), widened(b_.getHalfTy()));
    return b_.CreateBitCast(half, type(to));
  }
  if (to == DType::kBool) {
    if (is_floating(from)) return b_.CreateFCmpUNE(x, constant(from, 0.0));
    return b_.CreateICmpNE(x, bits(x->getType(), 0));
  }
  if (is_floating(from)) {
    if (is_floating(to)) return b_.CreateFPCast(x, type(to));
    return float_to_int(from, to, x);
  }
  if (is_floating(to)) {
    return is_signed_integer(from) ? b_.CreateSIToFP(x, type(to)) : b_.CreateUIToFP(x, type(to));
  }
  return b_.CreateIntCast(x, type(to), is_signed_integer(from));
}

// Round to nearest even on the bits; vcvtneps2bf16 would flush denormals.
Value* Values::to_bf16(Value* x) {
  llvm::Type* word = widened(b_.getInt32Ty());
  Value* u = b_.CreateBitCast(x, word);
  Value* odd = b_.CreateAnd(b_.CreateLShr(u, bits(word, 16)), bits(word, 1));
  Value* rounded = b_.CreateAdd(b_.CreateAdd(u, bits(word, 0x7fff)), odd);
  Value* upper = b_.CreateLShr(rounded, bits(word, 16));
  Value* result = b_.CreateSelect(b_.CreateFCmpUNO(x, x), bits(word, 0x7fc0), upper);
  return b_.CreateTrunc(result, type(DType::kBF16));
}

Value* Values::float_to_int(DType from, DType to, Value* x) {
  const bool is_signed = is_signed_integer(to);
  const double above = std::ldexp(1.0, value_bits(to));  // the first value too large: exact
  const double below = is_signed ? -above : 0.0;
  const int mantissa = from == DType::kF32 ? 24 : 53;
  Value* nan = b_.CreateFCmpUNO(x, x);
  if (value_bits(to) <= mantissa && value_bits(to) <= 31) {  // the limits are exact: clamp
    Value* clean = b_.CreateSelect(nan, constant(from, 0.0), x);
    Value* most = constant(from, above - 1);
    Value* least = constant(from, below);
    clean = b_.CreateSelect(b_.CreateFCmpOLT(clean, most), clean, most);
    clean = b_.CreateSelect(b_.CreateFCmpOGT(clean, least), clean, least);
    return b_.CreateTrunc(b_.CreateFPToSI(clean, widened(b_.getInt32Ty())), type(to));
  }
  Value* high = b_.CreateFCmpOGE(x, constant(from, above));
  Value* low = b_.CreateFCmpOLE(x, constant(from, below));
  // Lanes that are out of range convert to something and are replaced after it.
  Value* inside =
      b_.CreateFreeze(is_signed ? b_.CreateFPToSI(x, type(to)) : b_.CreateFPToUI(x, type(to)));
  const uint64_t most = is_signed ? (uint64_t{1} << value_bits(to)) - 1 : ~uint64_t{0};
  const uint64_t least = is_signed ? uint64_t{1} << value_bits(to) : 0;
  Value* result = b_.CreateSelect(high, bits(type(to), most), inside);
  result = b_.CreateSelect(low, bits(type(to), least), result);
  return b_.CreateSelect(nan, bits(type(to), 0), result);
}

}  // namespace weft::codegen
