// The thread of run_apart, and how its caller waits.
#include "weft/base/run_apart.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "weft/base/error.h"
#include "weft/base/forks.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/thread_pool.h"

namespace weft {
namespace {

constexpr auto kNap = std::chrono::milliseconds(20);  // between polls

struct Job {
  std::function<void()> work;
  std::atomic<bool> is_left{false};  // nobody waits for it any more
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::exception_ptr failure;
};

void run(const std::shared_ptr<Job>& job) {
  std::exception_ptr failure;
  try {
    const auto is_left = [&] { return job->is_left.load(std::memory_order_relaxed); };
    const StopsWhen stops(is_left);
    job->work();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(job->mutex);
  job->failure = std::move(failure);
  job->has_ended = true;
  job->ended.notify_one();
}

// False if the system has no thread.
bool start(const std::shared_ptr<Job>& job) {
  sigset_t all, before;  // signals are for the user's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool has_started = true;
  try {
    std::thread(run, job).detach();
  } catch (const std::exception&) {
    has_started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return has_started;
}

}  // namespace

void run_apart(std::function<void()> work) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  const int forks = forks_so_far();
  if (!start(job)) return job->work();
  std::unique_lock lock(job->mutex);
  while (!job->ended.wait_for(lock, kNap, [&] { return job->has_ended; })) {
    lock.unlock();
    try {
      poll_interrupt();
      if (forks != forks_so_far()) {
        fail(Code::kInvalid, "run", "forked", "the process forked while it computed; the child ",
             "does not have the thread that did, so let it call exec or _exit");
      }
    } catch (...) {
      job->is_left.store(true);
      throw;
    }
    lock.lock();
  }
  job->work = nullptr;  // frees its captures on this thread
  if (job->failure) std::rethrow_exception(std::exchange(job->failure, nullptr));
}

}  // namespace weft
