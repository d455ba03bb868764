// Node: one step of a pipeline, as a description; Cursor: such a step as it runs.
#pragma once

#include <optional>
#include <span>

#include "weft/base/mutex.h"
#include "weft/data/run.h"
#include "weft/data/state.h"

namespace weft::data {

inline constexpr int64_t kUnknown = -1, kInfinite = -2;  // cardinalities
// What it costs to hand an element to a thread and back, in nanoseconds: its place in a queue, the
// state before it, its share of waking up who waits.
inline constexpr int64_t kHandOver = 5'000;

// What is known of the elements before any is made; a symbol stands for a size that may vary.
struct LeafSpec {
  bool is_text = false;
  DType dtype = DType::kF32;
  Shape shape;
};
struct Spec {
  Shared<const Form> form;
  std::vector<LeafSpec> leaves;
};
Spec spec_of(const Element& element);
// A size that may vary: a symbol of its own, that values decide (docs/design/data_shapes.md).
Dim varying();

class Cursor {
 public:
  // Not every cursor is a step: some only feed the threads of one, which counts and times by
  // itself.
  enum Counted : bool { kUncounted, kCounted };

  Cursor(const Node& node, const Context& cx, Counted counted = kCounted)
      : times_(&cx.times_of(node)), is_counted_(counted == kCounted) {}
  virtual ~Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // The next element; false at the end, and ever after. One that raises has passed over the element
  // that failed: the next call goes on behind it.
  bool next(Element& out);

  // Where it stands, and the same again in an iterator that has not begun.
  virtual void save(StateWriter to) const = 0;
  virtual void restore(StateReader from) = 0;
  // Is its state so short that it can be saved at every element?
  virtual bool is_small() const { return true; }
  // Is there an element that was made before, so that `next` gives it at once?
  virtual bool is_ready() const { return false; }

 protected:
  virtual bool advance(Element& out) = 0;
  StageTimes& times() const { return *times_; }

 private:
  StageTimes* times_;
  const bool is_counted_;
};

// Elements by their number.
class Indexed {
 public:
  virtual ~Indexed() = default;
  virtual int64_t size() const = 0;
  virtual Element get(int64_t index) const = 0;
  // Those elements as one batch, for sources that make one without making its elements first.
  virtual bool can_gather() const { return false; }
  virtual Element gather(std::span<const int64_t>) const { return {}; }
  // Threads that `get` is worth; 0: it runs in the thread that asks.
  virtual int workers() const { return 0; }
};

// The numbers of elements, in the order in which they come.
class Indices {
 public:
  virtual ~Indices() = default;
  virtual bool next(int64_t& index) = 0;
  virtual void save(StateWriter to) const = 0;
  virtual void restore(StateReader from) = 0;
  virtual bool is_small() const { return true; }
};

class Node {
 public:
  using Ptr = Shared<const Node>;

  explicit Node(std::string name, std::vector<Ptr> inputs = {})
      : name_(std::move(name)), inputs_(std::move(inputs)) {}
  virtual ~Node() = default;

  virtual std::unique_ptr<Cursor> cursor(const Context& cx) const;
  virtual int64_t cardinality() const { return kUnknown; }
  virtual Spec spec() const;  // by its first element, if nothing else tells
  virtual bool has_function() const { return false; }  // of the user's, which may draw
  // "batch(32)": a line of the tree.
  virtual std::string text() const { return name_ + "()"; }

  // The source whose elements come here in some order, and that order: for steps that only choose
  // among elements. Null for all others.
  virtual const Indexed* indexed() const { return nullptr; }
  virtual std::unique_ptr<Indices> indices(const Context&) const { return nullptr; }

  const std::string& name() const { return name_; }
  const std::vector<Ptr>& inputs() const { return inputs_; }
  const Node& input() const { return *inputs_[0]; }

  // The passes over it: how many began.
  int64_t begin_pass() const { return passes_.fetch_add(1); }
  void set_passes(int64_t passes) const { passes_.store(passes); }
  // The latest pass of which elements were asked for; null before the first.
  std::shared_ptr<Run> latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  void set_latest(std::shared_ptr<Run> run) const {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(run);
  }

 private:
  const std::string name_;
  const std::vector<Ptr> inputs_;
  mutable std::atomic<int64_t> passes_{0};
  mutable Mutex mutex_;
  mutable std::shared_ptr<Run> latest_;
};

// Counts what is left of elements that are passed over.
inline int64_t cardinality_times(int64_t each, int64_t count) {
  if (each == 0 || count == 0) return 0;
  return each < 0 ? each : checked_mul(each, count);
}

// The iterator of one input, as most steps have it.
class InputCursor : public Cursor {
 public:
  InputCursor(const Node& node, const Context& cx, Counted counted = kCounted)
      : Cursor(node, cx, counted),
        input_(node.input().cursor(cx)),
        input_name_(node.input().name()) {}

  void save(StateWriter to) const override { input_->save(to.at(input_name_)); }
  void restore(StateReader from) override { input_->restore(from.at(input_name_)); }
  bool is_small() const override { return input_->is_small(); }

 protected:
  Cursor& input() const { return *input_; }

 private:
  std::unique_ptr<Cursor> input_;
  const std::string input_name_;
};

}  // namespace weft::data
