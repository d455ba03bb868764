// Loads and stores of lanes: whole vectors, masked ends, bool bytes, complex pairs.
#include "weft/codegen/llvm_function.h"

namespace weft::codegen {

using llvm::Value;

namespace {

int lanes_of(llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

llvm::Type* vector_of(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

llvm::Type* word_of(Builder& b, DType dtype) {
  switch (real_of(dtype)) {
    case DType::kF32: return b.getFloatTy();
    case DType::kF64: return b.getDoubleTy();
    default: return b.getIntNTy(static_cast<unsigned>(8 * size_of(dtype)));
  }
}

std::vector<int> every_second(int first, int lanes) {
  std::vector<int> mask;
  for (int i = 0; i < lanes; ++i) mask.push_back(first + 2 * i);
  return mask;
}

}  // namespace

Value* KernelFunction::mask(int lanes, Value* count) {
  Values lane(b_, machine_, lanes);
  Value* limit = lane.splat(b_.CreateTrunc(count, b_.getInt32Ty()));
  return b_.CreateICmpSLT(lane.iota(b_.getInt32Ty()), limit);
}

// Without masks of this size an end goes through a buffer on the stack.
Value* KernelFunction::load_words(Value* at, llvm::Type* type, int64_t bytes, Value* count) {
  const llvm::Align align(static_cast<uint64_t>(bytes));
  if (!count) return b_.CreateAlignedLoad(type, at, align);
  if (has_mask(bytes)) {
    return b_.CreateMaskedLoad(type, at, align, mask(lanes_of(type), count),
                               llvm::Constant::getNullValue(type));
  }
  Value* buffer = stack(type);
  copy_bytes(buffer, at, b_.CreateMul(count, i64(bytes)));
  return b_.CreateAlignedLoad(type, buffer, align);
}

void KernelFunction::store_words(Value* at, Value* value, int64_t bytes, Value* count) {
  const llvm::Align align(static_cast<uint64_t>(bytes));
  if (!count) {
    b_.CreateAlignedStore(value, at, align);
  } else if (has_mask(bytes)) {
    b_.CreateMaskedStore(value, at, align, mask(lanes_of(value->getType()), count));
  } else {
    Value* buffer = stack(value->getType());
    b_.CreateAlignedStore(value, buffer, align);
    copy_bytes(at, buffer, b_.CreateMul(count, i64(bytes)));
  }
}

LaneValue KernelFunction::load(Value* pointer, DType dtype, const Span& span) {
  const int64_t size = size_of(dtype);
  Value* at = offset(pointer, b_.CreateMul(span.index, i64(size)));
  llvm::Type* word = word_of(b_, dtype);
  if (is_complex(dtype)) {
    Value* count = span.count ? b_.CreateShl(span.count, i64(1)) : nullptr;
    Value* pairs = load_words(at, vector_of(word, 2 * span.lanes), size / 2, count);
    if (span.lanes == 1) {
      return {b_.CreateExtractElement(pairs, uint64_t{0}), b_.CreateExtractElement(pairs, 1)};
    }
    return {b_.CreateShuffleVector(pairs, every_second(0, span.lanes)),
            b_.CreateShuffleVector(pairs, every_second(1, span.lanes))};
  }
  Value* value = load_words(at, vector_of(word, span.lanes), size, span.count);
  if (dtype == DType::kBool) {
    value = b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  return {value};
}

void KernelFunction::store(Value* pointer, DType dtype, LaneValue value, const Span& span) {
  const int64_t size = size_of(dtype);
  Value* at = offset(pointer, b_.CreateMul(span.index, i64(size)));
  Values lane(b_, machine_, span.lanes);
  Value* real = lane.canonical_nan(real_of(dtype), value.real);
  if (is_complex(dtype)) {
    Value* imag = lane.canonical_nan(real_of(dtype), value.imag);
    Value* count = span.count ? b_.CreateShl(span.count, i64(1)) : nullptr;
    Value* pairs;
    if (span.lanes == 1) {
      pairs = llvm::PoisonValue::get(vector_of(real->getType(), 2));
      pairs = b_.CreateInsertElement(pairs, real, uint64_t{0});
      pairs = b_.CreateInsertElement(pairs, imag, 1);
    } else {
      std::vector<int> zip;
      for (int i = 0; i < span.lanes; ++i) zip.insert(zip.end(), {i, span.lanes + i});
      pairs = b_.CreateShuffleVector(real, imag, zip);
    }
    store_words(at, pairs, size / 2, count);
    return;
  }
  store_raw(pointer, dtype, real, span);
}

void KernelFunction::store_past_caches(Value* pointer, DType dtype, Value* value,
                                       const Span& span) {
  Value* at = offset(pointer, b_.CreateMul(span.index, i64(size_of(dtype))));
  value = Values(b_, machine_, span.lanes).canonical_nan(dtype, value);
  llvm::StoreInst* const store = b_.CreateAlignedStore(value, at, llvm::Align(kLineBytes));
  auto* const one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b_.getContext(), {one}));
}

void KernelFunction::store_raw(Value* pointer, DType dtype, Value* value, const Span& span) {
  const int64_t size = size_of(dtype);
  Value* at = offset(pointer, b_.CreateMul(span.index, i64(size)));
  if (dtype == DType::kBool) value = b_.CreateZExt(value, vector_of(b_.getInt8Ty(), span.lanes));
  store_words(at, value, size, span.count);
}

}  // namespace weft::codegen
