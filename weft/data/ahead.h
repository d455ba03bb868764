// Ahead: a step whose threads work before they are asked: what prefetch and parallel maps are.
//
// Threads take elements of the input in its order, one at a time, work on them side by side, and
// hand them out in that order again: the number of threads changes no result. They belong to the
// iterator, not to the pool of the kernels, and end when the iterator is dropped. Work that takes
// no longer than to hand an element over is done by the thread that asks, and they rest.
#pragma once

#include <functional>

#include "weft/base/function_ref.h"
#include "weft/data/node.h"

namespace weft::data {

struct AheadOptions {
  int workers = 1;
  int64_t most = 2;                         // elements that are ready or under way
  std::function<void(Element&)> work = {};  // done on an element, by many threads at once
  // Called around the work on some elements in a row: takes a lock once for all of them.
  std::function<void(FunctionRef<void()>)> around = {};
  int64_t hand_over = kHandOver;  // shorter work is done by the thread that asks
  // Does that thread make the first element, which nothing was ahead of?
  bool makes_first_here = false;
};

class Ahead final : public Cursor {
 public:
  Ahead(const Node& node, const Context& cx, std::unique_ptr<Cursor> input, AheadOptions options);
  ~Ahead() override;

  void save(StateWriter to) const override;
  void restore(StateReader from) override;
  bool is_small() const override;
  bool is_ready() const override;

 protected:
  bool advance(Element& out) override;

 private:
  class Core;
  std::shared_ptr<Core> core_;  // the threads hold it too
};

}  // namespace weft::data
