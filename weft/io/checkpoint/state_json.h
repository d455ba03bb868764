// States as JSON, with their tensors beside it, by name.
//
//   {"weight": {"$tensor": "weight"}, "steps": 3, "loss": {"$float": "nan"}, "betas": {"$tuple":
//   [..]}}
//
// The name of a tensor is the way to it, "optimizer.moments.0". complex128 lies in its file as
// pairs of float64, which safetensors has.
#pragma once

#include "weft/io/checkpoint/state.h"
#include "weft/io/json/json.h"

namespace weft::io {

// Appends the tensors of the state to `tensors`. Raises [who.state] if it is nested too deep.
Json state_to_json(const SavedState& state, NamedTensors& tensors, std::string_view who);

// Raises [who.state] for what no state gives, and for a tensor that is not there. Tensors are
// asked for by name.
class TensorsByName {
 public:
  virtual ~TensorsByName() = default;
  virtual Tensor load(const std::string& name) = 0;
};
SavedState state_from_json(const Json& json, TensorsByName& tensors, std::string_view who);

}  // namespace weft::io
