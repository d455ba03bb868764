// Threads that work ahead, and the queue between them and who takes their elements.
#include "weft/data/ahead.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "weft/base/forks.h"
#include "weft/base/interrupt_poll.h"
#include "weft/base/thread_pool.h"
#include "weft/data/crew.h"

namespace weft::data {
namespace {

// How long anyone sleeps before it looks whether it is to stop, or Ctrl-C came.
constexpr auto kNap = std::chrono::milliseconds(20);
// Threads take several elements at a time if the work on one is short: about so many nanoseconds'
// worth, and so many elements at most.
constexpr int64_t kWorthwhile = 200'000, kMostAtOnce = 32;
// Who takes elements more often than that, in nanoseconds, does not wake threads up as long as
// there are some: that takes 15 us where cores sleep deeply. Threads look by themselves, by the
// clock.
constexpr int64_t kOften = 1'000'000, kShortNap = 20'000;

std::string what_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown exception";
  }
}

// Which of the last pieces of work were shorter than some nanoseconds.
class Recent {
 public:
  explicit Recent(int64_t limit) : limit_(limit) {}
  void add(int64_t each) { were_short_ = were_short_ << 1 | (each < limit_ ? 1 : 0); }
  // Most of them: one that was interrupted changes nothing.
  bool are_short() const { return std::popcount(were_short_ & 0xff) >= 5; }

 private:
  int64_t limit_;
  uint32_t were_short_ = 0;
};

}  // namespace

class Ahead::Core : public std::enable_shared_from_this<Ahead::Core> {
 public:
  Core(const Node& node, const Context& cx, std::unique_ptr<Cursor> input, AheadOptions options)
      : root_(cx.root),
        run_(cx.run),
        times_(cx.times_of(node)),
        held_(cx.run),
        input_(std::move(input)),
        options_(std::move(options)),
        is_small_(input_->is_small()),
        recent_(options_.hand_over),
        here_(options_.hand_over) {
    times_.workers.store(options_.workers);
  }

  bool take(Element& out) {
    require_threads();
    if (is_here_) return make_here(out);
    if (!has_begun_) {
      if (options_.makes_first_here && slots_.empty()) return make_first(out);
      begin();
    }
    std::unique_lock lock(mutex_);
    wait_for_first(lock);
    if (slots_.empty()) {
      if (has_ended_) return false;
      is_here_ = true;
      here_ = std::exchange(recent_, Recent(options_.hand_over));
      own_before_ = times_.own.load(std::memory_order_relaxed);
      lock.unlock();
      return make_here(out);
    }
    const std::shared_ptr<Slot> slot = slots_.front();
    slots_.pop_front();
    held_.remove(slot->bytes);
    note_taken();
    // To wake a thread up may take longer than the work that it does: they wait for half of the
    // queue.
    const bool is_low = static_cast<int64_t>(slots_.size()) <= (most() - 1) / 2;
    const bool wakes = slots_.empty() || (is_low && between_ > kOften);
    lock.unlock();
    if (wakes) room_.notify_all();
    // What failed goes to whoever takes it, and ends there.
    if (slot->failure != nullptr) std::rethrow_exception(std::exchange(slot->failure, nullptr));
    out = std::move(slot->element);
    return true;
  }

  void stop() {
    is_stopping_.store(true);
    if (has_lost_threads()) return;
    const std::lock_guard lock(mutex_);
    room_.notify_all();
    ready_.notify_all();
  }

  bool is_small() const { return is_small_; }

  bool is_ready() {
    if (has_lost_threads()) return false;
    const std::lock_guard lock(mutex_);
    return !is_here_ && !slots_.empty() && slots_.front()->is_done;
  }

  void save(StateWriter to) {
    require_threads();
    std::unique_lock lock(mutex_);
    if (is_small_ && put_before(to)) return;
    lock.unlock();
    // Nobody takes from the input meanwhile. A thread that does may take long.
    std::unique_lock input_lock(input_mutex_, std::defer_lock);
    while (!input_lock.try_lock()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      poll_interrupt();
      require_threads();
    }
    lock.lock();
    if (is_small_) {
      if (!put_before(to)) input_->save(to.at("input"));
      return;
    }
    const auto are_done = [&] {
      for (const std::shared_ptr<Slot>& slot : slots_) {
        if (!slot->is_done) return false;
      }
      return true;
    };
    while (!ready_.wait_for(lock, kNap, are_done)) {
      lock.unlock();
      poll_interrupt();
      require_threads();
      lock.lock();
    }
    std::vector<Element> done;
    for (size_t i = 0; i < slots_.size(); ++i) {
      done.push_back(slots_[i]->element);
      if (slots_[i]->failure == nullptr) continue;
      done.back() = Element(what_of(slots_[i]->failure));
      to.put(text("failed", i), int64_t{1});
    }
    to.put("ready", done);
    input_->save(to.at("input"));
  }

