// unbatch: the rows of every element.
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Unbatch final : public Node {
 public:
  explicit Unbatch(Ptr input) : Node("unbatch", {std::move(input)}) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  Spec spec() const override {
    Spec out = input().spec();
    for (LeafSpec& leaf : out.leaves) {
      if (leaf.shape.empty()) return Node::spec();  // which says what is wrong
      leaf.shape = Shape(leaf.shape.begin() + 1, leaf.shape.end());
    }
    return out;
  }
};

class UnbatchCursor final : public InputCursor {
 public:
  using InputCursor::InputCursor;

  void save(StateWriter to) const override {
    to.put("row", row_);
    to.put("rows", rows_);
    if (row_ < rows_) to.put("batch", batch_);
    InputCursor::save(to);
  }
  void restore(StateReader from) override {
    row_ = from.position("row");
    rows_ = from.position("rows");
    if (row_ < rows_) {
      batch_ = from.element("batch");
      if (rows_ != rows_of(batch_, "unbatch")) from.fail_state("rows", "does not fit its batch");
    }
    InputCursor::restore(from);
  }

 protected:
  bool advance(Element& out) override {
    while (row_ == rows_) {
      row_ = rows_ = 0;
      if (!input().next(batch_)) return false;
      rows_ = rows_of(batch_, "unbatch");
    }
    out = row_of(batch_, row_++);
    out.origin = batch_.origin;
    return true;
  }

 private:
  Element batch_;
  int64_t row_ = 0, rows_ = 0;
};

std::unique_ptr<Cursor> Unbatch::cursor(const Context& cx) const {
  return std::make_unique<UnbatchCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::unbatch() const { return Dataset(new_shared<const Unbatch>(node_)); }

}  // namespace weft::data
