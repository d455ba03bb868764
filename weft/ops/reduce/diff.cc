// diff: differences of neighbours along an axis.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct DiffAttrs {
  int64_t axis = -1;
  int64_t n = 1;
  static constexpr auto fields =
      fields_of(field("axis", &DiffAttrs::axis, "the axis to run along"),
                field("n", &DiffAttrs::n, "how many times to take differences"));
};

// Without its first (or last) slice along `axis`.
Tensor without(const Tensor& x, int64_t axis, bool first) {
  Index index(static_cast<size_t>(axis));
  IndexItem item;
  (first ? item.start : item.stop) = first ? 1 : -1;
  index.push_back(item);
  return slice(x, index);
}

// x with an optional input joined before or after it; a scalar stands for one slice.
Tensor joined(const InferCtx& cx, const Tensor& x, const Tensor& more, int64_t axis, bool before) {
  Shape shape(x.shape());
  Tensor part = more.is_weak() ? cast(more, x.dtype()) : more;  // concat promotes
  if (more.rank() == 0) {
    shape[static_cast<size_t>(axis)] = 1;
    part = broadcast_to(part, shape);
  }
  bool fits = part.rank() == x.rank();
  for (int64_t i = 0; fits && i < x.rank(); ++i) {
    fits = i == axis || decide_same(part.dim(i), x.dim(i)) != Tri::kNo;
  }
  cx.require(fits, "ends", before ? "prepend" : "append", " has shape ", more.shape(),
             " but x has shape ", x.shape(), "; they may differ only on axis ", axis);
  return before ? concat(inputs(part, x), axis) : concat(inputs(x, part), axis);
}

Tensors compose_diff(const DiffAttrs& at, TensorSpan in) {
  const InferCtx cx{"diff"};
  Tensor x = in[0];
  const int64_t axis = cx.axis(at.axis, x.shape());
  cx.require(at.n >= 0, "n", "n is ", at.n, "; it must be at least 0");
  if (in.size() > 1 && in[1].defined()) x = joined(cx, x, in[1], axis, /*before=*/true);
  if (in.size() > 2 && in[2].defined()) x = joined(cx, x, in[2], axis, /*before=*/false);
  for (int64_t i = 0; i < at.n && !(x.dim(axis) == Dim(0)); ++i) {
    const Tensor left = without(x, axis, /*first=*/false), right = without(x, axis, true);
    x = x.dtype() == DType::kBool ? right != left : right - left;
  }
  return {x};
}

}  // namespace

constinit const CompositeDef kDiff{
    .name = "diff",
    .doc =
        "Differences `x[i + 1] - x[i]` along `axis`, taken `n` times. `prepend` and `append` are "
        "joined to `x` first, along the axis; a scalar stands for one slice. Of bools, whether "
        "neighbours differ.",
    .inputs = {"x: any", "prepend?: any", "append?: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DiffAttrs>(),
    .laws = {Law{"n", "n is at least 0"}, Law{"ends", "prepend and append continue x"}},
    .compose = rule<compose_diff>(),
    .known_as = {Alias{"numpy", "diff"}, Alias{"torch", "diff"}, Alias{"jax", "numpy.diff"},
                 Alias{"tf", "experimental.numpy.diff"}},
};

Tensor diff(const Tensor& x, int64_t axis, int64_t n, Where where) {
  return compose(kDiff, inputs(x), DiffAttrs{axis, n}, where);
}

}  // namespace weft
