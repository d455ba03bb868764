// shard: every n-th element, for one of n who share the work.
#include <algorithm>

#include "weft/data/choose.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

struct Part {
  int64_t count, index;
};

template <class Item>
class Sharding {
 public:
  Sharding(const Node& node, const Context& cx, Part part)
      : input_(InputOf<Item>::make(node.input(), cx)), name_(node.input().name()), part_(part) {}

  bool next(Item& out) {
    const int64_t before = part_.index - position_;
    const int64_t to_mine = before >= 0 ? before : before + part_.count;
    const int64_t skipped = skip_of(*input_, to_mine);
    position_ = moved_by(skipped);
    if (skipped < to_mine || !input_->next(out)) return false;
    position_ = moved_by(1);
    return true;
  }
  void save(StateWriter to) const {
    to.put("position", position_);
    input_->save(to.at(name_));
  }
  void restore(StateReader from) {
    position_ = from.position("position");
    input_->restore(from.at(name_));
  }
  bool is_small() const { return input_->is_small(); }

 private:
  int64_t moved_by(int64_t count) const {  // at most a round
    const int64_t left = part_.count - position_;
    return count < left ? position_ + count : count - left;
  }

  InputPtr<Item> input_;
  std::string name_;
  Part part_;
  int64_t position_ = 0;  // of the next element, in a round of `count`
};

class Shard final : public Choosing<Sharding, Part> {
 public:
  Shard(Ptr input, Part part) : Choosing("shard", std::move(input), part) {}
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    const Part part = parameters();
    if (all <= part.index) return std::min<int64_t>(all, 0);
    return (all - 1 - part.index) / part.count + 1;
  }
  std::string text() const override {
    return weft::text("shard(", parameters().count, ", ", parameters().index, ")");
  }
};

}  // namespace

Dataset Dataset::shard(int64_t num_shards, int64_t index) const {
  if (num_shards < 1 || index < 0 || index >= num_shards) {
    fail(Code::kInvalid, "shard", "index", "index is ", index, " of ", num_shards,
         " shards; it is 0 or more, and less than their number");
  }
  return Dataset(new_shared<const Shard>(node_, Part{num_shards, index}));
}

}  // namespace weft::data
