// Table lookups: permutes of tables held in registers where they are small, loads elsewhere.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include "weft/codegen/kernel_spec.h"
#include "weft/codegen/llvm_chunks.h"
#include "weft/codegen/llvm_values.h"

namespace weft::codegen {

using llvm::Value;

namespace {

// Entries [first, first + count) of the table, repeated where it is shorter, as float or double.
llvm::Constant* part_of(Builder& b, std::span<const uint64_t> table, size_t first, size_t count,
                        bool is_double) {
  std::vector<llvm::Constant*> entries;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = table[(first + i) % table.size()];
    llvm::Type* word = is_double ? b.getInt64Ty() : b.getInt32Ty();
    entries.push_back(llvm::ConstantExpr::getBitCast(llvm::ConstantInt::get(word, bits),
                                                     is_double ? b.getDoubleTy() : b.getFloatTy()));
  }
  return llvm::ConstantVector::get(entries);
}

// Looks up the table `per_step` entries at a time and selects among the results by the index' bits.
template <class F>
Value* select_tree(Builder& b, size_t first, size_t count, size_t per_step, Value* index, F f) {
  if (count <= per_step) return f(first);
  const size_t half = count / 2;
  Value* low = select_tree(b, first, half, per_step, index, f);
  Value* high = select_tree(b, first + half, half, per_step, index, f);
  Value* bit = b.CreateAnd(index, llvm::ConstantInt::get(index->getType(), half));
  Value* is_high = b.CreateICmpNE(bit, llvm::Constant::getNullValue(index->getType()));
  return b.CreateSelect(is_high, high, low);
}

// 8 floats, or 4 doubles as pairs of floats, by one vpermps.
Value* permute_avx2(Builder& b, std::span<const uint64_t> table, Value* index, bool is_double) {
  const size_t step = is_double ? 4 : 8;
  return in_chunks(b, static_cast<int>(step), {index}, [&](std::span<Value* const> part) {
    llvm::Type* words = llvm::FixedVectorType::get(b.getInt32Ty(), 8);
    llvm::Type* floats = llvm::FixedVectorType::get(b.getFloatTy(), 8);
    Value* at = part[0];
    if (is_double) {  // index k becomes the pair of words (2k, 2k + 1)
      llvm::Type* wide = at->getType();
      Value* low = b.CreateShl(at, llvm::ConstantInt::get(wide, 1));
      Value* high = b.CreateShl(at, llvm::ConstantInt::get(wide, 33));
      Value* pair = b.CreateOr(b.CreateAnd(low, llvm::ConstantInt::get(wide, 0xffffffff)), high);
      at =
          b.CreateBitCast(b.CreateOr(pair, llvm::ConstantInt::get(wide, uint64_t{1} << 32)), words);
    }
    return select_tree(b, 0, std::max(table.size(), step), step, part[0], [&](size_t first) {
      Value* entries = b.CreateBitCast(part_of(b, table, first, step, is_double), floats);
      Value* found = b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permps, {}, {entries, at});
      return is_double ? b.CreateBitCast(found, llvm::FixedVectorType::get(b.getDoubleTy(), 4))
                       : found;
    });
  });
}

// 32 floats or 16 doubles by one vpermi2ps/pd, half of that by vpermps/pd.
Value* permute_avx512(Builder& b, std::span<const uint64_t> table, Value* index, bool is_double) {
  const size_t lanes = is_double ? 8 : 16;
  using namespace llvm::Intrinsic;
  const ID one = is_double ? x86_avx512_permvar_df_512 : x86_avx512_permvar_sf_512;
  const ID two = is_double ? x86_avx512_vpermi2var_pd_512 : x86_avx512_vpermi2var_ps_512;
  return in_chunks(
      b, static_cast<int>(lanes), {index}, [&](std::span<Value* const> part) -> Value* {
        if (table.size() <= lanes) {
          return b.CreateIntrinsic(one, {}, {part_of(b, table, 0, lanes, is_double), part[0]});
        }
        return select_tree(b, 0, table.size(), 2 * lanes, part[0], [&](size_t first) {
          return b.CreateIntrinsic(two, {},
                                   {part_of(b, table, first, lanes, is_double), part[0],
                                    part_of(b, table, first + lanes, lanes, is_double)});
        });
      });
}

llvm::GlobalVariable* global_table(Builder& b, uint16_t number, std::span<const uint64_t> table,
                                   llvm::Type* word) {
  llvm::Module* module = b.GetInsertBlock()->getModule();
  const std::string name = table_name(number);
  if (auto* found = module->getNamedGlobal(name)) return found;
  std::vector<llvm::Constant*> entries;
  for (const uint64_t bits : table) entries.push_back(llvm::ConstantInt::get(word, bits));
  auto* type = llvm::ArrayType::get(word, table.size());
  auto* data = llvm::ConstantArray::get(type, entries);
  return new llvm::GlobalVariable(*module, type, true, llvm::GlobalValue::PrivateLinkage, data,
                                  name);
}

}  // namespace

// The index counts modulo the table's length, a power of two.
Value* Values::lookup(const ExprNode* node, Value* index) {
  const std::span<const uint64_t> table = table_of(node->table);
  const bool is_double = size_of(node->dtype) == 8;
  llvm::Type* at_type = widened(is_double ? b_.getInt64Ty() : b_.getInt32Ty());
  Value* at = b_.CreateZExtOrTrunc(index, at_type);
  const int chunk = machine_.vector_bytes / static_cast<int>(size_of(node->dtype));
  const size_t most = machine_.masks ? (is_double ? 32 : 64) : (is_double ? 16 : 32);
  if (table.size() <= most && lanes_ % chunk == 0) {
    Value* found = machine_.masks ? permute_avx512(b_, table, at, is_double)
                                  : permute_avx2(b_, table, at, is_double);
    return b_.CreateBitCast(found, type(node->dtype));
  }
  llvm::Type* word = is_double ? b_.getInt64Ty() : b_.getInt32Ty();
  at = b_.CreateAnd(at, bits(at_type, table.size() - 1));
  Value* place = b_.CreateGEP(word, global_table(b_, node->table, table, word),
                              b_.CreateZExt(at, widened(b_.getInt64Ty())));
  const llvm::Align align(static_cast<uint64_t>(size_of(node->dtype)));
  Value* found = lanes_ == 1 ? static_cast<Value*>(b_.CreateAlignedLoad(word, place, align))
                             : b_.CreateMaskedGather(widened(word), place, align);
  return b_.CreateBitCast(found, type(node->dtype));
}

}  // namespace weft::codegen
