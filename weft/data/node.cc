// What all steps have in common: iterators by index, and what is known of elements.
#include "weft/data/node.h"

#include "weft/data/ahead.h"

namespace weft::data {
namespace {

constexpr int64_t kSpecBudget = int64_t{1} << 30;

// Elements of a source in the order of some numbers.
class IndexedCursor final : public Cursor {
 public:
  IndexedCursor(const Node& node, const Context& cx)
      : Cursor(node, cx), source_(*node.indexed()), indices_(node.indices(cx)) {}

  void save(StateWriter to) const override { indices_->save(to); }
  void restore(StateReader from) override { indices_->restore(from); }
  bool is_small() const override { return indices_->is_small(); }

 protected:
  bool advance(Element& out) override {
    int64_t index = 0;
    if (!indices_->next(index)) return false;
    out = source_.get(index);
    return true;
  }

 private:
  const Indexed& source_;
  std::unique_ptr<Indices> indices_;
};

// The numbers themselves: what threads take that get the elements.
class NumberCursor final : public Cursor {
 public:
  NumberCursor(const Node& node, const Context& cx)
      : Cursor(node, cx, kUncounted), indices_(node.indices(cx)) {}

  void save(StateWriter to) const override { indices_->save(to); }
  void restore(StateReader from) override { indices_->restore(from); }
  bool is_small() const override { return indices_->is_small(); }

 protected:
  bool advance(Element& out) override {
    int64_t index = 0;
    if (!indices_->next(index)) return false;
    out = Element(Tensor::from_bytes(DType::kI64, Shape{}, std::as_bytes(std::span(&index, 1))));
    return true;
  }

 private:
  std::unique_ptr<Indices> indices_;
};

}  // namespace

bool Cursor::next(Element& out) {
  if (!is_counted_) return advance(out);
  const StageClock clock(*times_);
  if (!advance(out)) return false;
  times_->elements.fetch_add(1, std::memory_order_relaxed);
  times_->bytes.fetch_add(out.bytes(), std::memory_order_relaxed);
  return true;
}

std::unique_ptr<Cursor> Node::cursor(const Context& cx) const {
  const Indexed* const source = indexed();
  WEFT_ASSERT(source != nullptr, name_);
  if (source->workers() == 0) return std::make_unique<IndexedCursor>(*this, cx);
  AheadOptions options{
      .workers = source->workers(), .most = 2 * source->workers() + 2, .makes_first_here = true};
  options.work = [source](Element& element) { element = source->get(element[0].item_int()); };
  return std::make_unique<Ahead>(*this, cx, std::make_unique<NumberCursor>(*this, cx),
                                 std::move(options));
}

Spec Node::spec() const {
  const Context cx{std::make_shared<Run>(kSpecBudget)};
  Element first;
  if (!cursor(cx)->next(first)) {
    fail(Code::kInvalid, name_, "empty",
         "has no elements, so that nothing tells their dtypes and shapes; give the types: "
         "Iterator.from_structure(types, shapes)");
  }
  return spec_of(first);
}

Spec spec_of(const Element& element) {
  Spec out{element.form, {}};
  for (const Leaf& leaf : element.leaves) {
    out.leaves.push_back(
        {leaf.is_text(), leaf.is_text() ? DType::kU8 : leaf.tensor.dtype(), Shape(leaf.shape())});
  }
  return out;
}

Dim varying() {
  static std::atomic<int64_t> count{0};
  return Dim::symbol(text("?batch", count.fetch_add(1)));
}

}  // namespace weft::data
