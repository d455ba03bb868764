// A kernel's function under construction: loops, branches, stack space.
#include "weft/codegen/llvm_function.h"

namespace weft::codegen {

using llvm::Value;

KernelFunction::KernelFunction(llvm::Module& module, const Machine& machine,
                               const std::string& name, std::string_view parameters)
    : machine_(machine), b_(module.getContext()) {
  std::vector<llvm::Type*> types;
  for (const char p : parameters) {
    types.push_back(p == 'p' ? static_cast<llvm::Type*>(b_.getPtrTy()) : b_.getInt64Ty());
  }
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("target-cpu", machine.cpu);
  function_->addFnAttr("target-features", machine.features);
  const std::string width = std::to_string(8 * machine.vector_bytes);
  function_->addFnAttr("prefer-vector-width", width);
  function_->addFnAttr("min-legal-vector-width", width);
  entry_ = block("entry");
  llvm::BasicBlock* start = block("start");
  b_.SetInsertPoint(entry_);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
}

llvm::BasicBlock* KernelFunction::block(const char* name) {
  return llvm::BasicBlock::Create(b_.getContext(), name, function_);
}

Value* KernelFunction::stack(llvm::Type* type, uint64_t count) {
  Builder at_entry(entry_, entry_->begin());
  auto* space = at_entry.CreateAlloca(type, at_entry.getInt64(count));
  space->setAlignment(llvm::Align(64));
  return space;
}

Value* KernelFunction::pointer_at(Value* array, unsigned k) {
  return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), array, k));
}
Value* KernelFunction::i64_at(Value* array, unsigned k) {
  return b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), array, k));
}
Value* KernelFunction::offset(Value* pointer, Value* bytes) {
  return b_.CreateGEP(b_.getInt8Ty(), pointer, bytes);
}
void KernelFunction::copy_bytes(Value* to, Value* from, Value* bytes) {
  b_.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), bytes);
}

void KernelFunction::prefetch(Value* pointer, Value* bytes) {
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                     {offset(pointer, bytes), b_.getInt32(0), b_.getInt32(2), b_.getInt32(1)});
}

Value* KernelFunction::loop(Value* begin, int64_t step, std::vector<Value*>& carried,
                            FunctionRef<Value*(Value*)> goes_on, CarryBody body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* head = block("loop");
  llvm::BasicBlock* exit = block("done");
  b_.CreateCondBr(goes_on(begin), head, exit);

  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> phis;
  std::vector<Value*> inner;
  for (Value* value : carried) {
    phis.push_back(b_.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    inner.push_back(phis.back());
  }
  body(i, inner);
  Value* next = b_.CreateAdd(i, i64(step));
  Value* again = goes_on(next);
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  b_.CreateCondBr(again, head, exit);
  i->addIncoming(next, latch);

  b_.SetInsertPoint(exit);
  llvm::PHINode* end = b_.CreatePHI(b_.getInt64Ty(), 2);
  end->addIncoming(begin, before);
  end->addIncoming(next, latch);
  for (size_t k = 0; k < carried.size(); ++k) {
    phis[k]->addIncoming(inner[k], latch);
    llvm::PHINode* out = b_.CreatePHI(inner[k]->getType(), 2);
    out->addIncoming(carried[k], before);
    out->addIncoming(inner[k], latch);
    carried[k] = out;
  }
  return end;
}

Value* KernelFunction::full_steps(Value* begin, Value* end, int64_t step,
                                  std::vector<Value*>& carried, CarryBody body) {
  Value* last = b_.CreateSub(end, i64(step));
  return loop(begin, step, carried, [&](Value* i) { return b_.CreateICmpSLE(i, last); }, body);
}
Value* KernelFunction::full_steps(Value* begin, Value* end, int64_t step, Body body) {
  std::vector<Value*> none;
  return full_steps(begin, end, step, none, [&](Value* i, std::vector<Value*>&) { body(i); });
}
void KernelFunction::all_steps(Value* begin, Value* end, int64_t step, std::vector<Value*>& carried,
                               CarryBody body) {
  loop(begin, step, carried, [&](Value* i) { return b_.CreateICmpSLT(i, end); }, body);
}
void KernelFunction::all_steps(Value* begin, Value* end, int64_t step, Body body) {
  std::vector<Value*> none;
  all_steps(begin, end, step, none, [&](Value* i, std::vector<Value*>&) { body(i); });
}

void KernelFunction::when(Value* condition, FunctionRef<void()> body) {
  llvm::BasicBlock* then = block("then");
  llvm::BasicBlock* after = block("after");
  b_.CreateCondBr(condition, then, after);
  b_.SetInsertPoint(then);
  body();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

Value* KernelFunction::remaining(Value* index, Value* end, int lanes) {
  Value* left = b_.CreateSub(end, index);
  return b_.CreateSelect(b_.CreateICmpSLT(left, i64(lanes)), left, i64(lanes));
}

}  // namespace weft::codegen
