// An op by its formula: a backward op is staged as ordinary ops, and those are written.
#include "weft/io/graph_def/writer.h"
#include "weft/op/scope.h"
#include "weft/op/vjp_op.h"
#include "weft/trace/staging.h"

namespace weft::io {

bool write_composed(Writer& w) {
  const OpDef& op = *w.node().op;
  if (op.grad.kind != GradKind::kComposed) return false;
  const Shared<Staging> staging = Staging::open(Staging::Kind::kFunction, /*stands_alone=*/true);
  std::vector<ir::ValueId> results;
  {
    const StagingScope scope(*staging);
    Tensors in;
    for (size_t i = 0; i < w.input_count(); ++i) {
      in.push_back(staging->parameter(w.input_type(i), "x", w.node().where));
    }
    for (const Tensor& t : composed_formula(op, in, w.node().attributes(), w.node().where)) {
      results.push_back(staging->value_of(t));
    }
  }
  const Names values = w.write(staging->graph(), w.inputs(), w.name() + "/", results);
  if (values.size() == 1) {
    w.give("Identity", values, {{"T", data_type(w.output_type().dtype)}});
  } else {
    w.give_values(values);
  }
  return true;
}

}  // namespace weft::io
