// What this process may use of the machine: CPUs and memory, by affinity and cgroup.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace weft {

// CPUs by the calling thread's affinity and the cgroup's quota (rounded up); at least 1.
int usable_cpus();

// Bytes: the lesser of physical memory and the cgroup's limit.
int64_t usable_memory();

struct CgroupLimits {
  double cpus = std::numeric_limits<double>::infinity();
  int64_t memory = std::numeric_limits<int64_t>::max();
};

// The tightest limits on the way from this process's cgroup to the top, version 1 or 2. `root` goes
// before /proc and /sys, for tests.
CgroupLimits cgroup_limits(const std::string& root = "");

}  // namespace weft
