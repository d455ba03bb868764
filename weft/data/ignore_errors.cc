// ignore_errors: leaves out the elements that fail, and counts them.
#include "weft/data/call.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class IgnoreErrors final : public Node {
 public:
  explicit IgnoreErrors(Ptr input) : Node("ignore_errors", {std::move(input)}) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }
  Spec spec() const override { return input().spec(); }
};

class IgnoringCursor final : public InputCursor {
 public:
  using InputCursor::InputCursor;

  void save(StateWriter to) const override {
    to.put("skipped", times().skipped.load());
    InputCursor::save(to);
  }
  void restore(StateReader from) override {
    times().skipped.store(from.position("skipped"));
    InputCursor::restore(from);
  }

 protected:
  bool advance(Element& out) override {
    while (true) {
      try {
        return input().next(out);
      } catch (const Error& error) {
        if (error.code == Code::kInterrupted || error.code == Code::kOutOfMemory) throw;
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception&) {  // a user's own
        if (!is_error()) throw;
      }
      times().skipped.fetch_add(1);
    }
  }
};

std::unique_ptr<Cursor> IgnoreErrors::cursor(const Context& cx) const {
  return std::make_unique<IgnoringCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::ignore_errors() const { return Dataset(new_shared<const IgnoreErrors>(node_)); }

}  // namespace weft::data
