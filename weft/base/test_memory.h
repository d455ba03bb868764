// What a process holds of memory, for tests of what stays small.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

// A sanitizer has a heap of its own, and keeps what is freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_HAS_SANITIZER 1
#endif
#endif
#ifndef WEFT_HAS_SANITIZER
#define WEFT_HAS_SANITIZER 0
#endif

namespace weft {

// Bytes in memory: VmRSS of /proc/self/status, in pages.
inline int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace weft
