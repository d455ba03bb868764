// The levels open on this thread.
#include "weft/op/levels.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "weft/base/thread_local.h"
#include "weft/op/context.h"
#include "weft/op/scope.h"

namespace weft {
namespace {

thread_local std::vector<Level*> levels;
thread_local std::vector<LevelScope*> scopes;  // whose levels they are
thread_local size_t hidden = 0;                // how many of them OutsideLevels hides
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

Tensor Level::detached_value(const Variable&) { return {}; }

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

// A tape or a graph of Python may end before those that began later, so the scope takes out its own
// level, and scopes that began inside lead to the one around, not to a level that may be gone. If
// it ends on another thread than it began on, that one still has it, and here is nothing to do.
LevelScope::~LevelScope() {
  const auto found = std::find(scopes.rbegin(), scopes.rend(), this);
  if (found == scopes.rend()) return;
  const auto at = found.base() - scopes.begin() - 1;
  const Level* const own = levels[static_cast<size_t>(at)];
  const bool is_hidden = static_cast<size_t>(at) < hidden;
  if (is_hidden) {
    --hidden;
  } else if (levels[static_cast<size_t>(at)]->follows_variables()) {
    --context.tapes;
  }
  levels.erase(levels.begin() + at);
  scopes.erase(scopes.begin() + at);
  for (auto later = scopes.begin() + at; later != scopes.end(); ++later) {
    if ((*later)->outer_scope_ == own) (*later)->outer_scope_ = outer_scope_;
  }
  if (is_hidden || context.scope != own) return;
  context.scope = outer_scope_;
  refresh_special();
}

std::span<Level* const> open_levels() { return std::span(levels).subspan(hidden); }

Level* find_level(uint32_t id) {
  for (size_t i = levels.size(); i-- > hidden;) {
    if (levels[i]->id == id) return levels[i];
  }
  return nullptr;
}

OutsideLevels::OutsideLevels()
    : outer_hidden_(std::exchange(hidden, levels.size())),
      outer_tapes_(std::exchange(context.tapes, 0)) {}

// Levels may have ended meanwhile, so both counts are limited to what is left.
OutsideLevels::~OutsideLevels() {
  hidden = std::min(outer_hidden_, hidden);
  const auto follow = [](const Level* level) { return level->follows_variables(); };
  const auto tapes = std::ranges::count_if(open_levels(), follow);
  context.tapes = std::min(outer_tapes_, static_cast<uint32_t>(tapes));
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
