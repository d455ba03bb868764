// window: batches of elements in a row that may overlap, or leave elements out in between.
#include <algorithm>
#include <deque>

#include "weft/base/thread_pool.h"
#include "weft/data/dataset.h"
#include "weft/data/options.h"

namespace weft::data {
namespace {

class Window final : public Node {
 public:
  Window(Ptr input, int64_t size, WindowOptions options)
      : Node("window", {std::move(input)}), size(size), options(options) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  // From its first element to its last; INT64_MAX if that is more.
  int64_t reach() const {
    int64_t steps = 0;
    if (__builtin_mul_overflow(size - 1, options.stride, &steps) || steps == INT64_MAX) {
      return INT64_MAX;
    }
    return steps + 1;
  }
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    if (all < 0) return all;
    if (!options.drop_remainder) return all == 0 ? 0 : (all - 1) / options.shift + 1;
    return all < reach() ? 0 : (all - reach()) / options.shift + 1;
  }
  Spec spec() const override {
    Spec out = input().spec();
    const Dim rows =
        options.drop_remainder || input().cardinality() == kInfinite ? Dim(size) : varying();
    for (LeafSpec& leaf : out.leaves) {
      Shape shape{rows};
      for (const Dim extent : leaf.shape) shape.push_back(extent);
      leaf.shape = shape;
    }
    return out;
  }
  std::string text() const override {
    return weft::text("window(", size, ", shift=", options.shift, ", stride=", options.stride,
                      options.drop_remainder ? ", drop_remainder=true)" : ")");
  }

  const int64_t size;
  const WindowOptions options;
};

class WindowCursor final : public InputCursor {
 public:
  WindowCursor(const Window& node, const Context& cx) : InputCursor(node, cx), node_(node) {}

  void save(StateWriter to) const override {
    to.put("ahead", std::vector<Element>(ahead_.begin(), ahead_.end()));
    to.put("to_skip", to_skip_);
    InputCursor::save(to);
  }
  void restore(StateReader from) override {
    for (Element& element : from.elements("ahead")) ahead_.push_back(std::move(element));
    to_skip_ = from.position("to_skip");
    InputCursor::restore(from);
  }
  bool is_small() const override { return false; }

 protected:
  bool advance(Element& out) override {
    Element element;
    for (; to_skip_ > 0; --to_skip_) {
      poll_interrupt();
      if (!input().next(element)) return false;
    }
    const int64_t reach = node_.reach();
    while (static_cast<int64_t>(ahead_.size()) < reach && input().next(element)) {
      ahead_.push_back(std::move(element));
    }
    const auto count = static_cast<int64_t>(ahead_.size());
    if (count == 0 || (count < reach && node_.options.drop_remainder)) return false;
    std::vector<Element> window;
    for (int64_t i = 0; i < count; i += std::min(node_.options.stride, count)) {
      window.push_back(ahead_[static_cast<size_t>(i)]);
    }
    const int64_t shift = node_.options.shift, drop = std::min(shift, count);
    ahead_.erase(ahead_.begin(), ahead_.begin() + drop);
    to_skip_ = shift - drop;
    out = stacked(window, "window");
    return true;
  }

 private:
  const Window& node_;
  std::deque<Element> ahead_;  // from the first element of the next window on
  int64_t to_skip_ = 0;        // elements of the input before that
};

std::unique_ptr<Cursor> Window::cursor(const Context& cx) const {
  return std::make_unique<WindowCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::window(int64_t size, WindowOptions options) const {
  require_positive("window", "size", size);
  if (options.shift == 0) options.shift = size;
  require_positive("window", "shift", options.shift);
  require_positive("window", "stride", options.stride);
  return Dataset(new_shared<const Window>(node_, size, options));
}

}  // namespace weft::data
