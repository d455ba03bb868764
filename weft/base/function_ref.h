// FunctionRef: a borrowed callable, two words wide; for parameters that are called before the call
// returns.
#pragma once

#include <type_traits>
#include <utility>

namespace weft {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  constexpr FunctionRef() = default;  // refers to nothing; may not be called
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<Result, F&, Args...>)
  FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): made for passing lambdas
      : object_((void*)__builtin_addressof(f)),  // a C cast: f may be const, or a function
        call_([](void* object, Args... args) -> Result {
          return (*reinterpret_cast<std::remove_reference_t<F>*>(object))(
              std::forward<Args>(args)...);
        }) {}

  explicit operator bool() const { return call_ != nullptr; }
  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_ = nullptr;
  Result (*call_)(void*, Args...) = nullptr;
};

}  // namespace weft
