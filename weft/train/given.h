// Given: an object that a training uses. A variable of the caller is referred to and must live as
// long; a temporary is kept.
#pragma once

#include <concepts>

#include "weft/base/shared.h"

namespace weft::train {

template <class Base>
class Given {
 public:
  template <class T>
    requires std::derived_from<std::remove_cvref_t<T>, Base>
  Given(T&& object) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_lvalue_reference_v<T>) {
      held_ = Shared<Base>(&object, [](void*) {});
    } else {
      held_ = new_shared<T>(std::forward<T>(object));
    }
  }

  Base* operator->() const { return held_.get(); }
  Base& operator*() const { return *held_; }

 protected:
  explicit Given(Shared<Base> held) : held_(std::move(held)) {}

 private:
  Shared<Base> held_;
};

}  // namespace weft::train
