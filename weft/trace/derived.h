// Functions made of functions: derivatives and batched forms, traced once and kept.
#pragma once

#include "weft/base/function_ref.h"
#include "weft/ir/function.h"

namespace weft {

using Flags = std::vector<bool>;

// "kind:0110": the name under which a function derived for these flags is kept.
std::string derived_key(std::string_view kind, const Flags& flags);

// The function that was kept under this name beside `f` and whose assumptions hold for sizes of
// `arguments`, or a new one. `body` is traced with `parameters`, whose symbols are those of `f`.
FunctionAttr derived(const FunctionAttr& f, const std::string& name, TypeSpan arguments,
                     std::span<const Type> parameters, FunctionRef<Tensors(TensorSpan)> body);

// Derivatives run `f` once more, beside the call that they are the derivatives of: what it prints
// is left out of them (quiet.h).

// Parameters: those of `f`, then a cotangent for each differentiable result, then a sum for each
// begun parameter. Results: the cotangent of each wanted parameter; of one that is begun, the sum
// with what `f` contributes added term by term. `arguments` are the types it is about to be called
// with, those of `f`.
FunctionAttr vjp_of(const FunctionAttr& f, const Flags& wanted, TypeSpan arguments,
                    const Flags& begun = {});

// Parameters: those of `f`, then a tangent for each active one. Results: those of `f`, then a
// tangent for each differentiable one.
FunctionAttr jvp_of(const FunctionAttr& f, const Flags& active, TypeSpan arguments);

// `f` for every example of a batch; flagged parameters and all results have the batch axis in
// front. `arguments` are the types without it.
FunctionAttr vmap_of(const FunctionAttr& f, const Flags& batched, TypeSpan arguments, Dim size);

}  // namespace weft
