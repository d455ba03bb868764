// The levels open on this thread.
#include "weft/op/levels.h"

#include <atomic>
#include <vector>

#include "weft/base/thread_local.h"
#include "weft/op/context.h"

namespace weft {
namespace {

thread_local std::vector<Level*> levels;
std::atomic<uint32_t> level_counter{2};

}  // namespace

WEFT_THREAD_LOCAL Context context{};

Tensor Level::follow(const Variable&, const Tensor& value) { return value; }

Tensor Level::on_draw(const Tensor& key) { return key; }

LevelScope::LevelScope(Level& level, bool takes_all) : outer_scope_(context.scope) {
  levels.push_back(&level);
  if (level.follows_variables()) ++context.tapes;
  if (takes_all) context.scope = &level;
  context.is_special = context.scope != nullptr || context.is_observed;
}

LevelScope::~LevelScope() {
  if (levels.back()->follows_variables()) --context.tapes;
  levels.pop_back();
  context.scope = outer_scope_;
  context.is_special = context.scope != nullptr || context.is_observed;
}

std::span<Level* const> open_levels() { return levels; }

Level* find_level(uint32_t id) {
  for (size_t i = levels.size(); i-- > 0;) {
    if (levels[i]->id == id) return levels[i];
  }
  return nullptr;
}

std::string describe_tracer(std::string_view kind, uint32_t level, const OpDef* op, Where where) {
  const std::string maker = op == nullptr ? "" : text(", made by ", op->name);
  return text(kind, " level ", level, maker, " at ", to_string(where));
}

uint32_t next_level_id(bool is_tape) {
  return level_counter.fetch_add(2, std::memory_order_relaxed) + (is_tape ? 1 : 0);
}

NoGrad::NoGrad() : outer_(context.recording_from) { context.recording_from = next_level_id(false); }
NoGrad::~NoGrad() { context.recording_from = outer_; }

}  // namespace weft
