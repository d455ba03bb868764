// Threads that are punctual.
#include "weft/base/punctual.h"

#include <gtest/gtest.h>

#include <thread>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/resource.h>
#endif

namespace weft {
namespace {

TEST(Punctual, IsTheThreadAlone) {
#ifdef __linux__
  const int before = prctl(PR_GET_TIMERSLACK);
  const int nice = getpriority(PRIO_PROCESS, 0);
  int there = -1, nice_there = -1;
  std::thread([&] {
    be_punctual();
    be_punctual();  // once more changes nothing
    there = prctl(PR_GET_TIMERSLACK);
    nice_there = getpriority(PRIO_PROCESS, 0);
  }).join();
  EXPECT_EQ(there, 1000) << "nanoseconds by which naps may be lengthened";
  EXPECT_EQ(nice_there, nice);
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), before);
#else
  be_punctual();
#endif
}

}  // namespace
}  // namespace weft
