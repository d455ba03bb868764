// What a process holds of memory, for tests of what stays small.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace weft {

// Bytes in memory: VmRSS of /proc/self/status, in pages.
inline int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace weft
