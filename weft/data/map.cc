// map: a function of every element, in the thread that asks or in several of its own.
#include "weft/data/ahead.h"
#include "weft/data/call.h"
#include "weft/data/counting.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Map final : public Node {
 public:
  Map(Ptr input, MapFunction f, MapOptions options)
      : Node("map", {std::move(input)}), f(std::move(f)), options_(std::move(options)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override { return input().cardinality(); }
  // By one element: sizes that vary in the input make those vary that are equal to them.
  Spec spec() const override;
  bool has_function() const override { return true; }
  std::string text() const override {
    if (options_.num_parallel_calls == 0) return weft::text("map(", options_.name, ")");
    return weft::text("map(", options_.name, ", num_parallel_calls=", options_.num_parallel_calls,
                      ")");
  }

  const MapFunction f;

 private:
  const MapOptions options_;
};

// What the threads of a map take.
class NumberedCursor final : public CountingCursor {
 public:
  NumberedCursor(const Node& node, const Context& cx) : CountingCursor(node, cx, kUncounted) {}

 protected:
  bool advance(Element& out) override { return next_numbered(out); }
};

Element result_of(const Map& node, const Draws& draws, const Element& element) {
  return called(node, draws, element,
                [&] { return concrete_element(node.f(element), node.name()); });
}

// What the function made of an element is of the same origin.
Element mapped(const Map& node, const Draws& draws, const Element& element) {
  Element out = result_of(node, draws, element);
  if (out.origin == nullptr) out.origin = element.origin;
  if (out.rows == nullptr) out.rows = element.rows;
  return out;
}

class MapCursor final : public CountingCursor {
 public:
  MapCursor(const Map& node, const Context& cx)
      : CountingCursor(node, cx), node_(node), draws_(node, cx) {}

 protected:
  bool advance(Element& out) override {
    Element element;
    if (!next_numbered(element)) return false;
    out = mapped(node_, draws_, element);
    return true;
  }

 private:
  const Map& node_;
  const Draws draws_;
};

std::unique_ptr<Cursor> Map::cursor(const Context& cx) const {
  const int workers = options_.num_parallel_calls;
  if (workers == 0) return std::make_unique<MapCursor>(*this, cx);
  AheadOptions options{.workers = workers,
                       .most = 2 * workers + 2,
                       .around = options_.around,
                       .hand_over = options_.hand_over};
  options.work = [this, draws = Draws(*this, cx)](Element& element) {
    element = mapped(*this, draws, element);
  };
  return std::make_unique<Ahead>(*this, cx, std::make_unique<NumberedCursor>(*this, cx),
                                 std::move(options));
}

Spec Map::spec() const {
  const Spec before = input().spec();
  const Context cx{std::make_shared<Run>(int64_t{1} << 30)};
  Element element;
  if (!input().cursor(cx)->next(element)) return Node::spec();
  Spec out = spec_of(result_of(*this, Draws(*this, cx), element));
  for (size_t k = 0; k < before.leaves.size() && k < element.size(); ++k) {
    const Shape& shape = before.leaves[k].shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].is_known()) continue;
      const Dim size = element.leaves[k].shape()[axis];
      for (LeafSpec& leaf : out.leaves) {
        for (Dim& extent : leaf.shape) extent = extent == size ? shape[axis] : extent;
      }
    }
  }
  return out;
}

}  // namespace

Dataset Dataset::map(MapFunction f, MapOptions options) const {
  if (options.num_parallel_calls < 0) {
    fail(Code::kInvalid, "map", "num_parallel_calls", "num_parallel_calls is ",
         options.num_parallel_calls, "; it is 0 (in the thread that asks) or more");
  }
  return Dataset(new_shared<const Map>(node_, std::move(f), std::move(options)));
}

}  // namespace weft::data
