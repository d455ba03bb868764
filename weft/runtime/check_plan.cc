// Checks a plan: the memory of its values, and their lifetimes.
#include "weft/runtime/check_plan.h"

#include <algorithm>
#include <cstring>

#include "weft/base/environment.h"
#include "weft/base/error.h"

namespace weft {
namespace {

constexpr uint32_t kNever = UINT32_MAX;

struct Range {
  int64_t begin = 0, end = 0;  // bytes

  bool is_empty() const { return begin >= end; }
  bool meets(const Range& other) const {
    return !is_empty() && !other.is_empty() && begin < other.end && other.begin < end;
  }
};

// The bytes of its root that a value covers, from the lowest element to the end of the highest.
Range in_root(const PlannedValue& v) {
  if (v.numel == 0) return {v.shift, v.shift};
  int64_t lowest = 0, highest = 1;
  for (size_t axis = 0; axis < v.strides.size(); ++axis) {
    const int64_t reach = (v.type.shape[axis].value() - 1) * v.strides[axis];
    (reach < 0 ? lowest : highest) += reach;
  }
  const int64_t item = size_of(v.type.dtype);
  return {v.shift + lowest * item, v.shift + highest * item};
}

bool writes_by_element(const Instruction& it) {
  return it.kind == Instruction::Kind::kCall || it.kind == Instruction::Kind::kMap;
}

// The instructions that write and last read each root.
class Lifetimes {
 public:
  explicit Lifetimes(const RunPlan& plan)
      : plan_(plan), written_(plan.values.size(), kNever), last_(plan.values.size(), kNever) {
    for (uint32_t i = 0; i < plan.instructions.size(); ++i) {
      const Instruction& it = plan.instructions[i];
      const std::span<const ir::ValueId> all = plan.operands_of(it);
      for (const ir::ValueId id : all.first(it.outputs)) written_[id] = last_[id] = i;
      for (const ir::ValueId id : all.subspan(it.outputs)) {
        if (id != ir::kNone) last_[plan.values[id].root] = i;
      }
    }
  }

  uint32_t written(ir::ValueId root) const { return written_[root]; }
  uint32_t last(ir::ValueId root) const { return last_[root]; }
  bool is_in_arena(ir::ValueId id) const {
    return plan_.values[id].root != ir::kNone && plan_.values[id].home == Home::kArena;
  }
  Range in_arena(ir::ValueId id) const {
    const PlannedValue& v = plan_.values[id];
    return {v.offset, v.offset + v.bytes()};
  }

 private:
  const RunPlan& plan_;
  std::vector<uint32_t> written_, last_;
};

class PlanCheck {
 public:
  explicit PlanCheck(const RunPlan& plan) : plan_(plan), lives_(plan) {}

  void run() const {
    check_bounds();
    check_order();
    check_escapes();
    check_overlaps();
    check_variables();
  }

 private:
  const PlannedValue& value(ir::ValueId id) const { return plan_.values[id]; }
  const PlannedValue& root_of(ir::ValueId id) const { return value(value(id).root); }
  std::string name(ir::ValueId id) const { return plan_.function->graph.name_of(id); }
  std::string name_of_instruction(uint32_t i) const {
    return text("instruction ", i, " (",
                plan_.function->graph.node(plan_.instructions[i].node).name, ")");
  }

