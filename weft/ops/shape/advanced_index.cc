// From an index with tensors in it to a basic index, a reshape and one op that reads or updates.
#include "weft/ops/shape/advanced_index.h"

#include <algorithm>

#include "weft/base/fail_at.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/basic_index.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

// An index taken apart. With `base` = x[basic], its axes joined where a mask of several axes
// stands, the result is index_at(base, indices, axes, at).
struct Parts {
  Index basic;
  Shape joined;  // the shape of base after the axes of masks were joined
  bool joins = false;
  Tensors indices;
  Ints axes;
  int64_t at = 0;
};

bool is_mask(const IndexEntry& entry) {
  return entry.is_tensor() && entry.tensor.dtype() == DType::kBool;
}

// How many axes of x the entry stands for.
int64_t axes_taken(const IndexEntry& entry) {
  if (is_mask(entry)) return entry.tensor.rank();
  if (entry.is_tensor()) return 1;
  return entry.item.kind == IndexItem::Kind::kInteger || entry.item.kind == IndexItem::Kind::kRange;
}

// Where the true elements of a mask are, counted along its axes as if they were one.
Tensor true_places(const Tensor& mask, Where where) {
  const Tensor flat = reshape(mask, {num_elements(mask.shape())}, where);
  return reshape(argwhere(flat, where), {-1}, where);
}

class Taking {
 public:
  Taking(const Tensor& x, IndexEntries entries, Where where) : x_(x), where_(where) {
    int64_t used = 0;
    for (const IndexEntry& entry : entries) {
      used += axes_taken(entry);
      check(entry);
    }
    rest_ = std::max<int64_t>(0, x.rank() - used);
    place(entries);
    for (const IndexEntry& entry : entries) {
      if (entry.is_tensor()) {
        take_tensor(entry);
      } else {
        take_basic(entry.item);
      }
    }
    finish();
  }

  Parts parts;

 private:
  static void check(const IndexEntry& entry) {
    if (!entry.is_tensor()) return;
    const DType dtype = entry.tensor.dtype();
    InferCtx{"index"}.require_index(dtype == DType::kBool || is_integer(dtype), "dtype",
                                    "an index has dtype ", dtype,
                                    "; indices are integers, ranges or bools");
  }

  // Integers beside tensors count as tensors; together they stand in one place if nothing else is
  // between them.
  void place(IndexEntries entries) {
    const auto is_advanced = [](const IndexEntry& entry) {
      return entry.is_tensor() || entry.item.kind == IndexItem::Kind::kInteger;
    };
    int runs = 0;
    bool inside = false;
    for (const IndexEntry& entry : entries) {
      if (is_advanced(entry) && !inside) ++runs;
      inside = is_advanced(entry);
    }
    in_front_ = runs > 1;
  }

  void take_basic(const IndexItem& item) {
    parts.basic.push_back(item);
    switch (item.kind) {
      case IndexItem::Kind::kInteger:
        note_place();
        ++axis_;
        break;
      case IndexItem::Kind::kRange: ++axis_, ++base_; break;
      case IndexItem::Kind::kNewAxis: ++base_; break;
      case IndexItem::Kind::kEllipsis: axis_ += rest_, base_ += rest_; break;
    }
  }

  void take_tensor(const IndexEntry& entry) {
    note_place();
    const Tensor& index = entry.tensor;
    if (!is_mask(entry)) {
      parts.basic.push_back(IndexItem{});
      add(index, 1);
    } else if (index.rank() == 0) {  // as a new axis of size 1, taken once or not at all
      parts.basic.push_back(
          {.kind = IndexItem::Kind::kNewAxis, .start = {}, .stop = {}, .step = 1});
      add(true_places(index, where_), 1);
      --axis_;
    } else {
      check_mask(index);
      for (int64_t i = 0; i < index.rank(); ++i) parts.basic.push_back(IndexItem{});
      add(true_places(index, where_), index.rank());
    }
  }

  void check_mask(const Tensor& mask) {
    const InferCtx cx{"index"};
    for (int64_t i = 0; i < mask.rank(); ++i) {
      // A mask without elements selects nothing, whatever the size of x.
      const bool fits =
          axis_ + i < x_.rank() &&
          (mask.dim(i) == Dim(0) || decide_same(mask.dim(i), x_.dim(axis_ + i)) != Tri::kNo);
      cx.require_index(fits, "mask", "a mask of shape ", mask.shape(), " does not fit x of shape ",
                       x_.shape(), " from axis ", axis_, " on; its sizes must be those of x, or 0");
    }
  }

  // An index for base axis `base_`, which stands for `axes` axes of x.
  void add(const Tensor& index, int64_t axes) {
    parts.indices.push_back(index);
    parts.axes.push_back(base_ - joined_away_);
    widths_.push_back(axes);
    axis_ += axes;
    base_ += axes;
    joined_away_ += axes - 1;
  }

  void note_place() {
    if (!noted_) parts.at = base_ - joined_away_ - static_cast<int64_t>(parts.axes.size());
    noted_ = true;
  }

  void finish() {
    if (in_front_) parts.at = 0;
    const Shape base = indexed_shape(parts.basic, InferCtx{"slice"}, x_.shape());
    size_t next = 0;
    for (size_t i = 0, k = 0; i < base.size(); ++k) {
      const bool indexed = next < parts.axes.size() && parts.axes[next] == static_cast<int64_t>(k);
      const auto width = static_cast<size_t>(indexed ? widths_[next] : 1);
      parts.joined.push_back(num_elements(ShapeView(base).subspan(i, width)));
      parts.joins |= width > 1;
      i += width;
      next += indexed;
    }
  }

