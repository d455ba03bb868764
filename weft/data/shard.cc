// shard: every n-th element, for one of n who share the work.
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
    while (input_->next(out)) {
      const bool is_mine = position_ == part_.index;
      position_ = position_ + 1 == part_.count ? 0 : position_ + 1;
      if (is_mine) return true;
    }
    return false;
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
    return all < 0 ? all : (all + part.count - 1 - part.index) / part.count;
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
