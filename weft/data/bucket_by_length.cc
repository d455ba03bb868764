// bucket_by_length: batches of elements of like lengths, so that little is padded.
#include <algorithm>

#include "weft/data/call.h"
#include "weft/data/counting.h"
#include "weft/data/options.h"
#include "weft/data/padding.h"

namespace weft::data {
namespace {

using Length = std::function<int64_t(const Element&)>;

class Buckets final : public Node {
 public:
  Buckets(Ptr input, Length length, BucketOptions options)
      : Node("bucket_by_length", {std::move(input)}),
        length(std::move(length)),
        options(std::move(options)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  Spec spec() const override { return padded_spec(input().spec(), options.padding, varying()); }
  bool has_function() const override { return true; }
  std::string text() const override {
    return weft::text("bucket_by_length(", options.boundaries, ", ", options.batch_sizes, ")");
  }

  const Length length;
  const BucketOptions options;
};

class BucketCursor final : public CountingCursor {
 public:
  BucketCursor(const Buckets& node, const Context& cx)
      : CountingCursor(node, cx),
        node_(node),
        draws_(node, cx),
        held_(cx.run),
        buckets_(node.options.batch_sizes.size()) {}

  void save(StateWriter to) const override {
    for (size_t b = 0; b < buckets_.size(); ++b) to.put(text("bucket", b), buckets_[b]);
    CountingCursor::save(to);
  }
  void restore(StateReader from) override {
    for (size_t b = 0; b < buckets_.size(); ++b) {
      buckets_[b] = from.elements(text("bucket", b));
      for (const Element& e : buckets_[b]) held_.add_or_fail(e.bytes(), node_.name());
    }
    CountingCursor::restore(from);
  }
  bool is_small() const override { return false; }

 protected:
  bool advance(Element& out) override {
    Element element;
    while (next_numbered(element)) {
      const int64_t length = called(node_, draws_, element, [&] { return node_.length(element); });
      const std::vector<int64_t>& bounds = node_.options.boundaries;
      const auto b = static_cast<size_t>(std::ranges::upper_bound(bounds, length) - bounds.begin());
      held_.add_or_fail(element.bytes(), node_.name());
      buckets_[b].push_back(std::move(element));
      if (static_cast<int64_t>(buckets_[b].size()) == node_.options.batch_sizes[b]) {
        return give(b, out);
      }
    }
    if (node_.options.padding.drop_remainder) return false;
    for (size_t b = 0; b < buckets_.size(); ++b) {
      if (!buckets_[b].empty()) return give(b, out);
    }
    return false;
  }

 private:
  bool give(size_t b, Element& out) {
    const std::vector<Element> all = std::exchange(buckets_[b], {});
    for (const Element& e : all) held_.remove(e.bytes());
    out = padded(all, node_.options.padding, node_.name());
    return true;
  }

  const Buckets& node_;
  const Draws draws_;
  Held held_;
  std::vector<std::vector<Element>> buckets_;
};

std::unique_ptr<Cursor> Buckets::cursor(const Context& cx) const {
  return std::make_unique<BucketCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::bucket_by_length(Length length, BucketOptions options) const {
  const std::string_view who = "bucket_by_length";
  if (options.batch_sizes.size() != options.boundaries.size() + 1) {
    fail(Code::kInvalid, who, "batch_sizes", "has ", options.batch_sizes.size(),
         " batch sizes and ", options.boundaries.size(), " boundaries; ", options.boundaries.size(),
         " boundaries part ", options.boundaries.size() + 1, " buckets");
  }
  if (!std::ranges::is_sorted(options.boundaries, std::ranges::less_equal{})) {
    fail(Code::kInvalid, who, "boundaries", "boundaries are ", options.boundaries, "; they ascend");
  }
  for (const int64_t size : options.batch_sizes) require_positive(who, "batch_sizes", size);
  return Dataset(new_shared<const Buckets>(node_, std::move(length), std::move(options)));
}

}  // namespace weft::data