  void restore(StateReader from) {
    input_->restore(from.at("input"));
    if (is_small_) return;
    for (Element& element : from.elements("ready")) {
      auto slot = std::make_shared<Slot>();
      if (from.has(text("failed", slots_.size()))) {
        slot->failure = std::make_exception_ptr(
            Error(Code::kInvalid, "data", "restored",
                  text("an element had failed before the state was saved: ", element.text())));
      } else {
        slot->element = std::move(element);
      }
      slot->is_done = true;
      slot->bytes = slot->element.bytes();
      held_.add(slot->bytes);
      slots_.push_back(std::move(slot));
    }
  }

 private:
  struct Slot {
    Element element;
    std::exception_ptr failure;
    State before;         // of the input, if that is small
    int64_t bytes = 0;    // of the budget that it takes: what is expected, then what it is
    bool passes = false;  // there was no room for it, and yet it must be: what it needs beyond
                          // `bytes` counts for nothing
    bool is_done = false;
  };

  // In the child of a fork the threads do not exist. They may have held the locks, and left their
  // work half done.
  bool has_lost_threads() const { return has_begun_ && forks_ != forks_so_far(); }
  void require_threads() const {
    if (!has_lost_threads()) return;
    fail(Code::kInvalid, "data", "forked",
         "the iterator has threads of the process that this one was forked from; make another one, "
         "by iter(dataset), in the child, or load_state_dict of what state_dict() gave before the "
         "fork into it");
  }

  void begin() {
    has_begun_ = true;
    forks_ = forks_so_far();
    for (int i = 0; i < options_.workers; ++i) {
      try {
        give_to_crew([core = shared_from_this()] { core->work(); });
      } catch (const std::system_error& error) {  // one thread does it too
        if (i == 0)
          fail(Code::kOutOfMemory, "data", "threads", "no thread can be started: ", error.what());
        return;
      }
    }
  }

  void wait_for_first(std::unique_lock<std::mutex>& lock) {
    const auto is_ready = [&] {
      return slots_.empty() ? has_ended_ || (recent_.are_short() && pulling_ == 0)
                            : slots_.front()->is_done;
    };
    if (is_ready()) return;
    const int64_t start = nanoseconds_now();
    while (!ready_.wait_for(lock, kNap, is_ready)) {
      require_going_on();
      lock.unlock();
      poll_interrupt();
      require_threads();  // a signal handler may have forked
      lock.lock();
    }
    const int64_t waited = nanoseconds_now() - start;
    times_.starved.fetch_add(waited, std::memory_order_relaxed);
    times_.own.fetch_sub(waited,
                         std::memory_order_relaxed);  // the clock around it counts it as work
  }

  // The first element, while the threads start: that takes longer than to make most.
  bool make_first(Element& out) {
    {
      const std::lock_guard input_lock(input_mutex_);  // theirs are those behind it
      begin();
      if (!input_->next(out)) {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
        room_.notify_all();
        return false;
      }
    }
    if (options_.work) options_.work(out);
    const std::lock_guard lock(mutex_);
    bytes_each_ = std::max(bytes_each_, out.bytes());
    note_taken();
    return true;
  }

  // The next element, by the thread that asks: the others rest, and what they share is its own.
  bool make_here(Element& out) {
    const int64_t own = times_.own.load(std::memory_order_relaxed);
    here_.add(own - own_before_);  // of the element before
    own_before_ = own;
    if (!here_.are_short()) {
      {
        const std::lock_guard lock(mutex_);
        is_here_ = false;
      }
      room_.notify_all();
      return take(out);
    }
    if (!input_->next(out)) {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
      is_here_ = false;
      return false;
    }
    times_.here.fetch_add(1, std::memory_order_relaxed);
    options_.work(out);
    return true;
  }

  bool is_stopping() const {
    return is_stopping_.load() || run_->is_stopping() || are_threads_to_end();
  }

