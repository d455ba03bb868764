// The team's fork and join: hand out tasks, run them, wait; spin briefly, then sleep.
#include "weft/base/team.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "weft/base/error.h"
#include "weft/base/futex.h"
#include "weft/base/log.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace weft {
namespace {

constexpr int64_t kSpinNanoseconds = 200'000;
constexpr int64_t kMaxTasks = UINT32_MAX;
constexpr int kPollMilliseconds = 20;  // how often a caller that waits for workers polls

constinit thread_local bool on_worker = false;

#if defined(__x86_64__)
void pause_briefly() { _mm_pause(); }
// Without the sticky exception flags, which are no mode.
uint32_t float_mode() { return _mm_getcsr() & ~0x3fu; }
void set_float_mode(uint32_t mode) {
  if (float_mode() != mode) _mm_setcsr(mode);
}
#else
void pause_briefly() { std::atomic_signal_fence(std::memory_order_seq_cst); }
uint32_t float_mode() { return 0; }
void set_float_mode(uint32_t) {}
#endif

// Spins until `done()` holds or the time is over; says whether it holds.
template <class Done>
bool spin_until(int64_t nanoseconds, Done done) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      pause_briefly();
    }
  } while (Clock::now() < end);
  return done();
}

constexpr uint32_t tasks_of(uint64_t ticket) { return static_cast<uint32_t>(ticket >> 32); }
constexpr uint32_t next_of(uint64_t ticket) { return static_cast<uint32_t>(ticket); }
constexpr uint64_t ticket_of(uint32_t tasks, uint32_t next) { return uint64_t{tasks} << 32 | next; }

bool has_work(uint64_t ticket) { return next_of(ticket) < tasks_of(ticket); }

}  // namespace

bool is_worker_thread() { return on_worker; }

// --- the job ---

// A ticket read long ago may look like today's, but then the swap takes a task of today's job; its
// body is read only afterwards, so it is today's too.
bool Team::claim(uint32_t& task) {
  uint64_t ticket = ticket_.load(std::memory_order_relaxed);
  while (has_work(ticket)) {
    if (ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      task = next_of(ticket);
      return true;
    }
  }
  return false;
}

// Takes all tasks that nobody has begun; returns how many.
uint32_t Team::cancel() {
  uint64_t ticket = ticket_.load(std::memory_order_relaxed);
  while (!ticket_.compare_exchange_weak(ticket, ticket_of(tasks_of(ticket), tasks_of(ticket)),
                                        std::memory_order_relaxed)) {
  }
  return tasks_of(ticket) - next_of(ticket);
}

void Team::run_task(uint32_t task) {
  const int64_t begin = task * tiles_per_task_;
  const int64_t end = std::min(begin + tiles_per_task_, tiles_);
  for (int64_t tile = begin; tile < end; ++tile) body_(tile);
}

void Team::keep_first_failure() {
  if (!has_failure_.exchange(true)) *failure_ = std::current_exception();
}

// Runs tasks until there are none; returns how many it ended, those it cancelled included.
uint32_t Team::take_part(Poll poll) {
  uint32_t ended = 0;
  for (uint32_t task; claim(task); ++ended) {
    if (ended == 0) set_float_mode(float_mode_);
    try {
      if (poll != nullptr && ended > 0 && poll()) {
        fail(Code::kInterrupted, "parallel_for", "", "interrupted by the user");
      }
      run_task(task);
    } catch (...) {
      keep_first_failure();
      ended += cancel();
    }
  }
  return ended;
}

void Team::run(int64_t tiles, Body body, Poll poll) {
  keep_workers_off_this_cpu();
  std::exception_ptr failure;
  failure_ = &failure;
  tiles_per_task_ = (tiles + kMaxTasks - 1) / kMaxTasks;
  const auto tasks = static_cast<uint32_t>((tiles + tiles_per_task_ - 1) / tiles_per_task_);
  body_ = body;
  tiles_ = tiles;
  float_mode_ = float_mode();
  finished_.store(0, std::memory_order_relaxed);
  ticket_.store(ticket_of(tasks, 0));
  wake(tasks);

  const uint32_t generation = generation_;
  const uint32_t mine = take_part(poll);
  if (generation == generation_) wait_for_tasks(tasks - mine, poll);
  if (generation != generation_) {  // a tile forked, or a signal handler that the poll ran
    fail(Code::kInvalid, "parallel_for", "forked", "the process forked while it computed; the ",
         "child has only a part of the results, so let it call exec or _exit");
  }
  if (failure) {
    has_failure_.store(false);
    std::rethrow_exception(std::move(failure));
  }
}

