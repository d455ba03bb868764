// IndexedNode: a source whose elements are known by number, in order.
#pragma once

#include <algorithm>

#include "weft/data/skippable.h"

namespace weft::data {

class IndexedNode : public Node, public Indexed {
 public:
  using Node::Node;

  const Indexed* indexed() const final { return this; }
  std::unique_ptr<Indices> indices(const Context&) const final {
    return std::make_unique<InOrder>(size());
  }
  int64_t cardinality() const override { return size(); }

 private:
  class InOrder final : public Indices, public Skippable {
   public:
    explicit InOrder(int64_t size) : size_(size) {}
    bool next(int64_t& index) override {
      if (position_ >= size_) return false;
      index = position_++;
      return true;
    }
    int64_t skip(int64_t count) override {
      const int64_t skipped = std::min(count, size_ - position_);
      position_ += skipped;
      return skipped;
    }
    void save(StateWriter to) const override { to.put("position", position_); }
    void restore(StateReader from) override {
      position_ = from.position("position");
      if (position_ > size_) from.fail_state("position", "is beyond the end");
    }

   private:
    const int64_t size_;
    int64_t position_ = 0;
  };
};

}  // namespace weft::data
