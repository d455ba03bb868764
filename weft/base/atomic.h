// Atomic: a counter or a pointer that threads share, for the headers that every file includes.
//
// libstdc++'s <atomic> brings waiting, mutexes and POSIX along: a tenth of a second in every file.
#pragma once

namespace weft {

template <class T>
class Atomic {
 public:
  constexpr explicit Atomic(T value) noexcept : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load_acquire() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  void store_release(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
  // Both give the value before.
  T add_relaxed(T n) noexcept { return __atomic_fetch_add(&value_, n, __ATOMIC_RELAXED); }
  T subtract_acq_rel(T n) noexcept { return __atomic_fetch_sub(&value_, n, __ATOMIC_ACQ_REL); }

  // Stores `desired` if the value is `expected`.
  bool replace(T expected, T desired) noexcept {
    return __atomic_compare_exchange_n(&value_, &expected, desired, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
  }

 private:
  T value_;
};

}  // namespace weft
