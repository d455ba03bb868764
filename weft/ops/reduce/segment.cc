// What reductions by segment share: shapes, the kernel's call, batches, and gradients of extrema.
#include "weft/ops/reduce/segment.h"

#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/indexing.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Data as [batch, rows, columns]: the axes of ids before and after `batch_axes`, and the rest.
struct Extents {
  Dim batch = 1, rows = 1, columns = 1;

  Extents(const SegmentAttrs& at, ShapeView data, ShapeView ids) {
    for (size_t i = 0; i < data.size(); ++i) {
      (i < static_cast<size_t>(at.batch_axes) ? batch : i < ids.size() ? rows : columns) *= data[i];
    }
  }
};

// As in max: 1 / (number of ties) for elements that equal their segment's result, else 0; NaN in
// segments whose result is NaN, but 0 where nothing comes in.
Tensor shares(const SegmentAttrs& at, const GradCtx& cx, const Tensor& change) {
  const Tensor &x = cx.inputs[0], &ids = cx.inputs[1];
  const DType wide = compute_of(x.dtype());
  const Tensor best = of_segment(at, cx.outputs[0], ids, x.shape(), cx.where);
  const Tensor chosen = cast(equal(x, best, cx.where), wide, cx.where);
  const Tensor count = apply(kSegmentSum, inputs(chosen, ids), at, cx.where);
  const Tensor ties = of_segment(at, count, ids, x.shape(), cx.where);
  const Tensor none = equal(change, scalar_like(change, 0), cx.where);
  const Tensor divisor = where(none, maximum(ties, scalar_like(ties, 1), cx.where), ties, cx.where);
  return cast(divide(chosen, divisor, cx.where), x.dtype(), cx.where);
}

}  // namespace

Types segment_infer(const SegmentAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape &data = in[0].shape, &ids = in[1].shape;
  require_index_dtype(cx, in[1].dtype);
  cx.require(at.num_segments >= 0, "negative", "num_segments is ", at.num_segments,
             "; it must be at least 0");
  cx.require(0 <= at.batch_axes && at.batch_axes <= rank_of(ids), "batch_axes", "batch_axes is ",
             at.batch_axes, ", but segment_ids have rank ", ids.size(), "; it goes from 0 to that");
  bool fits = ids.size() <= data.size();
  for (size_t i = 0; fits && i < ids.size(); ++i) fits = same(ids[i], data[i]) != Tri::kNo;
  cx.require(fits, "ids", "segment_ids have shape ", ids, " but data has shape ", data,
             "; they must be its first axes");
  Shape out(ShapeView(data).first(static_cast<size_t>(at.batch_axes)));
  out.push_back(at.num_segments);
  for (Dim dim : ShapeView(data).subspan(ids.size())) out.push_back(dim);
  num_elements(out);
  return {{in[0].dtype, out}};
}

void segment_run(std::string_view op, const SegmentAttrs& at, TensorSpan in, const Tensor& out,
                 SegmentBy by) {
  const Extents n(at, in[0].shape(), in[1].shape());
  // One value for all is counted without a copy for each.
  const std::span<const int64_t> strides = in[0].strides();
  const bool is_one = n.columns == Dim(1) && in[0].numel() > 1 &&
                      std::all_of(strides.begin(), strides.end(), [](int64_t s) { return s == 0; });
  const Tensor data = is_one ? in[0].view(Shape{1, 1, 1}, Ints{0, 0, 0})
                             : reshape(packed(in[0]), Shape{n.batch, n.rows, n.columns});
  const Tensor ids = reshape(packed(index_tensor(in[1])), Shape{n.batch, n.rows});
  const Shape shape{n.batch, at.num_segments, n.columns};
  const Tensor result = out.view(shape, contiguous_strides(shape));
  const int64_t bad = native::segment(result, data, ids, by);
  if (bad >= 0) {
    int64_t rest = bad;
    Ints position(static_cast<size_t>(in[1].rank()), 0);
    for (int64_t i = in[1].rank() - 1; i >= 0; --i) {
      position[static_cast<size_t>(i)] = rest % in[1].dim(i).value();
      rest /= in[1].dim(i).value();
    }
    const int64_t id = ids.dtype() == DType::kI32 ? static_cast<const int32_t*>(ids.data())[bad]
                                                  : static_cast<const int64_t*>(ids.data())[bad];
    fail(Code::kIndex, op, "range", "segment id ", id, " at position ", position,
         " is out of range for ", at.num_segments, " segments; ids count from 0");
  }
}

Tensors segment_batched(const OpDef& op, const SegmentAttrs& at, const BatchCtx& cx) {
  SegmentAttrs more = at;
  ++more.batch_axes;
  const Tensor ids = cx.with_batch_axis(1);
  return {apply(op, inputs(cx.with_batch_axis(0), ids), more, cx.where)};
}

Tensor of_segment(const SegmentAttrs& at, const Tensor& x, const Tensor& ids, ShapeView data,
                  Where where) {
  const Extents n(at, data, ids.shape());
  const Tensor rows = reshape(x, Shape{n.batch, at.num_segments, n.columns}, where);
  const Tensor which = reshape(ids, Shape{n.batch, n.rows, 1}, where);
  return reshape(gather(rows, which, 1, where), Shape(data), where);
}

Tensors segment_extremum_vjp(const SegmentAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor change = of_segment(at, g[0], cx.inputs[1], cx.inputs[0].shape(), cx.where);
  return {multiply_no_nan(change, shares(at, cx, change), cx.where), Tensor()};
}

Tensors segment_extremum_jvp(const SegmentAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  const Tensor terms = multiply_no_nan(t[0], shares(at, cx, t[0]), cx.where);
  return {apply(kSegmentSum, inputs(terms, cx.inputs[1]), at, cx.where)};
}

}  // namespace weft
