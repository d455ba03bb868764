// The one door: asks the context once, then computes now or hands over to a level.
#include "weft/op/apply.h"

#include <atomic>
#include <vector>

#include "weft/op/promote.h"

namespace weft {
namespace {

// The levels open on this thread, and the innermost of them that takes every op.
struct Context {
  std::vector<Level*> levels;
};
thread_local Context context;
thread_local constinit Level* open_scope = nullptr;

Level* find_level(uint32_t id) {
  for (size_t i = context.levels.size(); i-- > 0;) {
    if (context.levels[i]->id == id) return context.levels[i];
  }
  return nullptr;
}

// The level that interprets this op, or null: compute now.
Level* level_for(const OpDef& op, TensorSpan in) {
  uint32_t top = 0;
  for (const Tensor& t : in) top = std::max(top, t.level());
  if (open_scope != nullptr && open_scope->id > top) return open_scope;
  if (top == 0) return nullptr;
  if (Level* const level = find_level(top)) return level;
  fail(Code::kInvalid, op.name, "escaped",
       "an input belongs to a transformation that has ended (or runs on another thread); return it "
       "from the "
       "transformed function instead");
}

bool is_plain(TensorSpan in) {
  uint32_t levels = 0;
  for (const Tensor& t : in) {
    if (!t.defined()) return false;
    levels |= t.level();
  }
  return levels == 0 && open_scope == nullptr;
}

[[noreturn]] void rethrow_with_line(Error& error, Where where) {
  const std::string line = text("called at ", to_string(where));
  if (where.known() && (error.notes.empty() || error.notes.back() != line)) error.note(line);
  throw error;
}

Tensors apply_slowly(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  try {
    const Tensors prepared = prepare_inputs(op, in, where);
    if (Level* const level = level_for(op, prepared))
      return level->interpret(op, prepared, attrs, where);
    return eager_compute(op, prepared, attrs);
  } catch (Error& error) {
    rethrow_with_line(error, where);
  }
}

}  // namespace

Tensor apply_one(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  if (is_plain(in)) [[likely]] {
    Tensor out = eager_fast(op, in);
    if (out.defined()) [[likely]]
      return out;
  }
  return std::move(apply_slowly(op, in, attrs, where)[0]);
}

Tensors apply_all(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  return apply_slowly(op, in, attrs, where);
}

Tensors compose_all(const CompositeDef& op, TensorSpan in, const void* attrs, Where where) {
  try {
    return op.compose(attrs, in);
  } catch (Error& error) {
    if (error.op != op.name &&
        (error.notes.empty() || error.notes.back() != text("in ", op.name))) {
      error.note(text("in ", op.name));
    }
    rethrow_with_line(error, where);
  }
}

Types infer_types(const OpDef& op, TypeSpan in, const void* attrs) {
  const Types prepared = prepare_types(op, in);
  return op.infer(attrs, InferCtx{op.name}, prepared);
}

LevelScope::LevelScope(Level& level, bool takes_all) : outer_scope_(open_scope) {
  context.levels.push_back(&level);
  if (takes_all) open_scope = &level;
}

LevelScope::~LevelScope() {
  context.levels.pop_back();
  open_scope = outer_scope_;
}

uint32_t next_level_id(bool is_tape) {
  static std::atomic<uint32_t> counter{2};
  return counter.fetch_add(2, std::memory_order_relaxed) + (is_tape ? 1 : 0);
}

}  // namespace weft
