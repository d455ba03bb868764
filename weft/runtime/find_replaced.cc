// Variables written in place: new values that take the memory of the old ones.
//
// Between the instruction that writes the memory and the one that stores the value nothing may
// fail. A graph stores by instructions of its own; a function's caller stores when the run is over,
// so that all Variables of a call are as before it or as after it.
#include <algorithm>
#include <map>

#include "weft/eager/update.h"
#include "weft/runtime/plan.h"
#include "weft/state/state.h"

namespace weft {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

bool is_whole(const RunPlan& plan, ir::ValueId id) {
  const PlannedValue& v = plan.values[id];
  return v.root != ir::kNone && !v.is_open && v.shift == 0 && v.type == plan.values[v.root].type &&
         v.strides == plan.values[v.root].strides;
}

class Replacing {
 public:
  explicit Replacing(RunPlan& plan)
      : plan_(plan),
        maker_(plan.values.size(), kNowhere),
        last_read_(plan.values.size(), 0),
        last_handle_(plan.values.size(), kNowhere),
        is_taken_(plan.values.size(), false) {}

  void run() {
    look_at_reads();
    std::vector<Replaced> found;
    find_assignments(found);
    find_results(found);
    if (found.empty()) return;
    count_failing(found);
    for (Replaced& one : found) {
      const bool may_fail = failing_[one.writer] != failing_[one.stored];
      if (!may_fail && !is_held(one)) add(std::move(one));
    }
  }

 private:
  uint32_t end() const { return static_cast<uint32_t>(plan_.instructions.size()); }
  const OpDef& op_of(const Instruction& it) const {
    return *plan_.function->graph.node(it.node).op;
  }

  void look_at_reads() {
    for (uint32_t i = 0; i < end(); ++i) {
      const Instruction& it = plan_.instructions[i];
      const bool has_handles =
          it.kind == Instruction::Kind::kCompute || it.kind == Instruction::Kind::kOpen;
      const std::span<const ir::ValueId> all = plan_.operands_of(it);
      for (const ir::ValueId id : all.first(it.outputs)) maker_[id] = i;
      for (const ir::ValueId id : all.subspan(it.outputs)) {
        last_read_[plan_.values[id].root] = i;
        if (has_handles) last_handle_[plan_.values[id].root] = i;
      }
    }
    for (const ir::ValueId id : plan_.function->results) last_read_[plan_.values[id].root] = end();
  }

  // Of graphs. The first assignment to each Variable: of others this run has the old value itself.
  void find_assignments(std::vector<Replaced>& out) {
    struct Seen {
      ir::ValueId read = ir::kNone;
      bool is_written = false;
    };
    std::map<const void*, Seen> seen;
    for (uint32_t i = 0; i < end(); ++i) {
      const ir::Node& node = plan_.function->graph.node(plan_.instructions[i].node);
      if (node.op != &kReadVariable && node.op != &kAssignVariable) continue;
      const Variable& variable = static_cast<const VariableAttrs*>(node.attributes())->variable;
      Seen& before = seen[variable.id()];
      if (node.op == &kReadVariable) {
        before.read = node.outputs[0];
        continue;
      }
      if (!before.is_written && before.read != ir::kNone) {
        add_candidate(out, node.inputs[0], {.old = before.read, .stored = i, .variable = variable});
      }
      before.is_written = true;
    }
  }

  // Of functions.
  void find_results(std::vector<Replaced>& out) {
    const ir::Function& function = *plan_.function;
    for (const ir::Function::NewValue& one : function.new_values) {
      add_candidate(out, function.results[one.result],
                    {.old = function.graph.parameters()[one.parameter],
                     .stored = end(),
                     .parameter = one.parameter});
    }
  }

