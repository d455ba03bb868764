// Run: what the iterators of one pass over a pipeline share: the byte budget, the order to stop,
// and the times of every stage.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "weft/base/mutex.h"
#include "weft/data/element.h"

namespace weft::data {

class Node;

// What a stage has done so far; nanoseconds.
struct StageTimes {
  std::atomic<int64_t> elements{0};
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> own{0};      // work of the stage itself, without the stages before it
  std::atomic<int64_t> starved{0};  // its buffer was empty: who takes from it had to wait
  std::atomic<int64_t> full{0};     // its buffer was full: its threads had to wait
  std::atomic<int64_t> budget{0};   // of that: not of elements, but of the bytes of all buffers
  std::atomic<int64_t> skipped{0};  // failing elements that were left out
  std::atomic<int64_t> workers{0};  // threads; 0: it runs in the thread that asks
  std::atomic<int64_t> here{0};     // elements that the thread that asks worked on though there are
};

class Run {
 public:
  explicit Run(int64_t budget) : budget_(budget) {}

  // `is_inner`: of all steps of the datasets that a step makes, such as those of flat_map.
  StageTimes& times_of(const Node& node, bool is_inner = false);

  // Bytes that buffers hold. `grown` says whether they are still within the budget; `try_grow` does
  // nothing if they would not be.
  bool grown(int64_t bytes) { return held_.fetch_add(bytes) + bytes <= budget_; }
  bool try_grow(int64_t bytes) {
    int64_t held = held_.load();
    while (bytes <= budget_ - held) {
      if (held_.compare_exchange_weak(held, held + bytes)) return true;
    }
    return false;
  }
  void shrunk(int64_t bytes) { held_.fetch_sub(bytes); }
  bool has_room_for(int64_t bytes) const { return bytes <= budget_ - held_.load(); }
  int64_t held() const { return held_.load(); }
  int64_t budget() const { return budget_; }

  // Of who takes elements: how many it has, when it asked for the first, when it last had one, and
  // how long it did other things in between. Whoever explains reads them meanwhile.
  std::atomic<int64_t> given{0}, began{0}, left{0}, outside{0};

  // Ends the threads of all stages.
  void stop() { is_stopping_.store(true); }
  bool is_stopping() const { return is_stopping_.load(std::memory_order_relaxed); }

 private:
  Mutex mutex_;
  std::map<std::pair<const Node*, bool>, std::unique_ptr<StageTimes>> times_;
  std::atomic<int64_t> held_{0};
  const int64_t budget_;
  std::atomic<bool> is_stopping_{false};
};

// Another seed for each number.
uint64_t folded(uint64_t seed, uint64_t number);

// Which pass over the pipeline it is, and what its iterators share.
struct Context {
  std::shared_ptr<Run> run;
  uint64_t epoch = 0;
  uint64_t seed = 0;             // of the default generator when the pass began: for draws in it
  Shared<const Node> root = {};  // of the pipeline: threads that are left behind keep it
  const Node* maker = nullptr;   // the step whose function made the pipeline, if one did

  // Of round r of a part that is passed over several times.
  Context round(int64_t r) const;
  // Of a pipeline that the function of a step made.
  Context inside(const Node& maker, Shared<const Node> root) const;
  StageTimes& times_of(const Node& node) const {
    return maker == nullptr ? run->times_of(node) : run->times_of(*maker, true);
  }
};

// Bytes held by the elements of a buffer, counted against the budget for as long as it lives.
class Held {
 public:
  explicit Held(std::shared_ptr<Run> run) : run_(std::move(run)) {}
  ~Held() { run_->shrunk(bytes_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool add(int64_t bytes) {
    bytes_ += bytes;
    return run_->grown(bytes);
  }
  bool try_add(int64_t bytes) {
    if (!run_->try_grow(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void remove(int64_t bytes) {
    bytes_ -= bytes;
    run_->shrunk(bytes);
  }
  // The same for a buffer that cannot do with less: raises [who.budget].
  void add_or_fail(int64_t bytes, std::string_view who);

 private:
  std::shared_ptr<Run> run_;
  int64_t bytes_ = 0;
};

int64_t nanoseconds_now();

// Time that passes while it lives is the stage's own, but for that of clocks that start inside.
class StageClock {
 public:
  explicit StageClock(StageTimes& times);
  ~StageClock();
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

 private:
  StageTimes& times_;
  const int64_t start_;
  int64_t inside_ = 0;  // of clocks that started within
  StageClock* const outer_;
};

}  // namespace weft::data
