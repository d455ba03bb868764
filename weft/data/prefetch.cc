// prefetch: a thread that is some elements ahead.
#include <algorithm>

#include "weft/data/ahead.h"
#include "weft/data/dataset.h"
#include "weft/data/options.h"

namespace weft::data {
namespace {

class Prefetch final : public Node {
 public:
  Prefetch(Ptr input, int64_t most) : Node("prefetch", {std::move(input)}), most_(most) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override {
    return std::make_unique<Ahead>(
        *this, cx, input().cursor(cx),
        AheadOptions{.workers = 1, .most = std::min(most_, kMost), .makes_first_here = true});
  }
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override { return input().spec(); }
  std::string text() const override { return weft::text("prefetch(", most_, ")"); }

 private:
  static constexpr int64_t kMost = int64_t{1} << 40;  // more than fit; to some more are added

  const int64_t most_;
};

}  // namespace

Dataset Dataset::prefetch(int64_t buffer_size) const {
  require_positive("prefetch", "buffer_size", buffer_size);
  return Dataset(new_shared<const Prefetch>(node_, buffer_size));
}

}  // namespace weft::data
