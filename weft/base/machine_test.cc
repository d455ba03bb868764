// cgroup limits, read from made-up folders of both versions.
#include "weft/base/machine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "weft/base/file.h"
#include "weft/base/test_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class Machine : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    write_file_atomically(root_ + path, content);
  }

  const TestFolder made_;
  const std::string& root_ = made_.path();
};

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

TEST_F(Machine, no_cgroup_is_no_limit) {
  EXPECT_TRUE(std::isinf(cgroup_limits(root_).cpus));
  EXPECT_EQ(cgroup_limits(root_).memory, kNoLimit);
}

TEST_F(Machine, version_2_takes_the_tightest_ancestor) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/a/b/memory.max", "3000000000\n");
  write("/sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(cgroup_limits(root_).cpus, 1.5);
  EXPECT_EQ(cgroup_limits(root_).memory, 3'000'000'000);
}

TEST_F(Machine, version_1_with_a_path_of_the_host) {
  write("/proc/self/cgroup", "7:memory:/docker/xyz\n3:cpu,cpuacct:/docker/xyz\n1:name=systemd:/\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(cgroup_limits(root_).cpus, 2);
  EXPECT_EQ(cgroup_limits(root_).memory, 1 << 30);
}

TEST_F(Machine, version_1_without_limits) {
  write("/proc/self/cgroup", "7:memory:/\n3:cpuset:/\n2:cpu:/\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_TRUE(std::isinf(cgroup_limits(root_).cpus));
  EXPECT_GE(cgroup_limits(root_).memory, int64_t{1} << 60);
}

TEST_F(Machine, nonsense_is_no_limit) {
  write("/proc/self/cgroup", "0::\n:::\nx\n0::/a\n");
  write("/sys/fs/cgroup/a/cpu.max", "fast\n");
  write("/sys/fs/cgroup/a/memory.max", "");
  EXPECT_TRUE(std::isinf(cgroup_limits(root_).cpus));
  EXPECT_EQ(cgroup_limits(root_).memory, kNoLimit);
}

TEST_F(Machine, this_one_has_something) {
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_GT(usable_memory(), 1 << 20);
}

}  // namespace
}  // namespace weft
