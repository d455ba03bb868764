// Team: the workers behind parallel_for, and how they share the tiles of one job.
//
// A job is a number of tasks handed out by one 64-bit ticket (tasks | next): whoever moves `next`
// by compare-and-swap owns that task. The job ends when the finished tasks are counted, not when
// the workers have looked: a worker whose core was taken away costs only the task it holds.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <exception>

#include "weft/base/function_ref.h"

namespace weft {

// True on threads of the team.
bool is_worker_thread();

class Team {
 public:
  static constexpr int kMaxThreads = 1024;
  using Body = FunctionRef<void(int64_t)>;
  using Poll = bool (*)();

  // All of these are for the one thread that holds the pool.
  void resize(int threads);  // workers + 1; starts fewer if the system refuses
  int threads() const { return workers_ + 1; }
  void run(int64_t tiles, Body body, Poll poll);

  // Has a task of the job that runs failed, or was it interrupted? For those who run its tasks.
  bool is_cancelled() const { return has_failure_.load(std::memory_order_relaxed); }

  // In the child of a fork the workers are gone: forget them and whatever they were doing.
  void forget_workers();

 private:
  static void* worker_main(void* team);
  void start_worker();
  void stop_workers();
  void worker_loop();
  bool wait_for_work();
  void park();
  void wake(uint32_t tasks);
  void keep_workers_off_this_cpu();

  bool claim(uint32_t& task);
  uint32_t cancel();
  uint32_t take_part(Poll poll);
  void run_task(uint32_t task);
  void keep_first_failure();
  void wait_for_tasks(uint32_t count, Poll poll);

  // What workers read when they take a task sits on one cache line with the ticket.
  alignas(64) std::atomic<uint64_t> ticket_{0};
  Body body_;
  int64_t tiles_ = 0;
  int64_t tiles_per_task_ = 1;
  uint32_t float_mode_ = 0;  // the caller's rounding and denormal modes hold for all tiles

  alignas(64) std::atomic<uint32_t> finished_{0};  // tasks that workers have ended
  std::atomic<bool> has_joiner_{false};            // the caller sleeps on finished_

  alignas(64) std::atomic<uint32_t> signal_{0};  // parked workers sleep on it
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> quit_{false};

  alignas(64) std::atomic<bool> has_failure_{false};
  std::exception_ptr* failure_ = nullptr;  // where the caller waits for it
  uint32_t generation_ = 0;                // how many forks lie behind this process
  int workers_ = 0;
  int64_t spin_nanoseconds_ = 0;
  int callers_cpu_ = -1;
  bool can_move_workers_ = false;
  cpu_set_t allowed_{};
  pthread_t handles_[kMaxThreads]{};
};

}  // namespace weft
