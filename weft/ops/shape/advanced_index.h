// Indexing as NumPy knows it: integers, ranges, new axes, an ellipsis, and tensors of integers or
// bools, for reading and for functional updates.
//
//   index(x, {Range{1}, kNewAxis, i, kEllipsis})      x[1:, None, i, ...]
//   at(x, {mask}).set(0.0)                            x.at[mask].set(0.0)
#pragma once

#include <initializer_list>
#include <vector>

#include "weft/op/attrs.h"
#include "weft/op/builtin.h"

namespace weft {

// start:stop:step
struct Range {
  std::optional<int64_t> start{}, stop{};
  int64_t step = 1;
};
inline constexpr struct NewAxis {
} kNewAxis;
inline constexpr struct Ellipsis {
} kEllipsis;

// One entry of an index.
struct IndexEntry {
  IndexItem item;
  Tensor tensor;  // defined: integers or bools, and `item` does not count

  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  IndexEntry(T at)  // NOLINT(google-explicit-constructor)
      : item{IndexItem::Kind::kInteger, static_cast<int64_t>(at), {}, 1} {}
  IndexEntry(IndexItem basic) : item(basic) {}  // NOLINT(google-explicit-constructor)
  IndexEntry(Range r)                           // NOLINT(google-explicit-constructor)
      : item{IndexItem::Kind::kRange, r.start, r.stop, r.step} {}
  IndexEntry(NewAxis) : item{IndexItem::Kind::kNewAxis, {}, {}, 1} {}    // NOLINT
  IndexEntry(Ellipsis) : item{IndexItem::Kind::kEllipsis, {}, {}, 1} {}  // NOLINT
  IndexEntry(Tensor t) : tensor(std::move(t)) {}  // NOLINT(google-explicit-constructor)

  bool is_tensor() const { return tensor.defined(); }
};
using IndexEntries = std::span<const IndexEntry>;

// x[entries] by NumPy's rules. Tensors broadcast together; their axes stand where the first of them
// is, or in front if a range, a new axis or an ellipsis is between them; a mask stands for the
// indices of its true elements, and its axes fit those of x. Raises [index.mask], [index.dtype] and
// the laws of slice, take and index_at.
Tensor index(const Tensor& x, IndexEntries entries, Where where = Where::here());
inline Tensor index(const Tensor& x, std::initializer_list<IndexEntry> entries,
                    Where where = Where::here()) {
  return index(x, IndexEntries(entries.begin(), entries.size()), where);
}

enum class Update : uint8_t { kSet, kAdd, kSubtract, kMultiply, kDivide, kMin, kMax };

// x.at[entries].add(value), ...: a copy of x, changed there. Where several updates meet in one
// element `set` keeps the last, the others apply all of them, in the order of the positions.
Tensor index_update(const Tensor& x, IndexEntries entries, const Tensor& value, Update update,
                    Where where = Where::here());

// x.at[entries] of Python.
class At {
 public:
  At(Tensor x, std::vector<IndexEntry> entries) : x_(std::move(x)), entries_(std::move(entries)) {}

  Tensor get(Where where = Where::here()) const { return index(x_, entries_, where); }
  Tensor set(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kSet, where);
  }
  Tensor add(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kAdd, where);
  }
  Tensor subtract(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kSubtract, where);
  }
  Tensor multiply(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kMultiply, where);
  }
  Tensor divide(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kDivide, where);
  }
  Tensor min(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kMin, where);
  }
  Tensor max(const Tensor& value, Where where = Where::here()) const {
    return index_update(x_, entries_, value, Update::kMax, where);
  }

 private:
  Tensor x_;
  std::vector<IndexEntry> entries_;
};
inline At at(const Tensor& x, std::initializer_list<IndexEntry> entries) { return {x, entries}; }

}  // namespace weft
