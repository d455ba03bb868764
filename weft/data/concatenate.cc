// concatenate: the elements of one dataset, then those of another.
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Concatenate final : public Node {
 public:
  Concatenate(Ptr first, Ptr second) : Node("concatenate", {std::move(first), std::move(second)}) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override {
    const int64_t a = inputs()[0]->cardinality(), b = inputs()[1]->cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    if (a == kUnknown || b == kUnknown) return kUnknown;
    int64_t out = 0;
    return __builtin_add_overflow(a, b, &out) ? kInfinite : out;
  }
  Spec spec() const override {
    Spec out = inputs()[0]->spec();
    const Spec other = inputs()[1]->spec();
    for (size_t k = 0; k < out.leaves.size() && k < other.leaves.size(); ++k) {
      Shape& a = out.leaves[k].shape;
      const Shape& b = other.leaves[k].shape;
      for (size_t axis = 0; axis < a.size() && axis < b.size(); ++axis) {
        if (!(a[axis] == b[axis])) a[axis] = varying();
      }
    }
    return out;
  }
};

class ConcatenateCursor final : public Cursor {
 public:
  ConcatenateCursor(const Concatenate& node, const Context& cx)
      : Cursor(node, cx),
        node_(node),
        cx_(cx),
        input_(node.inputs()[0]->cursor(cx)),
        is_small_(input_->is_small() && node.inputs()[1]->cursor(cx)->is_small()) {}

  void save(StateWriter to) const override {
    to.put("part", part_);
    input_->save(to.at(text(part_)));
  }
  void restore(StateReader from) override {
    part_ = from.position("part");
    if (part_ > 1) from.fail_state("part", "is beyond the end");
    input_ = node_.inputs()[static_cast<size_t>(part_)]->cursor(cx_);
    input_->restore(from.at(text(part_)));
  }
  bool is_small() const override { return is_small_; }

 protected:
  bool advance(Element& out) override {
    if (input_->next(out)) return true;
    if (part_ == 1) return false;
    part_ = 1;
    input_ = node_.inputs()[1]->cursor(cx_);
    return input_->next(out);
  }

 private:
  const Concatenate& node_;
  const Context cx_;
  std::unique_ptr<Cursor> input_;
  const bool is_small_;  // of both parts
  int64_t part_ = 0;
};

std::unique_ptr<Cursor> Concatenate::cursor(const Context& cx) const {
  return std::make_unique<ConcatenateCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::concatenate(const Dataset& other) const {
  return Dataset(new_shared<const Concatenate>(node_, other.node_));
}

}  // namespace weft::data