// Workers use the caller's memory, so an interrupt has to wait for them: it cancels the job, and
// their tasks poll for that.
void Team::wait_for_tasks(uint32_t count, Poll poll) {
  const auto all_ended = [&] { return finished_.load(std::memory_order_acquire) == count; };
  if (all_ended() || spin_until(spin_nanoseconds_, all_ended)) return;
  has_joiner_.store(true);
  const uint32_t generation = generation_;
  for (uint32_t seen; generation == generation_ && (seen = finished_.load()) != count;) {
    futex_wait(finished_, seen, kPollMilliseconds);
    if (poll == nullptr || has_failure_.load() || !poll()) continue;
    try {
      fail(Code::kInterrupted, "parallel_for", "", "interrupted by the user");
    } catch (...) {
      keep_first_failure();
    }
  }
  has_joiner_.store(false);
}

// --- the workers ---

void Team::worker_loop() {
  while (wait_for_work()) {
    const uint32_t ended = take_part(nullptr);
    if (ended == 0) continue;
    finished_.fetch_add(ended);
    if (has_joiner_.load()) futex_wake(finished_, 1);
  }
}

// False when the worker is to end.
bool Team::wait_for_work() {
  const auto called = [&] {
    return has_work(ticket_.load(std::memory_order_relaxed)) ||
           quit_.load(std::memory_order_relaxed);
  };
  while (!spin_until(spin_nanoseconds_, called)) park();
  return !quit_.load();
}

// The order matters: a worker says that it sleeps and then looks for work, the caller posts work
// and then looks for sleepers, so that one of them sees the other.
void Team::park() {
  sleepers_.fetch_add(1);
  const uint32_t seen = signal_.load();
  if (!has_work(ticket_.load()) && !quit_.load()) futex_wait(signal_, seen);
  sleepers_.fetch_sub(1);
}

void Team::wake(uint32_t tasks) {
  if (sleepers_.load() == 0) return;
  signal_.fetch_add(1);
  futex_wake(signal_, static_cast<int>(std::min<uint32_t>(tasks - 1, kMaxThreads)));
}

// After idling, the kernel may wake a worker on the caller's own CPU, and the join then waits for a
// time slice (3 to 8 ms). So workers may run anywhere but there; changed only when the caller has
// moved, as it costs microseconds.
void Team::keep_workers_off_this_cpu() {
  if (!can_move_workers_) return;
  const int cpu = sched_getcpu();
  if (cpu == callers_cpu_ || cpu < 0 || cpu >= CPU_SETSIZE) return;
  callers_cpu_ = cpu;
  cpu_set_t others = allowed_;
  CPU_CLR(cpu, &others);
  for (int i = 0; i < workers_; ++i) pthread_setaffinity_np(handles_[i], sizeof others, &others);
}

void* Team::worker_main(void* team) {
  on_worker = true;
  static_cast<Team*>(team)->worker_loop();
  return nullptr;
}

void Team::start_worker() {
  pthread_t& handle = handles_[workers_];
  const int error = pthread_create(&handle, nullptr, worker_main, this);
  if (error != 0) return;
  ++workers_;
  pthread_setname_np(handle, text("weft-", workers_).c_str());
}

void Team::stop_workers() {
  quit_.store(true);
  signal_.fetch_add(1);
  futex_wake(signal_);
  for (int i = 0; i < workers_; ++i) pthread_join(handles_[i], nullptr);
  workers_ = 0;
  quit_.store(false);
}

void Team::resize(int threads) {
  stop_workers();
  const bool known = sched_getaffinity(0, sizeof allowed_, &allowed_) == 0;
  can_move_workers_ = known && threads <= CPU_COUNT(&allowed_);
  callers_cpu_ = -1;
  // With more threads than CPUs, whoever spins keeps another from working.
  spin_nanoseconds_ = known && !can_move_workers_ ? 0 : kSpinNanoseconds;

  sigset_t all, before;  // signals are for the user's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 1; i < threads && workers_ == i - 1; ++i) start_worker();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (workers_ + 1 < threads) {
    log_warning("the system allows only ", workers_ + 1, " of the ", threads, " threads asked for");
  }
}

void Team::forget_workers() {
  ticket_.store(0);
  finished_.store(0);
  has_joiner_.store(false);
  sleepers_.store(0);
  quit_.store(false);
  has_failure_.store(false);
  workers_ = 0;
  ++generation_;
}

}  // namespace weft
