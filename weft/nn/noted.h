// Calls of modules with values that are not there yet: what Input gives, and what was made of it.
#pragma once

#include <atomic>
#include <functional>

#include "weft/base/function_ref.h"
#include "weft/base/shared.h"
#include "weft/base/where.h"
#include "weft/nn/forward_hook.h"

namespace weft::nn {

class ModuleBase;

namespace detail {

// Has there been an Input? Until then no call looks for one.
extern std::atomic<bool> has_inputs;
// Is one of them not there yet?
bool is_any_awaited(TensorSpan leaves);

template <class... Args>
Tensors leaves_of(const Args&... args) {
  Tensors leaves;
  (add_leaves(args, leaves), ...);
  return leaves;
}
template <class... Args>
bool is_any_awaited_in(const Args&... args) {
  return has_inputs.load(std::memory_order_relaxed) && is_any_awaited(leaves_of(args...));
}

// A module of any type, as a graph of layers holds it. A copy copies what is held.
class HeldModule {
 public:
  template <class M>
  explicit HeldModule(const M& module) : held_(new_shared<Held<M>>(module)) {}
  HeldModule(const HeldModule& other) : held_(other.held_->copied()) {}
  HeldModule(HeldModule&&) = default;
  HeldModule& operator=(HeldModule other) {
    std::swap(held_, other.held_);
    return *this;
  }
  ~HeldModule() = default;

  ModuleBase* module() const { return held_->module(); }

 private:
  struct Holder {
    virtual ~Holder() = default;
    virtual ModuleBase* module() = 0;
    virtual Shared<Holder> copied() const = 0;
  };
  template <class M>
  struct Held final : Holder {
    M held;
    explicit Held(const M& module) : held(module) {}
    ModuleBase* module() override { return &held; }
    Shared<Holder> copied() const override { return new_shared<Held>(held); }
  };
  Shared<Holder> held_;
};

// One that was called with what is not there yet: calls of one module have one of these, so that
// models hold it once.
struct NotedModule {
  HeldModule held;
};

// Calls a module with these leaves of its arguments, and gives the leaves of its results.
using CallWithLeaves = std::function<Tensors(ModuleBase& module, TensorSpan leaves)>;

// Notes a call: it is made twice with zeros of different sizes, which tells what it gives, by
// `now`; `call` is for later. What stands for its results.
Tensors noted_call(const ModuleBase& module, FunctionRef<HeldModule()> copied, TensorSpan leaves,
                   FunctionRef<Tensors(TensorSpan)> now, CallWithLeaves call, Where where);

// Of a call that cannot be made again later.
[[noreturn]] void fail_noted(const ModuleBase& module);

// The line among the arguments of a layer.
template <class... Args>
Where where_among(const Args&... args) {
  Where where;
  const auto look = [&](const auto& one) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(one)>, Where>) where = one;
  };
  (look(args), ...);
  return where;
}

// An argument as it is kept for later: leaves in a row are not borrowed.
template <class T>
using Kept = std::conditional_t<std::same_as<std::remove_cvref_t<T>, TensorSpan>, Tensors,
                                std::remove_cvref_t<T>>;

}  // namespace detail
}  // namespace weft::nn
