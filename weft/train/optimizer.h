// AnyOptimizer: the optimizer of a training, or how it is made once the parameters are there.
//
//   model.compile(optimizer, ...);   // a variable of the caller, which must live as long
//   model.compile("adam", ...);      // with the usual options
//   model.compile(train::made<optim::Adam>(optim::AdamOptions{.lr = 0.01}), ...);
#pragma once

#include <functional>
#include <string>

#include "weft/nn/module.h"
#include "weft/optim/optimizer.h"

namespace weft::train {

class AnyOptimizer {
 public:
  using Make = std::function<Shared<optim::Optimizer>(const std::vector<Variable>& parameters)>;

  AnyOptimizer(optim::Optimizer& optimizer)  // NOLINT(google-explicit-constructor)
      : held_(&optimizer, [](void*) {}) {}
  AnyOptimizer(Make make) : make_(std::move(make)) {}  // NOLINT(google-explicit-constructor)
  // "adam", "sgd", ...: any of optim, in small letters; raises [compile.optimizer].
  AnyOptimizer(std::string_view name);                                      // NOLINT
  AnyOptimizer(const char* name) : AnyOptimizer(std::string_view(name)) {}  // NOLINT

  // The same one for every call.
  optim::Optimizer& of(const nn::ModuleBase& module);

 private:
  Shared<optim::Optimizer> held_;
  Make make_;
};

// An optimizer of a type, with options, that is made once the parameters are there.
template <class O, class... Options>
AnyOptimizer::Make made(Options... options) {
  return [=](const std::vector<Variable>& parameters) -> Shared<optim::Optimizer> {
    return new_shared<O>(optim::Parameters(parameters), options...);
  };
}

}  // namespace weft::train