  void check_bounds() const {
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      const PlannedValue& v = value(id);
      if (v.root == ir::kNone || v.is_open) continue;
      if (v.home != root_of(id).home) {
        fail(Code::kInternal, "plan", "bounds", name(id), " and ", name(v.root),
             ", whose memory it is in, have different homes");
      }
      const Range part = in_root(v);
      const bool is_made = v.home == Home::kArena || v.home == Home::kFresh;
      if (is_made && (part.begin < 0 || part.end > root_of(id).bytes())) {
        fail(Code::kInternal, "plan", "bounds", name(id), " covers bytes ", part.begin, " to ",
             part.end, " of ", name(v.root), ", which has ", root_of(id).bytes());
      }
      if (v.home != Home::kArena) continue;
      if (v.offset != root_of(id).offset) {
        fail(Code::kInternal, "plan", "bounds", name(id), " has offset ", v.offset, ", but ",
             name(v.root), ", whose memory it is in, has ", root_of(id).offset);
      }
      if (v.offset < 0 || v.offset % compile::kArenaAlignment != 0) {
        fail(Code::kInternal, "plan", "bounds", name(id), " has offset ", v.offset,
             "; it must be a multiple of ", compile::kArenaAlignment);
      }
      if (v.offset + root_of(id).bytes() > plan_.arena.bytes) {
        fail(Code::kInternal, "plan", "bounds", name(v.root), " ends at byte ",
             v.offset + root_of(id).bytes(), ", but the arena has ", plan_.arena.bytes);
      }
    }
  }

  void check_order() const {
    for (uint32_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& it = plan_.instructions[i];
      for (const ir::ValueId id : plan_.operands_of(it).subspan(it.outputs)) {
        if (id == ir::kNone) continue;
        const Home home = value(id).home;
        if (home == Home::kParameter || home == Home::kConstant) continue;
        const uint32_t written = value(id).root == ir::kNone ? kNever : written_by(id);
        if (written == kNever) {
          fail(Code::kInternal, "plan", "order", name_of_instruction(i), " reads ", name(id),
               ", which nothing writes");
        }
        if (written >= i) {
          fail(Code::kInternal, "plan", "order", name_of_instruction(i), " reads ", name(id),
               ", which ", name_of_instruction(written), " writes");
        }
      }
    }
  }
  uint32_t written_by(ir::ValueId id) const { return lives_.written(value(id).root); }

  void check_escapes() const {
    for (const ir::ValueId id : plan_.function->results) {
      if (!lives_.is_in_arena(id)) continue;
      fail(Code::kInternal, "plan", "escapes", "the result ", name(id),
           " is in the arena, which the next run overwrites");
    }
    for (uint32_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& it = plan_.instructions[i];
      if (plan_.function->graph.node(it.node).op->effect == Effect::kNone) continue;
      for (const ir::ValueId id : plan_.operands_of(it)) {
        if (id == ir::kNone || !lives_.is_in_arena(id)) continue;
        fail(Code::kInternal, "plan", "escapes", name(id), " is in the arena, but ",
             name_of_instruction(i), " may keep it");
      }
    }
  }

  // Compares every output with the values that are live when it is written.
  void check_overlaps() const {
    std::vector<ir::ValueId> live;
    for (uint32_t i = 0; i < plan_.instructions.size(); ++i) {
      std::erase_if(live, [&](ir::ValueId id) { return lives_.last(id) < i; });
      const Instruction& it = plan_.instructions[i];
      for (const ir::ValueId output : plan_.operands_of(it).first(it.outputs)) {
        if (!lives_.is_in_arena(output)) continue;
        for (const ir::ValueId other : live) check_pair(i, output, other);
        live.push_back(output);
      }
    }
  }

  void check_pair(uint32_t i, ir::ValueId output, ir::ValueId other) const {
    if (!lives_.in_arena(output).meets(lives_.in_arena(other))) return;
    const bool replaces = value(output).shares && lives_.written(other) < i &&
                          lives_.last(other) == i && writes_by_element(plan_.instructions[i]);
    if (!replaces) {
      fail(
          Code::kInternal, "plan", "overlap", name(output), ", written by ", name_of_instruction(i),
          ", and ", name(other), ", needed until ", name_of_instruction(lives_.last(other)),
          ", share bytes of the arena: ", value(output).offset, " to ", lives_.in_arena(output).end,
          " and ", value(other).offset, " to ", lives_.in_arena(other).end);
    }
    check_in_place(i, output);
  }

