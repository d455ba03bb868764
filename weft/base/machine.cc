// Affinity, cgroup quotas and physical memory.
#include "weft/base/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "weft/base/file.h"

namespace weft {
namespace {

// Splits off what stands before `separator` and the separator itself.
std::string_view cut(std::string_view& rest, char separator) {
  const size_t at = std::min(rest.find(separator), rest.size());
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return head;
}

// The integer a text starts with; nothing for "max" and for -1, which both mean no limit.
std::optional<int64_t> parse_limit(std::string_view text) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || value < 0) return std::nullopt;
  return value;
}

std::optional<int64_t> read_limit(const std::string& path) {
  const auto content = try_read_file(path);
  return content ? parse_limit(*content) : std::nullopt;
}

void limit_cpus(CgroupLimits& limits, std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return;
  limits.cpus = std::min(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
}

void limit_memory(CgroupLimits& limits, std::optional<int64_t> bytes) {
  limits.memory = std::min(limits.memory, bytes.value_or(limits.memory));
}

// cpu.max holds "quota period", or "max period".
void read_version_2(CgroupLimits& limits, const std::string& folder) {
  if (const auto content = try_read_file(folder + "/cpu.max")) {
    std::string_view rest = *content;
    const auto quota = parse_limit(cut(rest, ' '));
    limit_cpus(limits, quota, parse_limit(rest));
  }
  limit_memory(limits, read_limit(folder + "/memory.max"));
}

void read_version_1_cpu(CgroupLimits& limits, const std::string& folder) {
  limit_cpus(limits, read_limit(folder + "/cpu.cfs_quota_us"),
             read_limit(folder + "/cpu.cfs_period_us"));
}

void read_version_1_memory(CgroupLimits& limits, const std::string& folder) {
  limit_memory(limits, read_limit(folder + "/memory.limit_in_bytes"));
}

// Calls read(mount + group) and the same for every ancestor of the group. In a container the
// group's path may be the host's, while the mount's top is the container's own.
template <class Read>
void read_ancestors(CgroupLimits& limits, const std::string& mount, std::string_view group,
                    Read read) {
  while (group.size() > 1 && group.front() == '/') {
    read(limits, mount + std::string(group));
    group = group.substr(0, group.rfind('/'));
  }
  read(limits, mount);
}

bool names(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    if (cut(controllers, ',') == wanted) return true;
  }
  return false;
}

}  // namespace

CgroupLimits cgroup_limits(const std::string& root) {
  CgroupLimits limits;
  const std::string membership = try_read_file(root + "/proc/self/cgroup").value_or("");
  const std::string mount = root + "/sys/fs/cgroup";
  std::string_view lines = membership;
  while (!lines.empty()) {
    std::string_view group = cut(lines, '\n');
    cut(group, ':');  // the hierarchy's number
    const std::string_view controllers = cut(group, ':');
    if (controllers.empty()) read_ancestors(limits, mount, group, read_version_2);
    if (names(controllers, "cpu")) {
      read_ancestors(limits, mount + "/cpu", group, read_version_1_cpu);
    }
    if (names(controllers, "memory")) {
      read_ancestors(limits, mount + "/memory", group, read_version_1_memory);
    }
  }
  return limits;
}

int usable_cpus() {
  cpu_set_t allowed;
  // Fails on machines with more CPUs than the set holds.
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const long count = known ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
  const double quota = std::ceil(cgroup_limits().cpus);
  return static_cast<int>(std::max(1.0, std::min(static_cast<double>(count), quota)));
}

int64_t usable_memory() {
  const int64_t physical = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min(physical, cgroup_limits().memory);
}

}  // namespace weft
