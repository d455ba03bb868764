// segment_prod: products of the rows that belong together.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/segment.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

void run(const SegmentAttrs& at, TensorSpan in, TensorSpan out) {
  segment_run("segment_prod", at, in, out[0], SegmentBy::kProd);
}

Tensors batched(const SegmentAttrs& at, const BatchCtx& cx) {
  return segment_batched(kSegmentProd, at, cx);
}

// For each row the product of those before it in its segment, of rows sorted by segment:
// p[i] = x[i - 1] * p[i - 1], and 1 where a segment begins.
Tensor products_before(const Tensor& x, const Tensor& begins, Where where) {
  const Tensor before = shifted_in(x, 1, 1, /*keep_last=*/false, where);
  const Tensor zero = scalar_like(x, 0), one = scalar_like(x, 1);
  const Tensor starts = weft::where(begins, one, zero);
  return linear_recurrence(weft::where(begins, zero, before), starts, 1, where);
}

// For each element the product of the others in its segment, from both sides, so that zeros do no
// harm.
Tensor products_of_others(const SegmentAttrs& at, const Tensor& data, const Tensor& ids,
                          Where where) {
  Dim batch = 1, rows = 1;
  for (int64_t i = 0; i < ids.rank(); ++i) (i < at.batch_axes ? batch : rows) *= ids.dim(i);
  Dim columns = 1;
  for (int64_t i = ids.rank(); i < data.rank(); ++i) columns *= data.dim(i);
  if (rows == Dim(0)) return data;
  const Tensor x = reshape(data, Shape{batch, rows, columns}, where);
  const Tensor flat = reshape(cast(ids, DType::kI64, where), Shape{batch, rows, 1}, where);
  const Tensor order = argsort(flat, 1, /*descending=*/false, where);
  const Tensor sorted_ids = gather(flat, order, 1, where);
  const Tensor sorted = gather(x, order, 1, where);
  const auto begins = [&](const Tensor& in_order) {
    return not_equal(in_order, shifted_in(in_order, -1, 1, /*keep_last=*/false, where), where);
  };
  const Ints along{1};
  const Tensor left =
      products_before(sorted, broadcast_to(begins(sorted_ids), Shape(x.shape()), where), where);
  const Tensor turned_ids = flip(sorted_ids, along, where);
  const Tensor ends = broadcast_to(begins(turned_ids), Shape(x.shape()), where);
  const Tensor right = products_before(flip(sorted, along, where), ends, where);
  const Tensor others = multiply(left, flip(right, along, where), where);
  const Tensor back = argsort(order, 1, /*descending=*/false, where);
  return reshape(gather(others, back, 1, where), Shape(data.shape()), where);
}

Tensors vjp(const SegmentAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor &x = cx.inputs[0], &ids = cx.inputs[1];
  const Tensor others = conj(products_of_others(at, x, ids, cx.where), cx.where);
  const Tensor change = of_segment(at, g[0], ids, x.shape(), cx.where);
  return {multiply_no_nan(others, change, cx.where), Tensor()};
}

Tensors jvp(const SegmentAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  const Tensor others = products_of_others(at, cx.inputs[0], cx.inputs[1], cx.where);
  const Tensor terms = multiply_no_nan(others, t[0], cx.where);
  return {apply(kSegmentSum, inputs(terms, cx.inputs[1]), at, cx.where)};
}

}  // namespace

constinit const OpDef kSegmentProd{
    .name = "segment_prod",
    .doc =
        "The product of the rows `data[i]` with `segment_ids[i] == s`, for each `s`: rows are "
        "multiplied in their order, half floats in float32. An empty segment gives 1. The gradient "
        "is right where elements are 0; an infinite product makes it NaN. "
        "Ids may come in any order; one that is negative or too great raises.",
    .inputs = {"data: numeric", "segment_ids: integer"},
    .outputs = {"out: like data"},
    .attrs = attrs_type<SegmentAttrs>(),
    .laws = {Law{"ids", "segment_ids have the first axes of data"},
             Law{"negative", "num_segments is at least 0"},
             Law{"batch_axes", "segment_ids have the batch axes"},
             Law{"index_dtype", "segment_ids fit int64"},
             Law{"range", "segment_ids are below num_segments"}},
    .infer = rule<segment_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(3, false).except(1, "segment ids are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"jax", "ops.segment_prod"}, Alias{"tf", "math.unsorted_segment_prod"}},
};

Tensor segment_prod(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                    Where where) {
  return apply(kSegmentProd, inputs(data, segment_ids), SegmentAttrs{num_segments}, where);
}

}  // namespace weft
