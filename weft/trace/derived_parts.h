// What the makers of derived functions share: keeping them, tracing them, lists by flags.
#pragma once

#include "weft/trace/derived.h"
#include "weft/trace/trace.h"

namespace weft {

// The kept function of that name whose assumptions hold, or a new one.
FunctionAttr kept_or_made(const FunctionAttr& f, const std::string& name,
                          std::span<const DimBinding> bindings,
                          FunctionRef<FunctionAttr(std::vector<DimBinding>)> make);

// Sizes for a trace that derives from `f`: these, where they are known, else its own hints.
std::vector<DimBinding> known_hints(const ir::Function& f, std::span<const DimBinding> bindings);

std::vector<TraceParameter> parameters_of(const ir::Function& f);

// A trace that reads nothing but its parameters.
FunctionAttr traced(FlatFunction body, std::span<const TraceParameter> parameters, std::string name,
                    std::vector<DimBinding> hints);

// What a key says of the parameters whose sums are begun: nothing if there are none.
std::string begun_key(const Flags& begun);

Tensors flagged(TensorSpan all, const Flags& flags);
// The flagged ones replaced, one after the other.
Tensors replaced(TensorSpan all, const Flags& flags, TensorSpan values);

}  // namespace weft
