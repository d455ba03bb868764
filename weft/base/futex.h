// Futex: wait on a 32-bit atomic until another thread says it changed.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace weft {

// Sleeps while `word` holds `seen`, no longer than `milliseconds` if that is not 0; may return
// early, so the caller checks again.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, int milliseconds = 0) {
  const timespec time{0, milliseconds * 1'000'000L};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, milliseconds == 0 ? nullptr : &time, nullptr,
          0);
}

inline void futex_wake(std::atomic<uint32_t>& word, int sleepers = INT_MAX) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

}  // namespace weft
