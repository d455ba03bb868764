// GradientTape: records what happens while it is open.
#pragma once

#include "weft/op/variable.h"
#include "weft/transform/tree.h"
#include "weft/transform/vjp.h"

namespace weft {

//   GradientTape tape;
//   const Tensor loss = f(weight);           // a Variable, or tape.watch(x) before
//   tape.stop();
//   const Tensor slope = tape.gradient(loss, weight);
class GradientTape {
 public:
  struct Options {
    bool persistent = false;               // gradient may be asked for more than once
    bool watch_accessed_variables = true;  // trainable Variables are followed when they are read
  };

  GradientTape() : GradientTape(Options{}) {}
  explicit GradientTape(Options options, Where where = Where::here());
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // From here on the tape follows what is done with `x`, which now names the watched value.
  void watch(Tensor& x, Where where = Where::here());
  void watch(const Variable& variable);
  // Ends the recording; tapes end in reverse order of their beginning.
  void stop();
  // Nothing is recorded by this tape between pause and resume.
  void pause();
  void resume();

  // d sum(targets) / d source, for each source: watched tensors, Variables, or anything the tape
  // has recorded. Undefined cotangents stand for ones.
  Tensors gradient(TensorSpan targets, TensorSpan sources, TensorSpan cotangents = {},
                   Unconnected unconnected = Unconnected::kRaise, Where where = Where::here());
  Tensor gradient(const Tensor& target, const Tensor& source, Where where = Where::here());
  Tensor gradient(const Tensor& target, const Variable& source, Where where = Where::here());
  // A tree like the sources: gradient(loss, std::tuple(x, y)), or a vector of Variables.
  template <class T>
  T gradient(const Tensor& target, const T& sources, Where where = Where::here())
    requires(!std::is_convertible_v<T, Tensor>)
  {
    return rebuilt(sources,
                   gradient({&target, 1}, flattened(sources), {}, Unconnected::kRaise, where));
  }
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources,
                               Where where = Where::here());
  // d target[i] / d source[j], for each source: [*target shape, *source shape].
  Tensors jacobian(const Tensor& target, TensorSpan sources,
                   Unconnected unconnected = Unconnected::kRaise, Where where = Where::here());
  Tensor jacobian(const Tensor& target, const Tensor& source, Where where = Where::here());
  Tensor jacobian(const Tensor& target, const Variable& source, Where where = Where::here());
  // The Jacobian of every example: target [b, ...] and source [b, ...] to [b, *target, *source].
  Tensor batch_jacobian(const Tensor& target, const Tensor& source,
                        Unconnected unconnected = Unconnected::kRaise, Where where = Where::here());
  // The tape's leaf of a Variable; its plain value if it was not read while the tape was open.
  Tensor leaf_of(const Variable& variable) const;

 private:
  class Recorder;
  Recorder* const recorder_;  // owned
};

}  // namespace weft
