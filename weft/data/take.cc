// take: the first elements.
#include <algorithm>

#include "weft/data/choose.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

template <class Item>
class Taking {
 public:
  Taking(const Node& node, const Context& cx, int64_t count)
      : input_(InputOf<Item>::make(node.input(), cx)), name_(node.input().name()), left_(count) {}

  bool next(Item& out) {
    if (left_ == 0 || !input_->next(out)) return false;
    if (left_ > 0) --left_;
    return true;
  }
  int64_t skip(int64_t count) {
    if (left_ < 0) return skip_of(*input_, count);
    const int64_t skipped = skip_of(*input_, std::min(count, left_));
    left_ -= skipped;
    return skipped;
  }
  void save(StateWriter to) const {
    to.put("left", left_);
    input_->save(to.at(name_));
  }
  void restore(StateReader from) {
    left_ = from.integer("left");
    input_->restore(from.at(name_));
  }
  bool is_small() const { return input_->is_small(); }

 private:
  InputPtr<Item> input_;
  std::string name_;
  int64_t left_;  // -1: all
};

class Take final : public Choosing<Taking, int64_t> {
 public:
  Take(Ptr input, int64_t count) : Choosing("take", std::move(input), count) {}
  int64_t cardinality() const override {
    const int64_t all = input().cardinality(), most = parameters();
    if (most < 0) return all;
    if (all == kInfinite || most == 0) return most;
    return all == kUnknown ? kUnknown : std::min(all, most);
  }
  std::string text() const override { return weft::text("take(", parameters(), ")"); }
};

}  // namespace

Dataset Dataset::take(int64_t count) const {
  if (count < -1) {
    fail(Code::kInvalid, "take", "count", "count is ", count, "; it is 0 or more, or -1 for all");
  }
  return Dataset(new_shared<const Take>(node_, count));
}

}  // namespace weft::data