  const Tensor& x_;
  const Where where_;
  int64_t rest_ = 0;         // the axes an ellipsis stands for
  int64_t axis_ = 0;         // of x
  int64_t base_ = 0;         // of x[basic]
  int64_t joined_away_ = 0;  // axes that joining took away so far
  bool in_front_ = false, noted_ = false;
  Ints widths_;
};

bool has_tensors(IndexEntries entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const IndexEntry& entry) { return entry.is_tensor(); });
}

Index basic_of(IndexEntries entries) {
  Index out;
  for (const IndexEntry& entry : entries) out.push_back(entry.item);
  return out;
}

bool is_whole(const Index& index) {
  return std::all_of(index.begin(), index.end(),
                     [](const IndexItem& item) { return item == IndexItem{}; });
}

Tensor base_of(const Tensor& x, const Parts& parts, Where where) {
  const Tensor base = is_whole(parts.basic) ? x : slice(x, parts.basic, where);
  return parts.joins ? reshape(base, parts.joined, where) : base;
}

Tensor joined(const Tensor& old, const Tensor& value, Update update, Where where) {
  switch (update) {
    case Update::kSet: return value;
    case Update::kAdd: return add(old, value, where);
    case Update::kSubtract: return subtract(old, value, where);
    case Update::kMultiply: return multiply(old, value, where);
    case Update::kDivide: return divide(old, value, where);
    case Update::kMin: return minimum(old, value, where);
    case Update::kMax: return maximum(old, value, where);
  }
  return value;
}

Tensor updated_at(const Tensor& base, const Parts& parts, const Tensor& value, Update update,
                  Where where) {
  const IndexAtAttrs at{parts.axes, parts.at};
  switch (update) {
    case Update::kSet: return set_at(base, value, parts.indices, at, where);
    case Update::kAdd: return add_at(base, value, parts.indices, at, where);
    case Update::kSubtract: {  // a language scalar takes the dtype of what it meets
      const Tensor minus = value.is_weak() ? subtract(Tensor::scalar(base.dtype(), 0), value, where)
                                           : negative(value, where);
      return add_at(base, minus, parts.indices, at, where);
    }
    case Update::kMultiply: return multiply_at(base, value, parts.indices, at, where);
    case Update::kDivide: {  // rounded once where a place is named once
      const Tensor one = ones(Shape(base.shape()), value.is_weak() ? base.dtype() : value.dtype());
      return divide(base, multiply_at(one, value, parts.indices, at, where), where);
    }
    case Update::kMin: return min_at(base, value, parts.indices, at, where);
    case Update::kMax: return max_at(base, value, parts.indices, at, where);
  }
  return base;
}

// x.at[mask].add(1.0): a value that is the same for all true elements needs no count of them, so
// it works under vmap too. Undefined if the update is not that simple.
Tensor updated_by_mask(const Tensor& x, IndexEntries entries, const Tensor& value, Update update,
                       Where where_from) {
  if (entries.size() != 1 || !is_mask(entries[0])) return {};
  const Tensor& mask = entries[0].tensor;
  const int64_t behind = x.rank() - mask.rank();
  if (mask.rank() == 0 || behind < 0 || value.rank() > behind) return {};
  if (decide_same(mask.shape(), x.shape().subspan(0, mask.shape().size())) == Tri::kNo) return {};
  Shape shape(mask.shape());
  shape.resize(static_cast<size_t>(x.rank()), Dim(1));
  const Tensor updated = joined(x, value, update, where_from);
  return where(reshape(mask, shape, where_from), updated, x, where_from);
}

}  // namespace

Tensor index(const Tensor& x, IndexEntries entries, Where where) {
  if (!has_tensors(entries)) return slice(x, basic_of(entries), where);
  const Parts parts = Taking(x, entries, where).parts;
  const Tensor base = base_of(x, parts, where);
  if (parts.indices.size() == 1 && parts.at == parts.axes[0]) {
    return take(base, parts.indices[0], parts.axes[0], where);
  }
  return index_at(base, parts.indices, {parts.axes, parts.at}, where);
}

static Tensor updated(const Tensor& x, IndexEntries entries, const Tensor& value, Update update,
                      Where where) {
  if (!has_tensors(entries)) {
    const Index index = basic_of(entries);
    const Tensor old = update == Update::kSet ? Tensor() : slice(x, index, where);
    return slice_update(x, joined(old, value, update, where), index, where);
  }
  const Tensor masked = updated_by_mask(x, entries, value, update, where);
  if (masked.defined()) return masked;
  const Parts parts = Taking(x, entries, where).parts;
  Tensor out = updated_at(base_of(x, parts, where), parts, value, update, where);
  if (parts.joins)
    out = reshape(out, indexed_shape(parts.basic, InferCtx{"slice"}, x.shape()), where);
  return is_whole(parts.basic) ? out : slice_update(x, out, parts.basic, where);
}

namespace {

// A number of the language has no dtype that anyone wrote.
std::string kind_text(const Tensor& value) {
  if (!value.is_weak()) return text(value.dtype());
  return is_complex(value.dtype())    ? "a complex number"
         : is_floating(value.dtype()) ? "a float"
                                      : "an integer";
}

}  // namespace

Tensor index_update(const Tensor& x, IndexEntries entries, const Tensor& value, Update update,
                    Where where) {
  const Tensor out = updated(x, entries, value, update, where);
  if (out.dtype() != x.dtype()) {
    fail_at(where, Code::kType, "at", "dtype", "x has dtype ", x.dtype(), ", but with the value (",
            kind_text(value), ") the result would have ", out.dtype(),
            "; an update keeps the dtype of x: cast the value, or x first");
  }
  return out;
}

}  // namespace weft
