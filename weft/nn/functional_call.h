// functional_call: a module as a function of its parameters, so that every transformation works on
// modules.
//
//   const auto loss = [&](const nn::State& values) {
//     return sum(nn::functional_call(model, values, x));
//   };
//   const nn::State slopes = grad(loss)(model.state_dict());
#pragma once

#include "weft/nn/module.h"

namespace weft::nn {

namespace detail {

// Puts values in the places of the parameters and buffers of those names; raises
// [functional_call.name] if there is none.
void put_values(ModuleBase& module, const State& values);

}  // namespace detail

// Calls the module with `values` in place of the parameters and buffers of those names; what is
// not named is as the module has it. The module itself stays as it is: a copy is called.
template <class M, class... Args>
  requires std::derived_from<M, ModuleBase>
auto functional_call(const M& module, const State& values, const Args&... args) {
  M copy = module;
  detail::put_values(copy, values);
  return copy(args...);
}

}  // namespace weft::nn
