// Basic indexing: from an index and a shape to the axes of the result.
#include "weft/ops/shape/basic_index.h"

#include <algorithm>

namespace weft {
namespace {

// One axis of the result: which axis it reads (-1: a new one), from where, by which step.
struct Axis {
  int64_t source = -1;
  int64_t start = 0;
  int64_t step = 1;
  Dim size = 1;
};
struct Plan {
  InlineVector<Axis, 6> axes;
  InlineVector<Axis, 6> picked;  // integer indices: axes that vanish
};

// The larger and the smaller of two, as is decided; a formula if it is not.
Dim larger(Dim a, Dim b) {
  const Tri answer = decide_less(a, b);
  return answer == Tri::kUnknown ? max(a, b) : answer == Tri::kYes ? b : a;
}
Dim smaller(Dim a, Dim b) { return a + b - larger(a, b); }

// How many elements start:stop:step takes of an axis whose size is a symbol.
Dim range_size(const IndexItem& item, Dim size) {
  const int64_t step = std::max(item.step, -INT64_MAX);
  const Dim low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto near = [](int64_t at) {  // what a Dim holds
    return std::clamp(at, -INT64_MAX / 4, INT64_MAX / 4);
  };
  // Of x[2:] and x[:-2] a formula that names the size once: it may be one of many in a row.
  const int64_t left_out = item.start && !item.stop   ? near(*item.start)
                           : item.stop && !item.start ? -near(*item.stop)
                                                      : 0;
  if (step > 0 && left_out > 0) return ceil_div(larger(size - left_out, 0), step);
  const auto place = [&](std::optional<int64_t> at, Dim fallback) {
    if (!at) return fallback;
    return smaller(larger(*at < 0 ? size + near(*at) : Dim(near(*at)), low), high);
  };
  const Dim start = place(item.start, step > 0 ? Dim(0) : size - 1);
  const Dim stop = place(item.stop, step > 0 ? size : Dim(-1));
  const Dim span = larger(step > 0 ? stop - start : start - stop, 0);
  return ceil_div(span, step > 0 ? step : -step);
}

// start:stop:step of an axis of `size`, by Python's rules.
Axis range_axis(const IndexItem& item, int64_t source, Dim dim) {
  if (!item.start && !item.stop && item.step == 1) return {source, 0, 1, dim};
  if (!dim.is_known()) return {source, 0, item.step, range_size(item, dim)};
  const int64_t size = dim.value();
  const int64_t step = std::max(item.step, -INT64_MAX);  // as Python does: it has a negative
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto place = [&](std::optional<int64_t> at, int64_t fallback) {
    if (!at) return fallback;
    return std::clamp(*at < 0 ? *at + size : *at, low, high);
  };
  const int64_t start = place(item.start, step > 0 ? 0 : size - 1);
  const int64_t stop = place(item.stop, step > 0 ? size : -1);
  const int64_t span = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  return {source, start, step, span <= 0 ? 0 : (span - 1) / stride + 1};
}

// Is there such an element? Of a size that is a symbol it is decided, or left to the run.
bool is_inside(int64_t at, Dim size) {
  if (size.is_known()) return -size.value() <= at && at < size.value();
  return at < 0 ? decide_less(size, -std::max(at, -INT64_MAX / 4)) != Tri::kYes
                : decide_less(std::min(at, INT64_MAX / 4), size) != Tri::kNo;
}

Plan plan_of(const Index& index, const InferCtx& cx, ShapeView shape) {
  int64_t used = 0, ellipses = 0;
  for (const IndexItem& item : index) {
    used += item.kind == IndexItem::Kind::kInteger || item.kind == IndexItem::Kind::kRange;
    ellipses += item.kind == IndexItem::Kind::kEllipsis;
  }
  cx.require_index(ellipses <= 1, "ellipsis", "the index ", index, " has ", ellipses,
                   " ellipses; at most one is allowed");
  cx.require_index(used <= rank_of(shape), "count", "the index ", index, " has ", used,
                   " entries for shape ", shape, " of rank ", shape.size(),
                   "; index at most one entry per axis");
  Plan plan;
  int64_t axis = 0;
  const auto keep_rest = [&](int64_t until) {
    for (; axis < until; ++axis)
      plan.axes.push_back({axis, 0, 1, shape[static_cast<size_t>(axis)]});
  };
  int64_t consumed = 0;
  for (const IndexItem& item : index) {
    switch (item.kind) {
      case IndexItem::Kind::kNewAxis: plan.axes.push_back({}); break;
      case IndexItem::Kind::kEllipsis: keep_rest(rank_of(shape) - (used - consumed)); break;
      case IndexItem::Kind::kRange:
        cx.require(item.step != 0, "step", "the step of axis ", axis, " is 0; steps are not 0");
        plan.axes.push_back(range_axis(item, axis, shape[static_cast<size_t>(axis)]));
        ++axis, ++consumed;
        break;
      case IndexItem::Kind::kInteger: {
        const Dim size = shape[static_cast<size_t>(axis)];
        cx.require_index(item.start.has_value(), "range", "the integer index of axis ", axis,
                         " has no value; set its start");
        const int64_t at = *item.start;
        cx.require_index(is_inside(at, size), "range", "index ", at, " is out of range for axis ",
                         axis, " of shape ", shape, "; indices go from ", Dim(0) - size, " to ",
                         size - 1);
        plan.picked.push_back({axis, at < 0 && size.is_known() ? at + size.value() : at, 1, 1});
        ++axis, ++consumed;
        break;
      }
    }
  }
  keep_rest(rank_of(shape));
  return plan;
}

}  // namespace

Shape indexed_shape(const Index& index, const InferCtx& cx, ShapeView shape) {
  Shape out;
  for (const Axis& axis : plan_of(index, cx, shape).axes) out.push_back(axis.size);
  return out;
}

ViewLayout indexed_view(const Index& index, const StridedLayout& x) {
  const Plan plan = plan_of(index, InferCtx{"slice"}, x.shape);
  ViewLayout out;
  bool is_empty = false;
  const auto stride = [&](int64_t axis) {
    return axis < 0 ? 0 : x.strides[static_cast<size_t>(axis)];
  };
  for (const Axis& axis : plan.axes) {
    // Along one element the step may be any number, even one that overflows here.
    const bool is_walked = !(axis.size == Dim(0) || axis.size == Dim(1));
    out.strides.push_back(stride(axis.source) * (is_walked ? axis.step : 1));
    is_empty = is_empty || axis.size == Dim(0);
    if (!(axis.size == Dim(0))) out.offset += stride(axis.source) * axis.start;
  }
  for (const Axis& axis : plan.picked) out.offset += stride(axis.source) * axis.start;
  if (is_empty) out.offset = 0;
  return out;
}

}  // namespace weft
