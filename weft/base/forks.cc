// The fork handlers, and the gate that keeps forks and short locks apart.
//
// Threads count themselves in before they take a short lock. A fork closes the gate: threads that
// are inside go on, also to further locks, and those outside wait until the fork is over. So the
// order in which locks are taken does not matter.
#include "weft/base/forks.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "weft/base/error.h"
#include "weft/base/futex.h"
#include "weft/base/thread_local.h"

namespace weft {
namespace {

// A thread inside may wait for what the forking one holds: then the fork does not wait for ever.
constexpr auto kPatience = std::chrono::seconds(2);

constinit std::atomic<int> forks{0};

// --- the gate ---

// Threads count in one of several places, because one counter for all would be a bottleneck.
constexpr uint32_t kStripes = 16;
struct alignas(64) Stripe {
  std::atomic<uint32_t> inside{0};
};
constinit Stripe stripes[kStripes];
constinit std::atomic<uint32_t> is_closed{0};
constinit std::atomic<uint32_t> threads_so_far{0};
WEFT_THREAD_LOCAL uint32_t depth = 0;      // ForkDelays of this thread
WEFT_THREAD_LOCAL uint32_t thread_id = 0;  // from 1 on; 0: not known yet

Stripe& own_stripe() {
  if (thread_id == 0) [[unlikely]]
    thread_id = threads_so_far.fetch_add(1, std::memory_order_relaxed) + 1;
  return stripes[thread_id % kStripes];
}

// Each stripe that was seen empty stays so: a thread that counts itself in at a closed gate takes
// no lock before it has counted itself out again.
void close_gate() {
  is_closed.store(1);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (Stripe& stripe : stripes) {
    const uint32_t own = depth > 0 && &stripe == &own_stripe() ? 1 : 0;
    while (stripe.inside.load() != own && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

void open_gate() {
  is_closed.store(0);
  futex_wake(is_closed);
}

// --- what others registered ---

constexpr int kMost = 16;
constinit std::atomic<void (*)()> renewals[kMost], locks[kMost], unlocks[kMost];
constinit std::atomic<int> renewal_count{0}, lock_count{0};

void call(std::atomic<void (*)()> (&functions)[kMost]) {
  for (std::atomic<void (*)()>& function : functions) {
    if (void (*const f)() = function.load()) f();
  }
}

// --- the handlers ---

constinit pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;  // one fork at a time

void before_fork() {
  pthread_mutex_lock(&turn);
  close_gate();
  call(locks);
}

void after_fork_in_parent() {
  call(unlocks);
  open_gate();
  pthread_mutex_unlock(&turn);
}

void after_fork_in_child() {
  forks.fetch_add(1);
  call(unlocks);
  for (Stripe& stripe : stripes) stripe.inside.store(0);
  if (depth > 0) own_stripe().inside.store(1);
  call(renewals);
  open_gate();
  pthread_mutex_unlock(&turn);
}

// Before any thread of the library could be inside.
[[maybe_unused]] const int registered =
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);

}  // namespace

int forks_so_far() { return forks.load(std::memory_order_relaxed); }

void renew_in_children(void (*renew)()) {
  const int i = renewal_count.fetch_add(1);
  WEFT_ASSERT(i < kMost, i);
  renewals[i].store(renew);
}

void lock_for_forks(void (*lock)(), void (*unlock)()) {
  const int i = lock_count.fetch_add(1);
  WEFT_ASSERT(i < kMost, i);
  unlocks[i].store(unlock);
  locks[i].store(lock);
}

void ForkDelay::begin() {
  if (depth++ > 0) return;
  std::atomic<uint32_t>& inside = own_stripe().inside;
  while (true) {
    inside.fetch_add(1);
    if (is_closed.load() == 0) [[likely]]
      return;
    inside.fetch_sub(1);
    futex_wait(is_closed, 1);
  }
}

void ForkDelay::end() {
  if (--depth == 0) own_stripe().inside.fetch_sub(1, std::memory_order_release);
}

bool is_fork_waiting_for_this_thread() {
  return depth > 0 && is_closed.load(std::memory_order_relaxed) != 0;
}

}  // namespace weft
