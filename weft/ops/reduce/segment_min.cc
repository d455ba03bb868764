// segment_min: the least of the rows that belong together.
#include "weft/op/apply.h"
#include "weft/ops/reduce/segment.h"

namespace weft {
namespace {

void run(const SegmentAttrs& at, TensorSpan in, TensorSpan out) {
  segment_run("segment_min", at, in, out[0], SegmentBy::kMin);
}

Tensors batched(const SegmentAttrs& at, const BatchCtx& cx) {
  return segment_batched(kSegmentMin, at, cx);
}

}  // namespace

constinit const OpDef kSegmentMin{
    .name = "segment_min",
    .doc =
        "The least of the rows `data[i]` with `segment_ids[i] == s`, for each `s` and column; NaN "
        "if "
        "there is one. An empty segment gives the greatest value of the dtype (inf). The gradient "
        "is shared equally among ties. "
        "Ids may come in any order; one that is negative or too great raises.",
    .inputs = {"data: ordered", "segment_ids: integer"},
    .outputs = {"out: like data"},
    .attrs = attrs_type<SegmentAttrs>(),
    .laws = {Law{"ids", "segment_ids have the first axes of data"},
             Law{"negative", "num_segments is at least 0"},
             Law{"batch_axes", "segment_ids have the batch axes"},
             Law{"index_dtype", "segment_ids fit int64"},
             Law{"range", "segment_ids are below num_segments"}},
    .infer = rule<segment_infer>(),
    .grad = derive::rules<segment_extremum_vjp, segment_extremum_jvp>().except(
        1, "segment ids are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"jax", "ops.segment_min"}, Alias{"tf", "math.unsorted_segment_min"}},
};

Tensor segment_min(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   Where where) {
  return apply(kSegmentMin, inputs(data, segment_ids), SegmentAttrs{num_segments}, where);
}

}  // namespace weft
