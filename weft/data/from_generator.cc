// from_generator: elements that a function makes, one after the other.
#include "weft/data/call.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Generated final : public Node {
 public:
  Generated(std::function<Generation()> make, std::string called)
      : Node("from_generator"), make(std::move(make)), called_(std::move(called)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  bool has_function() const override { return true; }
  std::string text() const override { return weft::text("from_generator(", called_, ")"); }

  const std::function<Generation()> make;

 private:
  const std::string called_;
};

class GeneratedCursor final : public Cursor {
 public:
  GeneratedCursor(const Generated& node, const Context& cx)
      : Cursor(node, cx), node_(node), generator_(Draws(node, cx).of(0)) {}

  // A function's state is its own: what was given is made again and passed over.
  void save(StateWriter to) const override { to.put("given", given_); }
  void restore(StateReader from) override {
    Element element;
    for (int64_t left = from.position("given"); left > 0; --left) {
      if (!advance(element)) from.fail_state("given", "is beyond the end of the generator");
    }
  }

 protected:
  bool advance(Element& out) override {
    if (has_ended_) return false;
    const random::DrawsFrom own(generator_);
    try {
      if (!generation_) generation_ = node_.make();
      has_ended_ = !generation_(out);
      if (!has_ended_) out = concrete_element(std::move(out), node_.name());
    } catch (...) {  // what raised gives nothing more
      has_ended_ = true;
      rethrow_at(text("element ", given_, " of ", node_.text()));
    }
    given_ += has_ended_ ? 0 : 1;
    return !has_ended_;
  }

 private:
  const Generated& node_;
  random::GeneratorState generator_;  // what the function draws from
  Generation generation_;
  int64_t given_ = 0;
  bool has_ended_ = false;
};

std::unique_ptr<Cursor> Generated::cursor(const Context& cx) const {
  return std::make_unique<GeneratedCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::from_generator(std::function<Generation()> make, std::string name) {
  return Dataset(new_shared<const Generated>(std::move(make), std::move(name)));
}

}  // namespace weft::data
