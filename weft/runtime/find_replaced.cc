// Updates in place: results that take the memory of a parameter they are the new value of.
#include <algorithm>

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
      for (const ir::ValueId id : operands_of(it)) is_read_later_[plan_.values[id].root] = true;
    }
  }

 private:
  std::span<const ir::ValueId> operands_of(const Instruction& it) const {
    return std::span<const ir::ValueId>(plan_.operands).subspan(it.first, it.operands);
  }

  void find(const Instruction& it, const OpDef& op) {
    const std::span<const ir::ValueId> outputs = operands_of(it).first(it.outputs);
    const std::span<const ir::ValueId> inputs = operands_of(it).subspan(it.outputs);
    const size_t count = outputs.size() / op.kernel.row_outputs;
    for (uint32_t k = 0; k < outputs.size(); ++k) {
      // The list of gradients comes after the first one, and has no new values.
      const size_t list = k / count == 0 ? 0 : k / count + 1;
      const size_t operand = op.kernel.row_scalars + list * count + k % count;
      const ir::ValueId old = inputs[operand];
      const uint32_t parameter = parameter_of_[old], result = result_of_[outputs[k]];
      if (parameter == kNowhere || result == kNowhere || is_read_later_[old]) continue;
      const auto is_there = [&](ir::ValueId id) { return plan_.values[id].root == old; };
      if (std::ranges::count_if(inputs, is_there) != 1) continue;
      plan_.computations[it.detail].replaced.push_back(
          {k, static_cast<uint32_t>(operand), parameter, result});
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
