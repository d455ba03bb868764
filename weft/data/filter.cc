// filter: the elements that a predicate keeps.
#include "weft/base/thread_pool.h"
#include "weft/data/call.h"
#include "weft/data/counting.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Filter final : public Node {
 public:
  Filter(Ptr input, Predicate keep, std::string called)
      : Node("filter", {std::move(input)}), keep(std::move(keep)), called_(std::move(called)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  Spec spec() const override { return input().spec(); }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }
  bool has_function() const override { return true; }
  std::string text() const override { return weft::text("filter(", called_, ")"); }

  const Predicate keep;

 private:
  const std::string called_;
};

class FilterCursor final : public CountingCursor {
 public:
  FilterCursor(const Filter& node, const Context& cx)
      : CountingCursor(node, cx), node_(node), draws_(node, cx) {}

 protected:
  bool advance(Element& out) override {
    while (next_numbered(out)) {
      if (called(node_, draws_, out, [&] { return node_.keep(out); })) return true;
      poll_interrupt();
    }
    return false;
  }

 private:
  const Filter& node_;
  const Draws draws_;
};

std::unique_ptr<Cursor> Filter::cursor(const Context& cx) const {
  return std::make_unique<FilterCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::filter(Predicate keep, std::string name) const {
  return Dataset(new_shared<const Filter>(node_, std::move(keep), std::move(name)));
}

}  // namespace weft::data
