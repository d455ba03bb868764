// enumerate: pairs of a number and an element.
#include "weft/data/counting.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Enumerate final : public Node {
 public:
  Enumerate(Ptr input, int64_t start) : Node("enumerate", {std::move(input)}), start(start) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override {
    Spec out = input().spec();
    out.form = tuple_form({leaf_form(), out.form});
    out.leaves.insert(out.leaves.begin(), {false, DType::kI64, {}});
    return out;
  }
  std::string text() const override { return weft::text("enumerate(", start, ")"); }

  const int64_t start;
};

class EnumerateCursor final : public CountingCursor {
 public:
  EnumerateCursor(const Enumerate& node, const Context& cx)
      : CountingCursor(node, cx), start_(node.start) {}

 protected:
  bool advance(Element& out) override {
    if (!next_numbered(out)) return false;
    int64_t number = 0;
    if (__builtin_add_overflow(start_, out.number, &number)) {
      fail(Code::kOverflow, "enumerate", "start", "start is ", start_, ", and element ", out.number,
           " has a number that int64 does not hold; take a smaller start");
    }
    out.leaves.insert(out.leaves.begin(), Tensor::from_bytes(DType::kI64, Shape{},
                                                             std::as_bytes(std::span(&number, 1))));
    out.form = tuple_form({leaf_form(), out.form});
    return true;
  }

 private:
  const int64_t start_;
};

std::unique_ptr<Cursor> Enumerate::cursor(const Context& cx) const {
  return std::make_unique<EnumerateCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::enumerate(int64_t start) const {
  return Dataset(new_shared<const Enumerate>(node_, start));
}

}  // namespace weft::data