  void require_going_on() const {
    if (!is_stopping()) return;
    fail(Code::kInterrupted, "data", "", "the iterator was dropped, or the process ends");
  }

  // What the input was before the first element that nobody has taken yet.
  bool put_before(StateWriter to) const {
    if (slots_.empty() && !pending_) return false;
    for (const auto& [name, value] : slots_.empty() ? *pending_ : slots_.front()->before) {
      to.put(name, value);
    }
    return true;
  }

  int64_t at_once() const {
    if (!options_.work) return 1;
    return std::clamp<int64_t>(kWorthwhile / (1 + each_.load(std::memory_order_relaxed)), 1,
                               kMostAtOnce);
  }
  int64_t most() const { return options_.most + 2 * options_.workers * (at_once() - 1); }
  bool has_place() const {
    return !is_here_ && !recent_.are_short() && static_cast<int64_t>(slots_.size()) < most();
  }
  // One as large as the largest so far must fit into the budget: its bytes are taken before it is
  // made. If there is nothing else, one passes that does not.
  bool has_room() const {
    return has_place() && (slots_.empty() || run_->has_room_for(bytes_each_));
  }
  bool take_room(Slot& slot) {
    if (!has_place()) return false;
    if (held_.try_add(bytes_each_)) {
      slot.bytes = bytes_each_;
      return true;
    }
    slot.passes = slots_.empty();
    return slot.passes;
  }

  void note_taken() {
    const int64_t now = nanoseconds_now();
    if (taken_at_ != 0) between_ = (between_ + (now - taken_at_)) / 2;
    taken_at_ = now;
  }
  // Until a quarter of the queue will have been taken, at least one, if elements are taken often;
  // if they are later than that, for a quarter of the time between two, then for longer and longer.
  std::chrono::nanoseconds nap_after(int64_t waited) const {
    if (between_ > kOften) return kNap;
    const int64_t due = taken_at_ + between_ * std::max<int64_t>(1, most() / 4);
    const int64_t left = due - nanoseconds_now(), later = std::max(between_, waited) / 4;
    return std::chrono::nanoseconds(std::clamp<int64_t>(left > 0 ? left : later, kShortNap,
                                                        std::chrono::nanoseconds(kNap).count()));
  }

  // From then on it is one of those that take from the input.
  void wait_for_room() {
    std::unique_lock lock(mutex_);
    const auto is_due = [&] { return is_stopping() || has_ended_ || has_room(); };
    if (!is_due()) {
      const int64_t start = nanoseconds_now();
      int64_t since = start;
      for (bool waits = true; waits;) {  // nap by nap: it may be asked meanwhile
        const bool rests = is_here_ || recent_.are_short(), is_budget = has_place();
        waits = !room_.wait_for(lock, nap_after(since - start), is_due);
        const int64_t now = nanoseconds_now(), waited = now - std::exchange(since, now);
        if (!rests) times_.full.fetch_add(waited, std::memory_order_relaxed);
        if (is_budget) times_.budget.fetch_add(waited, std::memory_order_relaxed);
      }
    }
    ++pulling_;
  }
  struct Pulling {
    explicit Pulling(Core& core) : core(core) {}
    ~Pulling() {
      const std::lock_guard lock(core.mutex_);
      if (--core.pulling_ == 0 && core.recent_.are_short()) core.ready_.notify_all();
    }
    Pulling(const Pulling&) = delete;
    Pulling& operator=(const Pulling&) = delete;
    Core& core;
  };

  // New places at the end of the queue, with the next elements of the input; none at the end.
  std::vector<std::shared_ptr<Slot>> pulled() {
    std::vector<std::shared_ptr<Slot>> out;
    while (out.empty()) {
      wait_for_room();
      const Pulling until_then(*this);
      const std::lock_guard input_lock(input_mutex_);
      for (int64_t left = at_once(); left > 0; --left) {
        auto slot = std::make_shared<Slot>();
        {
          const std::lock_guard lock(mutex_);
          if (is_stopping() || has_ended_) return out;
          if (!take_room(*slot)) break;  // another thread was faster
        }
        if (!pull(slot)) return out;
        out.push_back(std::move(slot));
      }
    }
    return out;
  }

