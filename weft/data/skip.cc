// skip: all but the first elements.
#include <algorithm>

#include "weft/data/choose.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

template <class Item>
class Skipping {
 public:
  Skipping(const Node& node, const Context& cx, int64_t count)
      : input_(InputOf<Item>::make(node.input(), cx)), name_(node.input().name()), left_(count) {}

  bool next(Item& out) {
    if (!skip_first()) return false;
    return input_->next(out);
  }
  int64_t skip(int64_t count) { return skip_first() ? skip_of(*input_, count) : 0; }
  void save(StateWriter to) const {
    to.put("left", left_);
    input_->save(to.at(name_));
  }
  void restore(StateReader from) {
    left_ = from.position("left");
    input_->restore(from.at(name_));
  }
  bool is_small() const { return input_->is_small(); }

 private:
  // In pieces: an interrupt loses no more than the piece that it falls into.
  bool skip_first() {
    constexpr int64_t kPiece = std::is_same_v<Item, Element> ? 1 : INT64_MAX;
    while (left_ > 0) {
      const int64_t wanted = std::min(left_, kPiece), skipped = skip_of(*input_, wanted);
      left_ -= skipped;
      if (skipped < wanted) return false;
    }
    return true;
  }

  InputPtr<Item> input_;
  std::string name_;
  int64_t left_;
};

class Skip final : public Choosing<Skipping, int64_t> {
 public:
  Skip(Ptr input, int64_t count) : Choosing("skip", std::move(input), count) {}
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : std::max<int64_t>(0, all - parameters());
  }
  std::string text() const override { return weft::text("skip(", parameters(), ")"); }
};

}  // namespace

Dataset Dataset::skip(int64_t count) const {
  if (count < 0) fail(Code::kInvalid, "skip", "count", "count is ", count, "; it is 0 or more");
  return Dataset(new_shared<const Skip>(node_, count));
}

}  // namespace weft::data
