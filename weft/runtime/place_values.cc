// Where the values of a plan live: what goes out in memory of its own, the rest in the arena.
#include <algorithm>

#include "weft/runtime/plan.h"

namespace weft {

bool lie_alike(const PlannedValue& a, const PlannedValue& b) {
  if (a.numel != b.numel || size_of(a.type.dtype) != size_of(b.type.dtype)) return false;
  if (a.contiguous && b.contiguous) return true;
  return a.type.shape == b.type.shape && a.strides == b.strides;
}

namespace {

class Placing {
 public:
  Placing(RunPlan& plan, std::span<const ir::ValueId> escapes)
      : plan_(plan), escapes_(escapes.begin(), escapes.end()) {}

  void run() {
    find_homes();
    list_views();
    share_in_place();
    place();
  }

 private:
  PlannedValue& value(ir::ValueId id) { return plan_.values[id]; }

  // What somebody keeps is not in the arena.
  void find_homes() {
    for (const ir::ValueId id : plan_.function->results) {
      escapes_.push_back(value(id).root);
      value(id).has_handle = true;
    }
    for (const ir::ValueId root : escapes_) {
      if (value(root).home == Home::kArena) value(root).home = Home::kFresh;
    }
    for (PlannedValue& v : plan_.values) {
      if (v.root != ir::kNone) v.home = value(v.root).home;
    }
    for (Instruction& it : plan_.instructions) {
      for (const ir::ValueId output : plan_.operands_of(it).first(it.outputs)) {
        const bool is_fresh = value(output).home == Home::kFresh;
        if (is_fresh) value(output).has_handle = true;
        it.makes_fresh = it.makes_fresh || is_fresh;
      }
    }
  }

  // Values in memory that every run brings along get their addresses with it.
  void list_views() {
    std::vector<std::vector<ir::ValueId>> of(plan_.values.size());
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      PlannedValue& v = value(id);
      if (v.root == ir::kNone || v.home == Home::kArena || v.home == Home::kConstant) continue;
      if (v.root != id) {
        of[v.root].push_back(id);
        const PlannedValue& root = value(v.root);
        v.is_whole = v.shift == 0 && v.type == root.type && v.strides == root.strides;
        if (v.has_handle) value(v.root).has_handle = true;
      }
      if (v.home == Home::kHeld) v.has_handle = true;
      if (v.has_handle && !(v.home == Home::kParameter && v.root == id)) {
        plan_.fresh.push_back(id);
      }
    }
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      value(id).first_view = static_cast<uint32_t>(plan_.views.size());
      value(id).views = static_cast<uint32_t>(of[id].size());
      plan_.views.insert(plan_.views.end(), of[id].begin(), of[id].end());
    }
  }

  // An elementwise result takes the memory of an input that is read here for the last time.
  void share_in_place() {
    share_.resize(plan_.values.size());
    for (ir::ValueId id = 0; id < share_.size(); ++id) share_[id] = id;
    for (uint32_t now = 0; now < plan_.instructions.size(); ++now) {
      const Instruction& it = plan_.instructions[now];
      if (it.kind != Instruction::Kind::kCall && it.kind != Instruction::Kind::kMap) continue;
      const std::span<const ir::ValueId> all = plan_.operands_of(it);
      for (const ir::ValueId output : all.first(it.outputs)) {
        if (value(output).home != Home::kArena) continue;
        for (const ir::ValueId input : all.subspan(it.outputs)) {
          if (may_take(it, output, input, now)) {
            const ir::ValueId block = share_[value(input).root];
            share_[output] = block;
            value(output).shares = true;
            value(block).death = value(output).death;
            break;
          }
        }
      }
    }
  }
  bool may_take(const Instruction& it, ir::ValueId output, ir::ValueId input, uint32_t now) {
    const PlannedValue &in = value(input), &out = value(output);
    const ir::ValueId block = share_[in.root];
    if (in.home != Home::kArena || value(block).death != now || in.shift != 0) return false;
    if (!lie_alike(in, out) || value(block).bytes() != out.bytes()) return false;
    const std::span<const ir::ValueId> all = plan_.operands_of(it);
    for (const ir::ValueId other : all.subspan(it.outputs)) {
      const PlannedValue& v = value(other);
      const bool is_there = v.home == Home::kArena && share_[v.root] == block;
      if (is_there && (v.shift != 0 || !lie_alike(v, out))) return false;
    }
    return true;
  }

  void place() {
    std::vector<compile::Lifetime> blocks;
    std::vector<ir::ValueId> ids;
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      const PlannedValue& v = value(id);
      if (v.root != id || v.home != Home::kArena || share_[id] != id) continue;
      blocks.push_back({std::max<int64_t>(v.bytes(), 1), v.birth, v.death});
      ids.push_back(id);
    }
    plan_.arena = compile::plan_arena(blocks);
    for (size_t i = 0; i < ids.size(); ++i) value(ids[i]).offset = plan_.arena.offsets[i];
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      PlannedValue& v = value(id);
      if (v.root == ir::kNone || v.home != Home::kArena) continue;
      v.offset = value(share_[v.root]).offset;
    }
  }

  RunPlan& plan_;
  std::vector<ir::ValueId> escapes_;
  std::vector<ir::ValueId> share_;  // whose block a root is in
};

}  // namespace

void place_values(RunPlan& plan, std::span<const ir::ValueId> escapes) {
  Placing(plan, escapes).run();
}

}  // namespace weft
