// trace: what a callable does with tensors, as a function.
#pragma once

#include "weft/trace/staging.h"
#include "weft/transform/vjp.h"

namespace weft {

// A parameter to be.
struct TraceParameter {
  Type type;
  std::string name = "";
  Where where = {};
};

struct Trace {
  Shared<const ir::Function> function;
  // Its parameters behind those that were asked for. Of those that were written, the new values are
  // its results behind those that the callable gave, in this order.
  std::vector<Captured> captured;
  size_t result_count = 0;

  // The parameters behind the first ones: values as they are now, Variables read, at that line.
  Tensors captured_values(Where where = {}) const;
  // The same, behind the arguments that are in `to` already.
  void append_captured_values(Tensors& to, Where where) const;
  // Stores what the function wrote: its results behind the first ones, of the op that ran it.
  void store_written(TensorSpan results, Where where) const;
  // The same without the Variables that have their new values already, by parameter.
  void store_written_but(const std::vector<bool>& is_stored, TensorSpan results, Where where) const;
};

// How far a trace came.
struct TraceUntil {
  Types parameters;
  std::vector<ir::Assumption> assumptions;
};

struct TraceOptions {
  std::string name = "f";
  std::vector<DimBinding> hints = {};  // symbols in the parameters, and their sizes in this call
  bool is_rule = false;                // it is the derivative of a custom function
  bool stands_alone = false;           // its sizes are its own, whatever is being traced around it
  TraceUntil* until_raised = nullptr;  // is filled if the callable raises
};

// Calls `f` once with tensors that have types and no values. Everything it does with them, and with
// other tensors, becomes part of the function.
Trace trace_flat(FlatFunction f, std::span<const TraceParameter> parameters,
                 const TraceOptions& options = {});

// Several callables as functions of the same captured values: each has all of them as parameters,
// and gives the new values of all that any of them wrote. For the branches of a condition.
// `last_first`: they are called in the opposite order. `values`: what the first parameters will be;
// a callable that reads one of these from outside reads the parameter.
std::vector<Trace> trace_together(std::span<const FlatFunction> callables,
                                  std::span<const std::vector<TraceParameter>> parameters,
                                  std::span<const std::string> names, bool last_first = false,
                                  TensorSpan values = {});

}  // namespace weft