  // An elementwise kernel writes an element after it has read the corresponding input elements, so
  // an input that overlaps the output must have the same layout.
  void check_in_place(uint32_t i, ir::ValueId output) const {
    const Instruction& it = plan_.instructions[i];
    const PlannedValue& out = value(output);
    for (const ir::ValueId id : plan_.operands_of(it).subspan(it.outputs)) {
      if (!lives_.is_in_arena(id)) continue;
      const PlannedValue& in = value(id);
      if (!lives_.in_arena(in.root).meets(lives_.in_arena(output))) continue;
      if (in.offset == out.offset && in.shift == 0 && lie_alike(in, out)) continue;
      fail(Code::kInternal, "plan", "in_place", name_of_instruction(i), " writes ", name(output),
           " over its input ", name(id), ", whose elements lie elsewhere");
    }
  }

  void check_variables() const {
    const auto end = static_cast<uint32_t>(plan_.instructions.size());
    std::vector<bool> is_seen(plan_.values.size(), false);
    for (const Stretch& stretch : plan_.stretches) {
      for (const Replaced& one : stretch.places) {
        const PlannedValue &now = value(one.value), &old = value(one.old);
        const std::string both = text(name(one.value), " over ", name(one.old));
        const bool is_inside = stretch.first <= one.writer && one.writer < end &&
                               one.stored <= stretch.last && one.writer < one.stored;
        if (!is_inside) {
          fail(Code::kInternal, "plan", "variable", "the plan writes ", both,
               " outside of the instructions ", stretch.first, " to ", stretch.last);
        }
        if (now.home != Home::kFresh || now.root != one.value || old.root != one.old ||
            now.type != old.type || !lie_alike(now, old)) {
          fail(Code::kInternal, "plan", "variable", "the plan writes ", both,
               ", which has another layout");
        }
        if (is_seen[one.value] || is_seen[one.old]) {
          fail(Code::kInternal, "plan", "variable", "the plan writes ", both, " twice");
        }
        is_seen[one.value] = is_seen[one.old] = true;
        if (lives_.written(one.value) != one.writer) {
          fail(Code::kInternal, "plan", "variable", name_of_instruction(one.writer),
               " does not write ", name(one.value));
        }
        const uint32_t last = lives_.last(one.old);
        if (last != kNever && last > one.writer) {
          fail(Code::kInternal, "plan", "variable", name_of_instruction(one.writer), " writes ",
               both, ", which ", name_of_instruction(last), " reads");
        }
        check_old_results(one);
      }
    }
  }
  void check_old_results(const Replaced& one) const {
    for (const ir::ValueId id : plan_.function->results) {
      if (value(id).root != one.old) continue;
      fail(Code::kInternal, "plan", "variable", name_of_instruction(one.writer), " writes ",
           name(one.value), " over ", name(one.old), ", which is a result");
    }
  }

  const RunPlan& plan_;
  const Lifetimes lives_;
};

}  // namespace

bool checks_plans() {
  static const bool is_on = is_switched_on("WEFT_CHECK_PLANS");
  return is_on;
}

void check_plan(const RunPlan& plan) { PlanCheck(plan).run(); }

std::vector<std::vector<ArenaBlock>> dead_blocks(const RunPlan& plan) {
  const Lifetimes lives(plan);
  std::vector<std::vector<ArenaBlock>> out(plan.instructions.size());
  for (ir::ValueId id = 0; id < plan.values.size(); ++id) {
    const uint32_t last = lives.last(id);
    if (plan.values[id].root != id || !lives.is_in_arena(id) || last == kNever) continue;
    const Range range = lives.in_arena(id);
    const Instruction& it = plan.instructions[last];
    const bool is_replaced =
        std::ranges::any_of(plan.operands_of(it).first(it.outputs), [&](ir::ValueId output) {
          return output != id && lives.is_in_arena(output) && lives.in_arena(output).meets(range);
        });
    if (!is_replaced && !range.is_empty()) out[last].push_back({range.begin, range.end});
  }
  return out;
}

void poison(char* data, int64_t bytes) {
  for (int64_t i = 0; i + 1 < bytes; i += 2) std::memcpy(data + i, &kPoison, 2);
  if (bytes % 2 != 0) data[bytes - 1] = static_cast<char>(kPoison & 0xFF);
}

}  // namespace weft
