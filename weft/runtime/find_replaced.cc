// Updates in place: results that take the memory of a parameter they are the new value of.
#include <algorithm>

#include "weft/eager/update.h"
#include "weft/runtime/plan.h"

namespace weft {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

class Replacing {
 public:
  explicit Replacing(Plan& plan)
      : plan_(plan),
        result_of_(plan.values.size(), kNowhere),
        parameter_of_(plan.values.size(), kNowhere),
        is_read_later_(plan.values.size(), false) {
    const std::vector<ir::ValueId>& results = plan.function->results;
    for (uint32_t i = 0; i < results.size(); ++i) {
      const PlannedValue& v = plan.values[results[i]];
      is_read_later_[v.root] = true;
      if (v.shift == 0) result_of_[v.root] = i;
    }
    const std::vector<ir::ValueId>& parameters = plan.function->graph.parameters();
    for (uint32_t i = 0; i < parameters.size(); ++i) parameter_of_[parameters[i]] = i;
  }

  // From the end: once a value is written nothing may fail, so that all Variables of a run are as
  // before it or as after it.
  void run() {
    for (size_t i = plan_.instructions.size(); i-- > 0;) {
      const Instruction& it = plan_.instructions[i];
      if (it.kind == Instruction::Kind::kOpen) return;
      if (it.kind == Instruction::Kind::kCompute) {
        const OpDef& op = *plan_.function->graph.node(it.node).op;
        if (op.kernel.kind != KernelKind::kUpdate) return;
        find(it, op);
      }
      for (const ir::ValueId id : plan_.operands_of(it))
        is_read_later_[plan_.values[id].root] = true;
    }
  }

 private:
  void find(const Instruction& it, const OpDef& op) {
    const std::span<const ir::ValueId> outputs = plan_.operands_of(it).first(it.outputs);
    const std::span<const ir::ValueId> inputs = plan_.operands_of(it).subspan(it.outputs);
    const size_t count = outputs.size() / op.kernel.row_outputs;
    std::vector<uint32_t> reads(plan_.values.size(), 0);  // by root, of this update
    for (const ir::ValueId id : inputs) ++reads[plan_.values[id].root];
    for (uint32_t k = 0; k < outputs.size(); ++k) {
      const auto operand = static_cast<uint32_t>(updated_input(op, count, k));
      const ir::ValueId old = inputs[operand];
      const uint32_t parameter = parameter_of_[old], result = result_of_[outputs[k]];
      if (parameter == kNowhere || result == kNowhere || is_read_later_[old]) continue;
      if (reads[old] == 1) {
        plan_.computations[it.detail].replaced.push_back({k, operand, parameter, result});
      }
    }
  }

  Plan& plan_;
  std::vector<uint32_t> result_of_, parameter_of_;  // by root
  std::vector<bool> is_read_later_;                 // by root
};

}  // namespace

void find_replaced(Plan& plan) {
  const bool has_updates = std::ranges::any_of(plan.function->graph.nodes(), [](const ir::Node& n) {
    return n.op->kernel.kind == KernelKind::kUpdate;
  });
  if (has_updates) Replacing(plan).run();
}

}  // namespace weft
