// Inclusive scans, strictly from left to right.
#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_lanes.h"
#include "weft/codegen/llvm_reduce.h"

namespace weft::codegen {

using llvm::Value;

// void k(out, in, n, carry)
void emit_scan(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  KernelFunction f(module, machine, spec.symbol(machine.name), "ppip");
  Builder& b = f.b();
  ReduceCode code(f, spec.reduce);
  const DType dtype = spec.reduce.identity[0].dtype();
  const auto registers = [](const LaneValue& value) {
    return value.imag ? Registers{value.real, value.imag} : Registers{value.real};
  };
  Value* has_carry = b.CreateIsNotNull(f.arg(3));
  Value* start = f.stack(b.getInt8Ty(), 64);
  f.store(start, dtype, code.state(code.identity(1), 0), {f.i64(0), 1});
  Value* from = b.CreateSelect(has_carry, f.arg(3), start);
  Registers total = registers(f.load(from, dtype, {f.i64(0), 1}));
  f.all_steps(f.i64(0), f.arg(2), 1, total, [&](Value* i, Registers& now) {
    Values values(b, machine, 1);
    bind_input(values, 0, f.load(f.arg(1), spec.inputs[0].dtype, {i, 1}));
    now = code.combine(now, code.map(values), 1);
    Values out(b, machine, 1);
    bind_input(out, 0, code.state(now, 0));
    f.store(f.arg(0), spec.outputs[0].dtype(), lane_value(out, spec.outputs[0]), {i, 1});
  });
  f.when(has_carry, [&] { f.store(f.arg(3), dtype, code.state(total, 0), {f.i64(0), 1}); });
  f.finish();
}

}  // namespace weft::codegen