  // If an instruction makes the value that can do so in the memory of the old one.
  void add_candidate(std::vector<Replaced>& out, ir::ValueId value, Replaced one) {
    if (!is_whole(plan_, value)) return;
    one.value = plan_.values[value].root;
    one.writer = maker_[one.value];
    const PlannedValue& now = plan_.values[one.value];
    if (now.home != Home::kFresh || one.writer == kNowhere || is_taken_[one.value]) return;
    const PlannedValue& old = plan_.values[one.old];
    if (old.is_open || old.type != now.type || !lie_alike(old, now)) return;
    if (last_read_[one.old] > one.writer || !may_write(one)) return;
    is_taken_[one.value] = true;
    out.push_back(std::move(one));
  }

  bool may_write(Replaced& one) const {
    const Instruction& it = plan_.instructions[one.writer];
    const std::span<const ir::ValueId> all = plan_.operands_of(it), in = all.subspan(it.outputs);
    const auto is_old = [&](ir::ValueId id) { return plan_.values[id].root == one.old; };
    if (it.kind == Instruction::Kind::kCall || it.kind == Instruction::Kind::kMap) {
      const PlannedValue& now = plan_.values[one.value];
      return std::ranges::all_of(in, [&](ir::ValueId id) {
        const PlannedValue& v = plan_.values[id];
        return !is_old(id) || (v.shift == 0 && lie_alike(v, now));
      });
    }
    const OpDef& op = op_of(it);
    if (op.kernel.kind != KernelKind::kUpdate || it.kind != Instruction::Kind::kCompute) {
      return false;
    }
    const auto output = static_cast<size_t>(std::ranges::find(all, one.value) - all.begin());
    const size_t count = it.outputs / op.kernel.row_outputs;
    one.operand = static_cast<uint32_t>(updated_input(op, count, output));
    return in[one.operand] == one.old && std::ranges::count_if(in, is_old) == 1;
  }

  // Elementwise ops and updates do not fail, nor do assignments of what they made. Others might, or
  // free memory of others, who may be waiting for the Variable.
  void count_failing(std::span<const Replaced> found) {
    std::vector<bool> is_sure(end(), false);
    for (uint32_t i = 0; i < end(); ++i) {
      const Instruction& it = plan_.instructions[i];
      is_sure[i] =
          it.kind == Instruction::Kind::kCall || it.kind == Instruction::Kind::kMap ||
          (it.kind == Instruction::Kind::kCompute && op_of(it).kernel.kind == KernelKind::kUpdate);
    }
    for (const Replaced& one : found) {
      if (one.stored < end()) is_sure[one.stored] = true;
    }
    failing_.assign(end() + 1, 0);
    for (uint32_t i = 0; i < end(); ++i) failing_[i + 1] = failing_[i] + (is_sure[i] ? 0 : 1);
  }

  // Is a tensor of the old value, or of a view of it, wanted when it is out already?
  bool is_held(const Replaced& one) const {
    const uint32_t last = last_handle_[one.old];
    return last != kNowhere && last != one.writer && failing_[last] == failing_[one.writer];
  }

  void add(Replaced one) {
    const bool goes_on =
        !plan_.stretches.empty() && failing_[plan_.stretches.back().first] == failing_[one.writer];
    if (!goes_on) plan_.stretches.push_back({one.writer, 0, {}});
    Stretch& stretch = plan_.stretches.back();
    stretch.first = std::min(stretch.first, one.writer);
    stretch.last = std::max(stretch.last, one.stored);
    stretch.places.push_back(std::move(one));
  }

  RunPlan& plan_;
  std::vector<uint32_t> maker_;        // by value
  std::vector<uint32_t> last_read_;    // by root: the instruction
  std::vector<uint32_t> last_handle_;  // by root: the same, of instructions that work on tensors
  std::vector<bool> is_taken_;         // by root: it is the new value of a Variable
  std::vector<uint32_t> failing_;      // by instruction: how many before it may fail
};

}  // namespace

void find_replaced(RunPlan& plan) {
  const bool assigns = std::ranges::any_of(plan.function->graph.nodes(), [](const ir::Node& node) {
    return node.op->effect == Effect::kWrites;
  });
  if (assigns || !plan.function->new_values.empty()) Replacing(plan).run();
}

}  // namespace weft
