// Levels: what interprets the ops on its tracers (grad, jvp, vmap, a graph scope).
#pragma once

#include "weft/op/context.h"
#include "weft/op/op.h"

namespace weft {

class Variable;

// Inner levels have higher ids, and go first. Even ids are transforms, whose tracers must not
// outlive them; odd ids are tapes, whose values become plain when they end.
class Level {
 public:
  explicit Level(uint32_t id) : id(id) {}
  virtual ~Level() = default;
  virtual Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) = 0;
  // A GradientTape sees Variables when they are read: `follow` gives its leaf over `value`.
  virtual bool follows_variables() const { return false; }
  virtual Tensor follow(const Variable& variable, const Tensor& value);
  // What Variable::value() gives in here: a traced function reads it in each call. Undefined: the
  // stored value.
  virtual Tensor detached_value(const Variable& variable);
  // A graph: nothing is computed here, so every Variable is followed, of any dtype.
  virtual bool stages() const { return false; }
  // Notes that the Variable has this value from here on; false: it is to be stored now.
  virtual bool assign(const Variable& variable, const Tensor& value, Where where);
  // A draw of the default generator: vmap says whether examples share the key.
  virtual Tensor on_draw(const Tensor& key);
  // A key that this level has from an earlier run, in place of a draw; undefined: it has none.
  virtual Tensor drawn_before();
  // The default generator goes on from this seed's key and number of draws; true: this level has
  // taken note of it, false: those around it are asked.
  virtual bool on_seed(const Tensor& key, uint64_t draws);
  const uint32_t id;
};

// The tape that is always there: it follows Variables, and has no Level object.
inline constexpr uint32_t kTapeLevel = 1;

// Of tensors that have a type and no value: above every level.
inline constexpr uint32_t kTypeOnlyLevel = UINT32_MAX;

uint32_t next_level_id(bool is_tape);
constexpr bool is_tape_level(uint32_t id) { return id % 2 == 1; }

// What a tracer says of itself: "vmap level 4, made by exp at x.cc:3"; op is null for an argument.
std::string describe_tracer(std::string_view kind, uint32_t level, const OpDef* op, Where where);

// Opens a level on this thread for as long as it lives.
class LevelScope {
 public:
  // takes_all: a graph scope, which stages every op.
  explicit LevelScope(Level& level, bool takes_all = false);
  ~LevelScope();
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;

 private:
  Level* outer_scope_;
};

// The levels open on this thread, the innermost last.
std::span<Level* const> open_levels();
// The open level of that id, or null.
Level* find_level(uint32_t id);

// Nothing is recorded while it lives by the levels that were open when it began, the ambient tape
// among them; a grad inside it works as ever. Several may end in any order: recording goes on when
// the last has ended.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};

// Does this level record on this thread now?
inline bool is_recording(uint32_t level) { return level >= context.recording_from; }

}  // namespace weft
