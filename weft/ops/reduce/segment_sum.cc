// segment_sum: sums of the rows that belong together.
#include "weft/op/apply.h"
#include "weft/ops/reduce/segment.h"

namespace weft {
namespace {

void run(const SegmentAttrs& at, TensorSpan in, TensorSpan out) {
  segment_run("segment_sum", at, in, out[0], SegmentBy::kSum);
}

Tensors batched(const SegmentAttrs& at, const BatchCtx& cx) {
  return segment_batched(kSegmentSum, at, cx);
}

Tensors transpose(const SegmentAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {of_segment(at, g[0], cx.inputs[1], cx.inputs[0].shape(), cx.where), Tensor()};
}

}  // namespace

constinit const OpDef kSegmentSum{
    .name = "segment_sum",
    .doc =
        "The sum of the rows `data[i]` with `segment_ids[i] == s`, for each `s`: rows are added in "
        "their order, half floats in float32. An empty segment gives 0. "
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
    .grad = derive::linear<transpose>().except(1, "segment ids are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"jax", "ops.segment_sum"}, Alias{"tf", "math.unsorted_segment_sum"}},
};

Tensor segment_sum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   Where where) {
  return apply(kSegmentSum, inputs(data, segment_ids), SegmentAttrs{num_segments}, where);
}

}  // namespace weft
