// range: integers in a row.
#include "weft/data/dataset.h"
#include "weft/data/source.h"

namespace weft::data {
namespace {

class Range final : public IndexedNode {
 public:
  Range(int64_t start, int64_t stop, int64_t step)
      : IndexedNode("range"), start_(start), stop_(stop), step_(step), size_(count()) {}

  int64_t size() const override { return size_; }
  Element get(int64_t index) const override {
    const int64_t value = value_at(index);
    return Element(Tensor::from_bytes(DType::kI64, Shape{}, std::as_bytes(std::span(&value, 1))));
  }
  bool can_gather() const override { return true; }
  Element gather(std::span<const int64_t> indices) const override {
    Tensor all = Tensor::empty(DType::kI64, Shape{static_cast<int64_t>(indices.size())});
    auto* to = static_cast<int64_t*>(all.writable_data());
    for (const int64_t i : indices) *to++ = value_at(i);
    return Element(std::move(all));
  }
  Spec spec() const override { return {leaf_form(), {{false, DType::kI64, {}}}}; }
  std::string text() const override {
    return weft::text("range(", start_, ", ", stop_, ", ", step_, ")");
  }

 private:
  // A step times a number may be beyond int64, and the sum is not: unsigned numbers wrap.
  int64_t value_at(int64_t index) const {
    return static_cast<int64_t>(static_cast<uint64_t>(start_) +
                                static_cast<uint64_t>(index) * static_cast<uint64_t>(step_));
  }
  int64_t count() const {
    if (step_ > 0 ? start_ >= stop_ : start_ <= stop_) return 0;
    // Distances of two int64 fit in uint64.
    const auto first = static_cast<uint64_t>(start_), end = static_cast<uint64_t>(stop_);
    const uint64_t distance = step_ > 0 ? end - first : first - end;
    const uint64_t step = step_ > 0 ? static_cast<uint64_t>(step_) : -static_cast<uint64_t>(step_);
    const uint64_t out = (distance - 1) / step + 1;
    if (out > INT64_MAX) {
      fail(Code::kOverflow, "range", "size", "has more elements than int64 counts");
    }
    return static_cast<int64_t>(out);
  }

  const int64_t start_, stop_, step_, size_;
};

}  // namespace

Dataset Dataset::range(int64_t stop) { return range(0, stop, 1); }

Dataset Dataset::range(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) fail(Code::kInvalid, "range", "step", "step is 0; the numbers would never end");
  return Dataset(new_shared<const Range>(start, stop, step));
}

}  // namespace weft::data
