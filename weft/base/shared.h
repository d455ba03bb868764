// Shared and Weak: counted handles to an object, for the headers that every program includes.
//
// std::shared_ptr comes with <memory>, a quarter of the time it takes to compile weft.h.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/base/atomic.h"

namespace weft {

namespace detail {

// All Shared handles together count as one in `any`; the last of any kind frees the counts.
struct Counts {
  Atomic<uint32_t> shared{1};
  Atomic<uint32_t> any{1};
  void (*destroy)(void* object);
  void* object;

  Counts(void* object, void (*destroy)(void*)) : destroy(destroy), object(object) {}
  // A handle, unless the object is gone.
  bool share() noexcept {
    for (uint32_t count = shared.load_acquire(); count > 0; count = shared.load_acquire()) {
      if (shared.replace(count, count + 1)) return true;
    }
    return false;
  }
  void drop_any() noexcept {
    if (any.subtract_acq_rel(1) == 1) delete this;
  }
  void drop_shared() noexcept {
    if (shared.subtract_acq_rel(1) != 1) return;
    destroy(object);
    drop_any();
  }
};

}  // namespace detail

template <class T>
class Weak;

template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(decltype(nullptr)) {}  // NOLINT(google-explicit-constructor)
  // Takes the object over; `destroy` ends it.
  Shared(T* object, void (*destroy)(void*))
      : object_(object),
        counts_(new detail::Counts(const_cast<std::remove_const_t<T>*>(object), destroy)) {}
  Shared(const Shared& other) : object_(other.object_), counts_(other.counts_) {
    if (counts_ != nullptr) counts_->shared.add_relaxed(1);
  }
  Shared(Shared&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        counts_(std::exchange(other.counts_, nullptr)) {}
  // To a base, to const, to void.
  template <class U>
    requires(std::is_convertible_v<U*, T*> && !std::is_same_v<U, T>)
  Shared(Shared<U> other)  // NOLINT(google-explicit-constructor)
      : object_(std::exchange(other.object_, nullptr)),
        counts_(std::exchange(other.counts_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    std::swap(counts_, other.counts_);
    return *this;
  }
  ~Shared() {
    if (counts_ != nullptr) counts_->drop_shared();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  auto& operator*() const
    requires(!std::is_void_v<T>)
  {
    return *object_;
  }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Shared& other) const { return object_ == other.object_; }

 private:
  template <class U>
  friend class Shared;
  friend class Weak<T>;
  Shared(T* object, detail::Counts* counts) : object_(object), counts_(counts) {}

  T* object_ = nullptr;
  detail::Counts* counts_ = nullptr;
};

// Does not keep the object; `lock` gives a handle as long as somebody does.
template <class T>
class Weak {
 public:
  Weak() = default;
  Weak(const Shared<T>& shared)  // NOLINT(google-explicit-constructor)
      : object_(shared.object_), counts_(shared.counts_) {
    if (counts_ != nullptr) counts_->any.add_relaxed(1);
  }
  Weak(const Weak& other) : object_(other.object_), counts_(other.counts_) {
    if (counts_ != nullptr) counts_->any.add_relaxed(1);
  }
  Weak(Weak&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        counts_(std::exchange(other.counts_, nullptr)) {}
  Weak& operator=(Weak other) noexcept {
    std::swap(object_, other.object_);
    std::swap(counts_, other.counts_);
    return *this;
  }
  ~Weak() {
    if (counts_ != nullptr) counts_->drop_any();
  }

  Shared<T> lock() const {
    return counts_ != nullptr && counts_->share() ? Shared<T>(object_, counts_) : Shared<T>();
  }

 private:
  T* object_ = nullptr;
  detail::Counts* counts_ = nullptr;
};

template <class T, class... Args>
Shared<T> new_shared(Args&&... args) {
  using Object = std::remove_const_t<T>;
  return Shared<T>(new Object(std::forward<Args>(args)...),
                   [](void* object) { delete static_cast<Object*>(object); });
}

}  // namespace weft
