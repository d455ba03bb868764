// padded_batch: a batch of elements whose sizes differ.
#include "weft/data/collect.h"
#include "weft/data/options.h"
#include "weft/data/padding.h"

namespace weft::data {
namespace {

class PaddedBatch final : public Node {
 public:
  PaddedBatch(Ptr input, int64_t size, PaddedBatchOptions options)
      : Node("padded_batch", {std::move(input)}), size(size), options(std::move(options)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override {
    const int64_t all = input().cardinality();
    return all < 0 ? all : options.drop_remainder ? all / size : (all + size - 1) / size;
  }
  Spec spec() const override {
    return padded_spec(input().spec(), options, options.drop_remainder ? Dim(size) : varying());
  }
  std::string text() const override {
    return weft::text("padded_batch(", size,
                      options.drop_remainder ? ", drop_remainder=true)" : ")");
  }

  const int64_t size;
  const PaddedBatchOptions options;
};

class PaddedCursor final : public CollectingCursor {
 public:
  PaddedCursor(const PaddedBatch& node, const Context& cx)
      : CollectingCursor(node, cx), node_(node) {}

 protected:
  bool advance(Element& out) override {
    const std::vector<Element> all = collected(node_.size);
    const auto count = static_cast<int64_t>(all.size());
    if (count == 0 || (count < node_.size && node_.options.drop_remainder)) return false;
    out = padded(all, node_.options, "padded_batch");
    return true;
  }

 private:
  const PaddedBatch& node_;
};

std::unique_ptr<Cursor> PaddedBatch::cursor(const Context& cx) const {
  return std::make_unique<PaddedCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::padded_batch(int64_t size, PaddedBatchOptions options) const {
  require_positive("padded_batch", "size", size);
  return Dataset(new_shared<const PaddedBatch>(node_, size, std::move(options)));
}

}  // namespace weft::data
