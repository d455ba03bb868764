// interleave and flat_map: the elements of datasets that a function makes of elements, in turn.
#include "weft/data/counting.h"
#include "weft/data/nested.h"
#include "weft/data/options.h"

namespace weft::data {
namespace {

constexpr int64_t kMostOpen = 1 << 16;

class Interleave final : public Node {
 public:
  Interleave(std::string name, Ptr input, DatasetFunction f, InterleaveOptions options)
      : Node(std::move(name), {std::move(input)}), f(std::move(f)), options(std::move(options)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  bool has_function() const override { return true; }
  std::string text() const override {
    if (name() == "flat_map") return weft::text("flat_map(", options.name, ")");
    std::string out =
        weft::text("interleave(", options.name, ", cycle_length=", options.cycle_length,
                   ", block_length=", options.block_length);
    if (options.num_parallel_calls > 0) {
      out += weft::text(", num_parallel_calls=", options.num_parallel_calls);
    }
    return out + ")";
  }

  const DatasetFunction f;
  const InterleaveOptions options;
};

class InterleaveCursor final : public CountingCursor {
 public:
  InterleaveCursor(const Interleave& node, const Context& cx)
      : CountingCursor(node, cx),
        node_(node),
        cx_(cx),
        open_(static_cast<size_t>(node.options.cycle_length)) {}

  void save(StateWriter to) const override {
    to.put("turn", static_cast<int64_t>(turn_));
    to.put("of_block", of_block_);
    to.put("has_ended", static_cast<int64_t>(has_ended_));
    for (size_t i = 0; i < open_.size(); ++i) {
      to.put(text("is_open", i), static_cast<int64_t>(open_[i] != nullptr));
      if (open_[i] != nullptr) open_[i]->save(to.at(text(i)));
    }
    CountingCursor::save(to);
  }
  void restore(StateReader from) override {
    turn_ = static_cast<size_t>(from.position("turn"));
    if (turn_ >= open_.size()) from.fail_state("turn", "is beyond the cycle");
    of_block_ = from.position("of_block");
    has_ended_ = from.integer("has_ended") != 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (from.integer(text("is_open", i)) == 0) continue;
      open_[i] = std::make_unique<Nested>(node_, cx_, node_.f, reads_ahead(i), from.at(text(i)));
    }
    CountingCursor::restore(from);
  }
  bool is_small() const override { return false; }

 protected:
  bool advance(Element& out) override {
    size_t idle = 0;  // places in a row that have nothing left
    while (idle < open_.size()) {
      if (open_[turn_] == nullptr && !open_next()) {
        ++idle;
        pass_on();
        continue;
      }
      idle = 0;
      if (open_[turn_]->next(out)) {
        if (++of_block_ == node_.options.block_length) pass_on();
        return true;
      }
      open_[turn_] = nullptr;
      pass_on();
    }
    return false;
  }

 private:
  bool reads_ahead(size_t place) const {
    return static_cast<int64_t>(place) < node_.options.num_parallel_calls;
  }
  void pass_on() {
    of_block_ = 0;
    turn_ = turn_ + 1 == open_.size() ? 0 : turn_ + 1;
  }
  bool open_next() {
    Element element;
    if (has_ended_) return false;
    if (!next_numbered(element)) {
      has_ended_ = true;
      return false;
    }
    open_[turn_] =
        std::make_unique<Nested>(node_, cx_, node_.f, std::move(element), reads_ahead(turn_));
    return true;
  }

  const Interleave& node_;
  const Context cx_;
  std::vector<std::unique_ptr<Nested>> open_;
  size_t turn_ = 0;
  int64_t of_block_ = 0;
  bool has_ended_ = false;
};

std::unique_ptr<Cursor> Interleave::cursor(const Context& cx) const {
  return std::make_unique<InterleaveCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::flat_map(DatasetFunction f, std::string name) const {
  InterleaveOptions options{.cycle_length = 1, .name = std::move(name)};
  return Dataset(new_shared<const Interleave>("flat_map", node_, std::move(f), std::move(options)));
}

Dataset Dataset::interleave(DatasetFunction f, InterleaveOptions options) const {
  require_positive("interleave", "cycle_length", options.cycle_length);
  if (options.cycle_length > kMostOpen) {
    fail(Code::kInvalid, "interleave", "cycle_length", "cycle_length is ", options.cycle_length,
         ", but at most ", kMostOpen, " datasets are open at a time; take a smaller one");
  }
  require_positive("interleave", "block_length", options.block_length);
  return Dataset(
      new_shared<const Interleave>("interleave", node_, std::move(f), std::move(options)));
}

}  // namespace weft::data
