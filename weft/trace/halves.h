// The two halves of a derivative: a forward function that gives what the backward function reads,
// so that nothing is computed twice.
#pragma once

#include "weft/trace/derived.h"

namespace weft {

// `f`, which gives behind its results what the backward half for the wanted parameters reads of
// what is computed inside. Views and constants are not among it: they are made again for nothing.
FunctionAttr forward_of(const FunctionAttr& f, const Flags& wanted, TypeSpan arguments);

// Parameters: those of `f`, then the results of its forward half, then a cotangent for each given
// one of the results of `f`, then a sum for each begun parameter. Results: the cotangents of those
// parameters that are reached; of those that are begun, the sum with them added term by term.
struct BackwardHalf {
  FunctionAttr function;
  Flags reached;  // per parameter of `f`
};
BackwardHalf backward_of(const FunctionAttr& f, const Flags& wanted, const FunctionAttr& forward,
                         const Flags& given, TypeSpan arguments, const Flags& begun = {});
// Gives a copy of a forward half, whose values have the same numbers, its backward halves.
void keep_backward_of(const ir::Function& forward, const ir::Function& copy);

}  // namespace weft
