// CountingCursor: a step of one input that knows the numbers of its elements, for errors.
#pragma once

#include "weft/data/node.h"

namespace weft::data {

class CountingCursor : public InputCursor {
 public:
  using InputCursor::InputCursor;

  void save(StateWriter to) const override {
    to.put("number", number_);
    InputCursor::save(to);
  }
  void restore(StateReader from) override {
    number_ = from.position("number");
    InputCursor::restore(from);
  }

 protected:
  // The next element of the input, with its number.
  bool next_numbered(Element& out) {
    if (!input().next(out)) return false;
    out.number = number_++;
    return true;
  }

 private:
  int64_t number_ = 0;
};

}  // namespace weft::data
