// Short turns by sched_setattr, which Linux has for ordinary threads since 6.12.
#include "weft/base/punctual.h"

#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace weft {

#ifdef __linux__
namespace {

constexpr uint64_t kTurn = 100'000;  // nanoseconds, the shortest
constexpr unsigned long kLate = 1'000;

// The first version of the kernel's struct sched_attr, for which glibc has no header.
struct Attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

}  // namespace

void be_punctual() {
  prctl(PR_SET_TIMERSLACK, kLate);
  Attributes now{};
  if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER) return;
  now.runtime = kTurn;
  syscall(SYS_sched_setattr, 0, &now, 0);
}
#else
void be_punctual() {}
#endif

}  // namespace weft
