// CollectingCursor: gathers elements of its input until they make one; what batches are.
#pragma once

#include "weft/data/node.h"

namespace weft::data {

class CollectingCursor : public InputCursor {
 public:
  using InputCursor::InputCursor;

  // Elements are held between calls only if an error came in between.
  void save(StateWriter to) const override {
    to.put("collected", collected_);
    InputCursor::save(to);
  }
  void restore(StateReader from) override {
    collected_ = from.elements("collected");
    InputCursor::restore(from);
  }

 protected:
  // At least one, at most `count`; an error on the way leaves what was collected for the next call.
  std::vector<Element> collected(int64_t count) {
    Element element;
    while (static_cast<int64_t>(collected_.size()) < count && input().next(element)) {
      collected_.push_back(std::move(element));
    }
    return std::exchange(collected_, {});
  }

 private:
  std::vector<Element> collected_;
};

}  // namespace weft::data
