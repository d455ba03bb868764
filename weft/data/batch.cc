// batch: elements in a row become one, with a new first axis.
#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"
#include "weft/data/collect.h"
#include "weft/data/dataset.h"
#include "weft/data/options.h"

namespace weft::data {
namespace {

class Batch final : public Node {
 public:
  Batch(Ptr input, int64_t size, bool drop_remainder)
      : Node("batch", {std::move(input)}), size(size), drops_remainder(drop_remainder) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (all <= 0) return all;
    return drops_remainder ? all / size : (all - 1) / size + 1;
  }
  Spec spec() const override {
    Spec out = input().spec();
    const int64_t all = input().cardinality();
    const bool is_even = drops_remainder || all == kInfinite || (all >= 0 && all % size == 0);
    const Dim rows = is_even ? Dim(size) : varying();
    for (LeafSpec& leaf : out.leaves) {
      Shape shape{rows};
      for (const Dim extent : leaf.shape) shape.push_back(extent);
      leaf.shape = shape;
    }
    return out;
  }
  std::string text() const override {
    return weft::text("batch(", size, drops_remainder ? ", drop_remainder=true)" : ")");
  }

  const int64_t size;
  const bool drops_remainder;
};

class StackingCursor final : public CollectingCursor {
 public:
  StackingCursor(const Batch& node, const Context& cx) : CollectingCursor(node, cx), node_(node) {}

 protected:
  bool advance(Element& out) override {
    const std::vector<Element> all = collected(node_.size);
    const auto count = static_cast<int64_t>(all.size());
    if (count == 0 || (count < node_.size && node_.drops_remainder)) return false;
    out = stacked(all, "batch");
    return true;
  }

 private:
  const Batch& node_;
};

// Of elements known by number: one gather for a batch, and no elements in between.
class GatheringCursor final : public Cursor {
 public:
  GatheringCursor(const Batch& node, const Context& cx)
      : Cursor(node, cx),
        node_(node),
        source_(*node.input().indexed()),
        indices_(node.input().indices(cx)) {}

  void save(StateWriter to) const override { indices_->save(to.at(node_.input().name())); }
  void restore(StateReader from) override { indices_->restore(from.at(node_.input().name())); }
  bool is_small() const override { return indices_->is_small(); }

 protected:
  bool advance(Element& out) override {
    constexpr size_t kBetweenPolls = 1 << 16;
    numbers_.clear();
    int64_t number = 0;
    while (static_cast<int64_t>(numbers_.size()) < node_.size && indices_->next(number)) {
      numbers_.push_back(number);
      if (numbers_.size() % kBetweenPolls != 0) continue;
      poll_interrupt();
      require_memory();
    }
    const auto count = static_cast<int64_t>(numbers_.size());
    if (count == 0 || (count < node_.size && node_.drops_remainder)) return false;
    out = source_.gather(numbers_);
    out.rows = new_shared<const RowOrigins>(RowOrigins{numbers_, {}});
    return true;
  }

 private:
  // The numbers of the rows alone may be more than there is memory.
  void require_memory() const {
    const int64_t limit = memory_limit(), most = limit / 2 / static_cast<int64_t>(sizeof(int64_t));
    if (static_cast<int64_t>(numbers_.size()) <= most) return;
    fail(Code::kOutOfMemory, "batch", "size", "size is ", node_.size,
         ", and the numbers of more than ", most, " rows do not fit in the ", limit,
         " bytes of the memory limit; take smaller batches");
  }

  const Batch& node_;
  const Indexed& source_;
  std::unique_ptr<Indices> indices_;
  std::vector<int64_t> numbers_;
};

std::unique_ptr<Cursor> Batch::cursor(const Context& cx) const {
  const Indexed* const source = input().indexed();
  if (source != nullptr && source->can_gather()) {
    return std::make_unique<GatheringCursor>(*this, cx);
  }
  return std::make_unique<StackingCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::batch(int64_t size, BatchOptions options) const {
  require_positive("batch", "size", size);
  return Dataset(new_shared<const Batch>(node_, size, options.drop_remainder));
}

}  // namespace weft::data
