// Reductions of contiguous rows: blocks of elements, or of states.
#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_lanes.h"
#include "weft/codegen/llvm_reduce.h"

namespace weft::codegen {
namespace {

using llvm::Value;

bool is_light(const ReduceSpec& spec) {
  return topological(spec.map).size() + topological(spec.combine).size() <= kHeavyNodes;
}

void bind_position(KernelFunction& f, Values& values, const ReduceSpec& spec, Value* first) {
  for (const ExprNode* node : topological(spec.map)) {
    if (node->op != ExprOp::kPosition) continue;
    values.bind(node, f.b().CreateAdd(values.splat(first), values.iota(f.b().getInt64Ty())));
  }
}

void store_states(KernelFunction& f, ReduceCode& code, const Registers& result, Value* row) {
  for (unsigned k = 0; k < code.spec().states(); ++k) {
    const DType dtype = code.spec().identity[k].dtype();
    f.store(f.pointer_at(f.arg(0), k), dtype, code.state(result, k), {row, 1});
  }
}

// void k(states, in, row_stride, n, rows, index)
void emit_elements(KernelFunction& f, const KernelSpec& spec) {
  Builder& b = f.b();
  std::vector<Accumulators> all;
  all.emplace_back(f, spec.reduce);
  ReduceCode& code = all[0].code();
  f.all_steps(f.i64(0), f.arg(4), 1, [&](Value* row) {
    Value* in = f.offset(f.arg(1), b.CreateMul(row, f.arg(2)));
    reduce_loop(f, all, f.arg(3), is_light(spec.reduce), [&](const Span& span) {
      Values values(b, f.machine(), span.lanes);
      bind_input(values, 0, f.load(in, spec.inputs[0].dtype, span));
      bind_position(f, values, spec.reduce, b.CreateAdd(f.arg(5), span.index));
      return std::vector<Registers>{code.map(values)};
    });
    store_states(f, code, all[0].finish(), row);
  });
  f.finish();
}

// void k(states, in, row_stride, n, rows): `in` has a pointer per state, the stride is in elements.
void emit_states(KernelFunction& f, const KernelSpec& spec) {
  Builder& b = f.b();
  std::vector<Accumulators> all;
  all.emplace_back(f, spec.reduce);
  ReduceCode& code = all[0].code();
  f.all_steps(f.i64(0), f.arg(4), 1, [&](Value* row) {
    Value* first = b.CreateMul(row, f.arg(2));
    reduce_loop(f, all, f.arg(3), is_light(spec.reduce), [&](const Span& span) {
      Registers out;
      for (unsigned k = 0; k < spec.reduce.states(); ++k) {
        const LaneValue value = f.load(f.pointer_at(f.arg(1), k), spec.reduce.identity[k].dtype(),
                                       {b.CreateAdd(first, span.index), span.lanes, span.count});
        out.push_back(value.real);
        if (value.imag) out.push_back(value.imag);
      }
      return std::vector<Registers>{out};
    });
    store_states(f, code, all[0].finish(), row);
  });
  f.finish();
}

}  // namespace

void emit_row_reduce(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  const bool states = spec.shape == LoopShape::kCombineRow;
  KernelFunction f(module, machine, spec.symbol(machine.name), states ? "ppiii" : "ppiiii");
  if (states) {
    emit_states(f, spec);
  } else {
    emit_elements(f, spec);
  }
}

}  // namespace weft::codegen
