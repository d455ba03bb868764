// repeat: the elements over and over; every round is shuffled anew.
#include "weft/data/choose.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

template <class Item>
class Repeating {
 public:
  Repeating(const Node& node, const Context& cx, int64_t count)
      : node_(&node.input()), cx_(cx), count_(count), input_(InputOf<Item>::make(*node_, cx)) {}

  bool next(Item& out) {
    while (count_ < 0 || round_ < count_) {
      if (input_->next(out)) {
        is_empty_ = false;
        return true;
      }
      if (is_empty_) return false;  // a round without elements would be followed by others for ever
      is_empty_ = true;
      ++round_;
      input_ = InputOf<Item>::make(*node_, cx_.round(round_));
    }
    return false;
  }
  void save(StateWriter to) const {
    to.put("round", round_);
    to.put("is_empty", static_cast<int64_t>(is_empty_));
    input_->save(to.at(node_->name()));
  }
  void restore(StateReader from) {
    round_ = from.position("round");
    is_empty_ = from.integer("is_empty") != 0;
    input_ = InputOf<Item>::make(*node_, cx_.round(round_));
    input_->restore(from.at(node_->name()));
  }
  bool is_small() const { return input_->is_small(); }

 private:
  const Node* node_;
  Context cx_;
  int64_t count_;  // -1: without end
  InputPtr<Item> input_;
  int64_t round_ = 0;
  bool is_empty_ = true;  // this round, so far
};

class Repeat final : public Choosing<Repeating, int64_t> {
 public:
  Repeat(Ptr input, int64_t count) : Choosing("repeat", std::move(input), count) {}
  int64_t cardinality() const override {
    const int64_t once = input().cardinality();
    int64_t all = 0;
    const bool is_countless =
        once > 0 && parameters() > 0 && __builtin_mul_overflow(once, parameters(), &all);
    if (is_countless) return kInfinite;  // more than int64 counts
    if (parameters() >= 0) return cardinality_times(once, parameters());
    return once == 0 ? 0 : once == kUnknown ? kUnknown : kInfinite;
  }
  std::string text() const override {
    return parameters() < 0 ? "repeat()" : weft::text("repeat(", parameters(), ")");
  }
};

}  // namespace

Dataset Dataset::repeat(int64_t count) const {
  if (count < -1) {
    fail(Code::kInvalid, "repeat", "count", "count is ", count,
         "; it is 0 or more, or -1 for rounds without end");
  }
  return Dataset(new_shared<const Repeat>(node_, count));
}

}  // namespace weft::data
