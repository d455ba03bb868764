// An op by its formula: what it stands for is staged as ordinary ops, and those are written.
#include "weft/io/graph_def/staged.h"
#include "weft/op/scope.h"
#include "weft/op/vjp_op.h"
#include "weft/trace/staging.h"

namespace weft::io {
namespace {

void write_staged(Writer& w, FunctionRef<Tensors(TensorSpan)> compute) {
  const Shared<Staging> staging = Staging::open(Staging::Kind::kFunction, /*stands_alone=*/true);
  std::vector<ir::ValueId> results;
  {
    const StagingScope scope(*staging);
    Tensors in;
    for (size_t i = 0; i < w.input_count(); ++i) {
      in.push_back(staging->parameter(w.input_type(i), "x", w.node().where));
    }
    for (const Tensor& t : compute(in)) results.push_back(staging->value_of(t));
  }
  w.give_values(w.write(staging->graph(), w.inputs(), w.name() + "/", results));
}

}  // namespace

bool write_composed(Writer& w) {
  const OpDef& op = *w.node().op;
  for (const Formula& formula : formulas()) {
    if (formula.op != op_name(op)) continue;
    write_staged(w, [&](TensorSpan in) { return formula.compute(w, in); });
    return true;
  }
  if (op.grad.kind != GradKind::kComposed) return false;
  write_staged(w, [&](TensorSpan in) {
    return composed_formula(op, in, w.node().attributes(), w.node().where);
  });
  return true;
}

}  // namespace weft::io
