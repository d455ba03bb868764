// parallel_for: who may use the team, how large it is, and what a fork leaves of it.
#include "weft/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "weft/base/error.h"
#include "weft/base/forks.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/log.h"
#include "weft/base/machine.h"
#include "weft/base/team.h"

namespace weft {
namespace {

// None of these has a destructor that does anything, so workers may still spin while the process
// exits.
constinit Team team;
constinit std::atomic<bool> is_taken{false};   // a caller holds the team
constinit std::atomic<int> wanted_threads{0};  // 0: not known yet
constinit std::atomic<InterruptPoll> interrupt_poll{nullptr};
constinit thread_local bool in_tile = false;             // this thread runs tiles of the team's job
constinit thread_local int uninterrupted = 0;            // Uninterrupted objects of this thread
constinit thread_local StopsWhen* stops_when = nullptr;  // the innermost one of this thread

}  // namespace

bool is_given_up() { return stops_when->is_over_(); }

namespace {

InterruptPoll current_poll() {
  if (uninterrupted > 0) return nullptr;
  return stops_when != nullptr ? is_given_up : interrupt_poll.load(std::memory_order_relaxed);
}

// Holds the team for the calling thread, if no one else does.
class Hold {
 public:
  Hold() : is_held_(!is_taken.exchange(true, std::memory_order_acquire)) { in_tile |= is_held_; }
  ~Hold() {
    if (!is_held_) return;
    in_tile = false;
    is_taken.store(false, std::memory_order_release);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  explicit operator bool() const { return is_held_; }

 private:
  bool is_held_;
};

// In a forked child only the forking thread lives: whoever held the team is gone with its workers.
void renew_after_fork() {
  team.forget_workers();
  is_taken.store(in_tile);  // a thread that forks inside a tile still holds it
}

bool parse_threads(const char* text, int& count) {
  const char* end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, count);
  return result.ec == std::errc() && result.ptr == end && 1 <= count && count <= Team::kMaxThreads;
}

int default_threads() {
  const char* wish = std::getenv("WEFT_NUM_THREADS");
  int count = 0;
  if (wish != nullptr && parse_threads(wish, count)) return count;
  count = std::min(usable_cpus(), Team::kMaxThreads);
  if (wish != nullptr) {
    log_warning("WEFT_NUM_THREADS is '", wish, "'; it may be 1 to ", Team::kMaxThreads, "; using ",
                count);
  }
  return count;
}

void run_serially(int64_t tiles, FunctionRef<void(int64_t)> body) {
  const auto poll = is_worker_thread() ? nullptr : current_poll();
  for (int64_t tile = 0; tile < tiles; ++tile) {
    if (poll != nullptr && tile > 0 && poll()) {
      fail(Code::kInterrupted, "parallel_for", "", "interrupted by the user");
    }
    body(tile);
  }
}

// False if there are no workers to share with.
bool is_team_ready(int threads) {
  if (team.threads() != threads) [[unlikely]] {
    [[maybe_unused]] static const bool once = (renew_in_children(renew_after_fork), true);
    team.resize(threads);
    // What the system refused once it is not asked for again at every call.
    if (team.threads() != threads) wanted_threads.compare_exchange_strong(threads, team.threads());
  }
  return team.threads() > 1;
}

}  // namespace

void parallel_for(int64_t tiles, FunctionRef<void(int64_t)> body) {
  WEFT_ASSERT(tiles >= 0, "tiles = ", tiles);
  if (tiles == 1) return body(0);
  const int threads = num_threads();
  if (tiles == 0 || threads == 1 || in_tile || is_worker_thread()) return run_serially(tiles, body);
  const Hold hold;
  if (!hold || !is_team_ready(threads)) return run_serially(tiles, body);
  team.run(tiles, body, current_poll());
}

int num_threads() {
  int count = wanted_threads.load(std::memory_order_relaxed);
  if (count != 0) [[likely]]
    return count;
  int expected = 0;
  count = default_threads();
  // Somebody's set_num_threads in between wins.
  return wanted_threads.compare_exchange_strong(expected, count) ? count : expected;
}

void set_num_threads(int count) {
  if (count < 1 || count > Team::kMaxThreads) {
    fail(Code::kInvalid, "set_num_threads", "count", "count is ", count, "; it may be 1 to ",
         Team::kMaxThreads);
  }
  wanted_threads.store(count);
}

void set_interrupt_poll(bool (*poll)()) { interrupt_poll.store(poll); }
InterruptPoll current_interrupt_poll() { return interrupt_poll.load(); }

Uninterrupted::Uninterrupted() { ++uninterrupted; }
Uninterrupted::~Uninterrupted() { --uninterrupted; }

StopsWhen::StopsWhen(FunctionRef<bool()> is_over) : is_over_(is_over), outer_(stops_when) {
  stops_when = this;
}
StopsWhen::~StopsWhen() { stops_when = outer_; }

bool is_interruptible() {
  return !in_tile && !is_worker_thread() && stops_when == nullptr && current_poll() != nullptr;
}

// Inside a tile, also stops if another thread has cancelled the job; the caller of the job throws
// that thread's error, not this one.
void poll_interrupt() {
  const bool is_worker = is_worker_thread();
  if ((is_worker || in_tile) && team.is_cancelled()) [[unlikely]] {
    fail(Code::kInterrupted, "run", "", "another tile was interrupted");
  }
  const InterruptPoll poll = is_worker ? nullptr : current_poll();
  if (poll == nullptr || !poll()) [[likely]]
    return;
  fail(Code::kInterrupted, "run", "", "interrupted by the user");
}

}  // namespace weft
