// Keys and the default generator.
#include "weft/ops/random/key.h"

#include <mutex>

#include "weft/base/error.h"
#include "weft/base/mutex.h"
#include "weft/base/thread_local.h"
#include "weft/op/builtin.h"
#include "weft/op/followed.h"
#include "weft/op/levels.h"
#include "weft/op/scope.h"
#include "weft/ops/random/random.h"

namespace weft {
namespace random {
namespace {

Tensor words_of(uint64_t seed) {
  const uint32_t words[] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  return Tensor::from_bytes(DType::kU32, Shape{2}, std::as_bytes(std::span(words)));
}

struct Generator {
  Mutex mutex;
  GeneratorState state;
};
Generator& generator() {
  static Generator one;
  return one;
}
// Of DrawsFrom; else the process's.
WEFT_THREAD_LOCAL GeneratorState* own_state = nullptr;

// Calls f with the state that draws of this thread come from.
template <class F>
auto with_state(F f) {
  if (own_state != nullptr) return f(*own_state);
  const std::lock_guard lock(generator().mutex);
  return f(generator().state);
}

}  // namespace

Key::Key(uint64_t seed) : words_(words_of(seed)) {}

Key::Key(Tensor words) : words_(std::move(words)) {
  const bool fits = words_.defined() && words_.dtype() == DType::kU32 && words_.rank() > 0 &&
                    same(words_.dim(-1), 2) != Tri::kNo;
  if (!fits) {
    fail(Code::kType, "Key", "words", "a key is uint32[..., 2], but got ",
         words_.defined() ? text(words_.type()) : "an undefined tensor");
  }
}

Key Key::split(int64_t count, Where where) const {
  return Key(random::split(words_, count, where));
}

Key Key::fold_in(const Tensor& data, Where where) const {
  return Key(random::fold_in(words_, data, where));
}

Key Key::operator[](int64_t i) const { return Key(select_row(words_, i)); }

DrawsFrom::DrawsFrom(GeneratorState& own) : outer_(own_state) { own_state = &own; }
DrawsFrom::~DrawsFrom() { own_state = outer_; }
bool has_own_generator() { return own_state != nullptr; }

GeneratorState generator_state() {
  return with_state([](const GeneratorState& state) { return state; });
}

void set_generator_state(GeneratorState state) {
  with_state([&](GeneratorState& now) { now = state; });
}

Key drawn_now() {
  const GeneratorState now = with_state([](GeneratorState& state) {
    const GeneratorState before = state;
    ++state.draws;
    return before;
  });
  const ScopeIs none(nullptr);  // the key is a value: levels get it as `on_draw` says
  return Key(now.seed).fold_in(Tensor(static_cast<int64_t>(now.draws)));
}

// A level that runs again has the key it was given before, for the levels inside it; the generator
// does not move then.
Key next_key() {
  const std::span<Level* const> levels = open_levels();
  Tensor words;
  size_t inside = levels.size();
  while (inside > 0 && !words.defined()) words = levels[--inside]->drawn_before();
  if (words.defined()) {
    ++inside;
  } else {
    words = drawn_now().words();
  }
  const ScopeIs none(nullptr);
  for (Level* const level : levels.subspan(inside)) words = level->on_draw(words);
  if (context.followed != nullptr) note_draw(words);
  return Key(words);
}

uint64_t seed_of(const Tensor& words) {
  const std::vector<uint32_t> two = words.to_vector<uint32_t>();
  return two[0] | static_cast<uint64_t>(two[1]) << 32;
}

void restart_generator(GeneratorState state) {
  const std::span<Level* const> levels = open_levels();
  const Tensor key = words_of(state.seed);
  for (size_t inside = levels.size(); inside > 0; --inside) {
    if (levels[inside - 1]->on_seed(key, state.draws)) return;
  }
  set_generator_state(state);
}

}  // namespace random

void seed(uint64_t value) { random::restart_generator({value, 0}); }

Tensor rand(const Shape& shape, DType dtype, Where where) {
  return random::uniform(random::next_key().words(), shape, dtype, 0.0, 1.0, where);
}

Tensor randn(const Shape& shape, DType dtype, Where where) {
  return random::normal(random::next_key().words(), shape, dtype, where);
}

}  // namespace weft
