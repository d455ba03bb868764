// Inclusive scans, strictly from left to right, of several rows in step.
#include <algorithm>

#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_lanes.h"
#include "weft/codegen/llvm_reduce.h"

namespace weft::codegen {

using llvm::Value;

namespace {

constexpr int kRowsTogether = 4;

// The scans of `count` rows in step.
void emit_rows(KernelFunction& f, const KernelSpec& spec, Value* first, size_t count) {
  Builder& b = f.b();
  ReduceCode code(f, spec.reduce);
  const DType kept = spec.reduce.identity[0].dtype();
  std::vector<Value*> out, in, rows;
  Registers totals;
  for (size_t r = 0; r < count; ++r) {
    Value* const row = b.CreateAdd(first, f.i64(static_cast<int64_t>(r)));
    rows.push_back(row);
    out.push_back(f.offset(f.arg(0), b.CreateMul(row, f.arg(4))));
    in.push_back(f.offset(f.arg(1), b.CreateMul(row, f.arg(5))));
    const LaneValue total = f.load(f.arg(6), kept, {row, 1});
    totals.push_back(total.real);
    if (total.imag != nullptr) totals.push_back(total.imag);
  }
  const size_t parts = totals.size() / count;
  f.all_steps(f.i64(0), f.arg(2), 1, totals, [&](Value* i, Registers& all) {
    for (size_t r = 0; r < count; ++r) {
      const auto mine = all.begin() + static_cast<std::ptrdiff_t>(r * parts);
      Values values(b, f.machine(), 1);
      bind_input(values, 0, f.load(in[r], spec.inputs[0].dtype, {i, 1}));
      const Registers now = code.combine(Registers(mine, mine + static_cast<std::ptrdiff_t>(parts)),
                                         code.map(values), 1);
      std::copy(now.begin(), now.end(), mine);
      Values result(b, f.machine(), 1);
      bind_input(result, 0, code.state(now, 0));
      f.store(out[r], spec.outputs[0].dtype(), lane_value(result, spec.outputs[0]), {i, 1});
    }
  });
  for (size_t r = 0; r < count; ++r) {
    const auto mine = totals.begin() + static_cast<std::ptrdiff_t>(r * parts);
    const Registers total(mine, mine + static_cast<std::ptrdiff_t>(parts));
    f.store(f.arg(6), kept, code.state(total, 0), {rows[r], 1});
  }
}

}  // namespace

// void k(out, in, n, rows, out_stride, in_stride, totals)
void emit_scan(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  KernelFunction f(module, machine, spec.symbol(machine.name), "ppiiiip");
  Value* const rest = f.full_steps(f.i64(0), f.arg(3), kRowsTogether,
                                   [&](Value* row) { emit_rows(f, spec, row, kRowsTogether); });
  f.all_steps(rest, f.arg(3), 1, [&](Value* row) { emit_rows(f, spec, row, 1); });
  f.finish();
}

}  // namespace weft::codegen
