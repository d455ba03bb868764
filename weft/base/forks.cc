// Counts forks by a handler that runs in the child.
#include "weft/base/forks.h"

#include <pthread.h>

#include <atomic>

namespace weft {
namespace {

constinit std::atomic<int> forks{0};

}  // namespace

int forks_so_far() {
  [[maybe_unused]] static const int once =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  return forks.load(std::memory_order_relaxed);
}

}  // namespace weft