  bool pull(const std::shared_ptr<Slot>& slot) {
    bool has_one = true;
    try {
      if (is_small_) {
        input_->save(StateWriter(slot->before, "input/"));
        const std::lock_guard lock(mutex_);
        pending_ = slot->before;
      }
      const StageClock clock(times_);
      has_one = input_->next(slot->element);
    } catch (...) {
      slot->failure = std::current_exception();
    }
    // What is dropped is dropped outside of the lock: it may belong to a language with one of its
    // own.
    std::optional<State> dropped;
    const std::lock_guard lock(mutex_);
    pending_.swap(dropped);
    if (has_one) {
      slots_.push_back(slot);
      return true;
    }
    held_.remove(slot->bytes);
    has_ended_ = true;
    ready_.notify_all();
    room_.notify_all();
    return false;
  }

  void work() {
    const auto is_over = [&] { return is_stopping(); };
    const StopsWhen stops(is_over);  // a filter may never find an element
    while (true) {
      const std::vector<std::shared_ptr<Slot>> slots = pulled();
      if (slots.empty()) return;
      const auto all = [&] {
        const int64_t start = nanoseconds_now();
        for (const std::shared_ptr<Slot>& slot : slots) work_on(*slot);
        const int64_t each = (nanoseconds_now() - start) / static_cast<int64_t>(slots.size());
        each_.store((each_.load(std::memory_order_relaxed) + each) / 2, std::memory_order_relaxed);
        const std::lock_guard lock(mutex_);
        if (options_.work) recent_.add(each);
      };
      if (options_.around) {
        options_.around(all);
      } else {
        all();
      }
      ready_.notify_all();
    }
  }

  void work_on(Slot& slot) {
    Element element = std::move(slot.element);
    std::exception_ptr failure = std::exchange(slot.failure, nullptr);
    if (failure == nullptr && options_.work) {
      try {
        require_going_on();
        const StageClock clock(times_);
        options_.work(element);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    const std::lock_guard lock(mutex_);
    slot.element = std::move(element);
    slot.failure = std::move(failure);
    slot.is_done = true;
    const int64_t bytes = slot.element.bytes();
    bytes_each_ = std::max(bytes_each_, bytes);
    if (!slot.passes) count(slot, bytes);
    // Who waits for it waits for the others too, unless they take long.
    if (each_.load(std::memory_order_relaxed) > kWorthwhile) ready_.notify_all();
  }

  // The first element, and one that is larger than those before it, need more than was taken for
  // them. If others have it, they pass.
  void count(Slot& slot, int64_t bytes) {
    const int64_t more = bytes - slot.bytes;
    slot.passes = more > 0 && !held_.try_add(more);
    if (slot.passes) return;
    if (more < 0) held_.remove(-more);
    slot.bytes = bytes;
  }

  const Node::Ptr root_;  // the input goes first
  const std::shared_ptr<Run> run_;
  StageTimes& times_;
  Held held_;
  std::mutex input_mutex_;  // for the input; taken before the other
  const std::unique_ptr<Cursor> input_;
  const AheadOptions options_;
  const bool is_small_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::deque<std::shared_ptr<Slot>> slots_;  // in the order of the input
  std::optional<State> pending_;             // of the input, while the next one is taken from it
  int64_t bytes_each_ = 0;                   // of the largest element so far
  int64_t taken_at_ = 0;                     // when the last one was, in nanoseconds
  int64_t between_ = kOften / 2;             // nanoseconds from one to the next, about
  int pulling_ = 0;                          // threads that take from the input, or are about to
  Recent recent_;                            // by threads
  bool has_ended_ = false, has_begun_ = false;
  int forks_ = 0;  // forks_so_far() when the threads started
  // Does the thread that asks work itself? It changes that, under the lock; its own are the last
  // elements, and the time that all took before.
  bool is_here_ = false;
  Recent here_;
  int64_t own_before_ = 0;
  std::atomic<bool> is_stopping_{false};
  std::atomic<int64_t> each_{kWorthwhile};  // nanoseconds of work on an element, about
};

Ahead::Ahead(const Node& node, const Context& cx, std::unique_ptr<Cursor> input,
             AheadOptions options)
    : Cursor(node, cx),
      core_(std::make_shared<Core>(node, cx, std::move(input), std::move(options))) {}
Ahead::~Ahead() { core_->stop(); }
bool Ahead::advance(Element& out) { return core_->take(out); }
bool Ahead::is_small() const { return core_->is_small(); }
bool Ahead::is_ready() const { return core_->is_ready(); }
void Ahead::save(StateWriter to) const { core_->save(to); }
void Ahead::restore(StateReader from) { core_->restore(from); }

}  // namespace weft::data
