// What a thread reads of Variables and draws at random while a graph of layers is made, and what it
// computes of both: the graph would keep it as it is now.
#pragma once

#include "weft/op/variable.h"

namespace weft {

// Where the numbers of a tensor come from, as far as they are followed.
enum class ValueOrigin : uint8_t { kItself, kVariable, kDraw };

// From here on, or no longer, on this thread; were they followed before?
bool follow_origins(bool on);
ValueOrigin origin_of(const Tensor& t);
// The Variable that was read as this tensor; undefined: none.
Variable variable_read_as(const Tensor& t);

// While it lives nothing is followed.
class Unfollowed {
 public:
  Unfollowed();
  ~Unfollowed();
  Unfollowed(const Unfollowed&) = delete;
  Unfollowed& operator=(const Unfollowed&) = delete;

 private:
  struct Followed* const outer_;
};

// For those who read, draw and compute, if context.followed is not null.
void note_read(const Variable& variable, const Tensor& value);
void note_draw(const Tensor& words);
void note_computed(TensorSpan in, TensorSpan out);

}  // namespace weft
