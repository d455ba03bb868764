// Threads that have done their work rest a while: the next pass, as of the next epoch, wakes one up
// sooner than it would start one.
#include "weft/data/crew.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "weft/base/punctual.h"

namespace weft::data {
namespace {

constexpr auto kRest = std::chrono::seconds(2), kPatience = std::chrono::seconds(5);

// Of this process: threads do not survive a fork.
struct UnderWay {
  std::mutex mutex;
  std::condition_variable ended;
  int64_t count = 0;
  pid_t process = getpid();
  std::atomic<bool> is_to_end{false};

  void add(int64_t change) {
    if (process != getpid()) count = 0;
    process = getpid();
    count += change;
  }
};
UnderWay& under_way() {
  static UnderWay& all = *new UnderWay;  // threads may outlive what is destroyed at exit
  return all;
}

// Counts a job until it is let go of.
class Counted {
 public:
  Counted() { add(1); }
  Counted(Counted&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  Counted& operator=(Counted&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
  }
  ~Counted() {
    if (process_ == getpid()) add(-1);
  }

 private:
  static void add(int64_t change) {
    const std::lock_guard lock(under_way().mutex);
    under_way().add(change);
    under_way().ended.notify_all();
  }
  pid_t process_ = getpid();
};

struct Job {
  Counted counted;  // longer than what the function holds
  std::function<void()> run;
};

class Crew {
 public:
  void give(Job job) {
    {
      const std::lock_guard lock(mutex_);
      if (process_ != getpid()) {  // as above
        process_ = getpid();
        resting_ = 0;
        jobs_.clear();
      }
      if (static_cast<int64_t>(jobs_.size()) < resting_) {
        jobs_.push_back(std::move(job));
        given_.notify_one();
        return;
      }
    }
    std::thread([this, job = std::move(job)]() mutable { work(std::move(job)); }).detach();
  }

 private:
  void work(Job first) {
    be_punctual();
    std::optional<Job> job = std::move(first);
    while (job) {
      job->run();
      job.reset();
      job = next_after_a_rest();
    }
  }
  std::optional<Job> next_after_a_rest() {
    std::unique_lock lock(mutex_);
    ++resting_;
    given_.wait_for(lock, kRest, [&] { return !jobs_.empty(); });
    --resting_;
    if (jobs_.empty()) return {};
    Job out = std::move(jobs_.front());
    jobs_.pop_front();
    return out;
  }

  std::mutex mutex_;
  std::condition_variable given_;
  std::deque<Job> jobs_;  // for those that rest; never more than they are
  int64_t resting_ = 0;
  pid_t process_ = getpid();
};
Crew& crew() {
  static Crew& all = *new Crew;  // as above
  return all;
}

}  // namespace

void give_to_crew(std::function<void()> job) { crew().give({Counted(), std::move(job)}); }

void wait_for_threads() {
  std::unique_lock lock(under_way().mutex);
  under_way().add(0);
  under_way().ended.wait_for(lock, kPatience, [] { return under_way().count == 0; });
}

void end_threads() {
  under_way().is_to_end.store(true);
  wait_for_threads();
}
bool are_threads_to_end() { return under_way().is_to_end.load(std::memory_order_relaxed); }

}  // namespace weft::data
