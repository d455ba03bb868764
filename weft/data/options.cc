// with_options: what holds for a whole pipeline.
#include "weft/data/options.h"

#include "weft/core/allocator.h"
#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class WithOptions final : public Node {
 public:
  WithOptions(Ptr input, int64_t bytes) : Node("with_options", {std::move(input)}), bytes(bytes) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override { return input().cursor(cx); }
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override { return input().spec(); }
  std::string text() const override { return weft::text("with_options(buffer_bytes=", bytes, ")"); }
  const Indexed* indexed() const override { return input().indexed(); }
  std::unique_ptr<Indices> indices(const Context& cx) const override { return input().indices(cx); }

  const int64_t bytes;
};

const WithOptions* options_in(const Node& node) {
  if (const auto* found = dynamic_cast<const WithOptions*>(&node)) return found;
  for (const Node::Ptr& input : node.inputs()) {
    if (const WithOptions* const found = options_in(*input)) return found;
  }
  return nullptr;
}

}  // namespace

int64_t budget_of(const Node& node) {
  const WithOptions* const options = options_in(node);
  return options == nullptr ? memory_limit() / 2 : options->bytes;
}

void require_positive(std::string_view who, std::string_view name, int64_t value) {
  if (value >= 1) return;
  fail(Code::kInvalid, who, name, name, " is ", value, "; it is 1 or more");
}

Dataset Dataset::with_options(int64_t buffer_bytes) const {
  require_positive("with_options", "buffer_bytes", buffer_bytes);
  return Dataset(new_shared<const WithOptions>(node_, buffer_bytes));
}

}  // namespace weft::data
