// The levels open on this thread.
#include "weft/op/levels.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "weft/base/thread_local.h"
#include "weft/op/context.h"

namespace weft {
namespace {

thread_local std::vector<Level*> levels;
thread_local std::vector<const LevelScope*> scopes;  // whose levels they are
std::atomic<uint32_t> level_counter{2};

// The open NoGrads of this thread in the order they began, and the first level that records in
// each: the last one's is the highest.
struct Paused {
  const NoGrad* scope;
  uint32_t recording_from;
};
thread_local std::vector<Paused> paused;

}  // namespace

WEFT_THREAD_LOCAL ThreadContext context{};

Tensor Level::follow(const Variable&, const Tensor& value) { return value; }

bool Level::assign(const Variable&, const Tensor&, Where) { return false; }

Tensor Level::on_draw(const Tensor& key) { return key; }

Tensor Level::drawn_before() { return {}; }

bool Level::on_seed(const Tensor&, uint64_t) { return false; }

LevelScope::LevelScope(Level& level, bool takes_all) : outer_scope_(context.scope) {
  levels.push_back(&level);
  scopes.push_back(this);
  if (level.follows_variables()) ++context.tapes;
  if (takes_all) context.scope = &level;
  refresh_special();
}

// A tape of Python may end before one that began later, so the scope takes out its own level; if it
// ends on another thread than it began on, that one still has it, and here is nothing to do.
LevelScope::~LevelScope() {
  const auto found = std::find(scopes.rbegin(), scopes.rend(), this);
  if (found == scopes.rend()) return;
  const auto at = found.base() - scopes.begin() - 1;
  if (levels[static_cast<size_t>(at)]->follows_variables()) --context.tapes;
  levels.erase(levels.begin() + at);
  scopes.erase(scopes.begin() + at);
  context.scope = outer_scope_;
  refresh_special();
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

NoGrad::NoGrad() {
  context.recording_from = next_level_id(false);
  paused.push_back({this, context.recording_from});
}

// As with levels, one of Python may end before those that began later, or on another thread.
NoGrad::~NoGrad() {
  const auto found = std::find_if(paused.rbegin(), paused.rend(),
                                  [this](const Paused& p) { return p.scope == this; });
  if (found == paused.rend()) return;
  paused.erase(std::next(found).base());
  context.recording_from = paused.empty() ? 0 : paused.back().recording_from;
}

}  // namespace weft
