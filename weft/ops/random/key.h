// Key: what random numbers are drawn from. Two words; the same key gives the same numbers.
#pragma once

#include "weft/op/attrs.h"

namespace weft {

namespace random {

// A key, or a batch of keys: uint32[..., 2]. It is a tree: traced functions take keys, and vmap
// goes through a batch of them.
class Key {
 public:
  explicit Key(uint64_t seed);
  explicit Key(Tensor words);  // raises [Key.words] for other types

  const Tensor& words() const { return words_; }
  operator const Tensor&() const { return words_; }  // NOLINT: random::normal(Key(0), {2, 3})
  // `count` new keys, a batch of them: index it.
  Key split(int64_t count = 2, Where where = Where::here()) const;
  // A new key for each value of `data`.
  Key fold_in(const Tensor& data, Where where = Where::here()) const;
  Key operator[](int64_t i) const;

 private:
  Tensor words_;

 public:
  static constexpr auto fields = fields_of(field("words", &Key::words_, "the two words"));
};

// The default generator: one for the process. Each draw takes a fresh key.
struct GeneratorState {
  uint64_t seed = 0;
  uint64_t draws = 0;  // keys taken since
};
GeneratorState generator_state();
void set_generator_state(GeneratorState state);
// The same at this point of whatever is open on this thread: in a traced function it happens when
// the function is called.
void restart_generator(GeneratorState state);
uint64_t seed_of(const Tensor& words);  // of which Key(seed) has these words
// While it lives, `own` is this thread's default generator: what is drawn depends on no one else.
class DrawsFrom {
 public:
  explicit DrawsFrom(GeneratorState& own);
  ~DrawsFrom();
  DrawsFrom(const DrawsFrom&) = delete;
  DrawsFrom& operator=(const DrawsFrom&) = delete;

 private:
  GeneratorState* const outer_;
};
bool has_own_generator();  // is there a DrawsFrom on this thread?
Key next_key();
// The same, whatever is open on this thread: a graph or a transformation does not see it.
Key drawn_now();

}  // namespace random

// Restarts the default generator; without it the seed is 0. In a traced function, at every call.
void seed(uint64_t value);
// Draws of the default generator: uniform in [0, 1), standard normal.
Tensor rand(const Shape& shape, DType dtype = DType::kF32, Where where = Where::here());
Tensor randn(const Shape& shape, DType dtype = DType::kF32, Where where = Where::here());

}  // namespace weft
