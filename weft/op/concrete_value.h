// concrete_value: the value in memory behind a tensor, for code that reads it outside of ops:
// sessions, datasets, files, Variables, other libraries.
#pragma once

#include <string_view>

#include "weft/core/tensor.h"

namespace weft {

// Who reads a value, for error messages.
struct ValueReader {
  std::string_view who;   // "Session": the function that the user called
  std::string_view what;  // "the feed of x": which of its arguments
  // Advice for a tensor that vmap batches, which has no value.
  std::string_view in_vmap =
      "return it from the function that vmap runs, or compute with ops alone";
  // The value is only printed or saved: no gradient can get lost.
  bool is_aside = false;
  // Advice for a tensor of a trace that is being made; empty: that of the ValueHints.
  std::string_view in_trace = {};
};

// The value in memory, also of a tensor that a tape or an ended transformation has recorded. Raises
// [who.concrete] for a tensor without a value: batched by vmap, part of a graph or trace, an input
// of a model, undefined. Unless the reader `is_aside`, raises [who.gradient] for a tensor that an
// open grad or jvp differentiates: the value would be a constant, and its gradient lost.
Tensor concrete_value(const Tensor& tensor, const ValueReader& reader);

// For code below `apply`: raises [who.concrete], which names the input by number, for an input that
// is not in memory.
void require_concrete(std::string_view who, TensorSpan in);

// Is there a value under the tensor? Under grad and jvp there is, under vmap there is none.
bool has_concrete_value(const Tensor& tensor);

// Raises [who.gradient] for a tensor that an open grad or jvp differentiates. Does not raise for
// tapes, nor under NoGrad, where nothing is recorded anyway.
void require_no_gradient(const Tensor& tensor, const ValueReader& reader);

// Would a gradient flow into the tensor, by a transformation, an open GradientTape or a backward?
// Not under NoGrad, nor if an earlier backward has freed its record.
bool is_followed(const Tensor& tensor);

// Advice in error messages, in the spelling of the host language.
struct ValueHints {
  std::string_view in_graph =
      "fetch it by a run of a Session, or compute what is known now in an "
      "EagerScope";
  std::string_view in_trace =
      "return it from the function, or compute with ops alone, cond and "
      "while_loop among them";
};
void set_value_hints(const ValueHints& hints);  // once, before other threads compute

}  // namespace weft
