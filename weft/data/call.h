// Calls of users' functions: outside of graphs and tapes, with the element's place in errors.
#pragma once

#include "weft/data/node.h"
#include "weft/op/scope.h"
#include "weft/ops/random/key.h"

namespace weft::data {

// What users' functions draw in a step: by the seed of the default generator when the pass began,
// the pass, the step and the element. Threads and draws elsewhere change nothing of it.
class Draws {
 public:
  Draws(const Node& node, const Context& cx);
  random::GeneratorState of(int64_t element) const;

 private:
  uint64_t seed_;
};

// "element 12 of map(f), from data.csv, line 13"
std::string place_of(const Node& node, const Element& element);

// Errors of other kinds (a user's own) on their way through a call: what they say, and the place.
// The language on top keeps its own exceptions; without it, they become Errors.
using ForeignError = void (*)(const std::string& place);
void set_foreign_error(ForeignError function);
[[noreturn]] void rethrow_at(const std::string& place);
// Is the one that is being handled an error, and no wish to end the program? The language tells.
using IsError = bool (*)();
void set_is_error(IsError function);
bool is_error();

template <class Call>
auto called(const Node& node, const Draws& draws, const Element& element, Call call) {
  const OutsideLevels outside;
  random::GeneratorState generator = draws.of(element.number);
  const random::DrawsFrom own(generator);
  try {
    return call();
  } catch (...) {
    rethrow_at(place_of(node, element));
  }
}

}  // namespace weft::data
