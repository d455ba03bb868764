// Threads that have done their work rest a while: the next pass, as of the next epoch, wakes one up
// sooner than it would start one.
#include "weft/data/crew.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "weft/base/forks.h"
#include "weft/base/punctual.h"

namespace weft::data {
namespace {

constexpr auto kRest = std::chrono::seconds(2), kPatience = std::chrono::seconds(5);

class Crew;
Crew& crew();

// Counts a job until it is let go of.
class Counted {
 public:
  Counted();
  Counted(Counted&& other) noexcept : crew_(std::exchange(other.crew_, nullptr)) {}
  Counted& operator=(Counted&& other) noexcept {
    std::swap(crew_, other.crew_);
    return *this;
  }
  ~Counted();

 private:
  Crew* crew_;
};

struct Job {
  Counted counted;  // longer than what the function holds
  std::function<void()> run;
};

class Crew {
 public:
  std::atomic<bool> is_to_end{false};

  void give(Job job) {
    {
      const std::lock_guard lock(mutex_);
      if (static_cast<int64_t>(jobs_.size()) < resting_) {
        jobs_.push_back(std::move(job));
        given_.notify_one();
        return;
      }
    }
    std::thread([this, job = std::move(job)]() mutable { work(std::move(job)); }).detach();
  }
  void count(int64_t change) {
    const std::lock_guard lock(mutex_);
    under_way_ += change;
    ended_.notify_all();
  }
  void wait(std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, patience, [&] { return under_way_ == 0; });
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
  std::condition_variable given_, ended_;
  std::deque<Job> jobs_;  // for those that rest; never more than they are
  int64_t resting_ = 0, under_way_ = 0;
};

// Never destroyed: threads may outlive the objects that are destroyed at exit. Threads do not
// survive a fork, and one may have held the lock, so a forked child gets a new crew.
std::atomic<Crew*> current{nullptr};
Crew& crew() {
  [[maybe_unused]] static const bool once = [] {
    const auto renew = [] { current.store(new Crew); };
    renew();
    renew_in_children(renew);
    return true;
  }();
  return *current.load(std::memory_order_acquire);
}

Counted::Counted() : crew_(&crew()) { crew_->count(1); }
Counted::~Counted() {
  if (crew_ != nullptr && crew_ == current.load()) crew_->count(-1);
}

}  // namespace

void give_to_crew(std::function<void()> job) { crew().give({Counted(), std::move(job)}); }

void wait_for_threads() { crew().wait(kPatience); }

void end_threads() {
  crew().is_to_end.store(true);
  wait_for_threads();
}
bool are_threads_to_end() { return crew().is_to_end.load(std::memory_order_relaxed); }

}  // namespace weft::data
