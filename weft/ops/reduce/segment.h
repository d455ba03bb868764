// What reductions by segment share: data[i] belongs to segment ids[i].
#pragma once

#include "weft/core/native.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

struct SegmentAttrs {
  int64_t num_segments = 0;
  int64_t batch_axes = 0;
  static constexpr auto fields = fields_of(
      field("num_segments", &SegmentAttrs::num_segments, "how many segments", kRequired),
      field("batch_axes", &SegmentAttrs::batch_axes,
            "how many leading axes of data and segment_ids are a batch, each with segments of its "
            "own"));
};

Types segment_infer(const SegmentAttrs& at, const InferCtx& cx, TypeSpan in);
void segment_run(std::string_view op, const SegmentAttrs& at, TensorSpan in, const Tensor& out,
                 SegmentBy by);
// Both inputs get the batch axis, and `op` one more of them.
Tensors segment_batched(const OpDef& op, const SegmentAttrs& at, const BatchCtx& cx);

// For each element of data what `x`, of the result's shape, holds for its segment.
Tensor of_segment(const SegmentAttrs& at, const Tensor& x, const Tensor& ids, ShapeView data,
                  Where where);

// Rules of segment_max and segment_min: ties share the gradient equally.
Tensors segment_extremum_vjp(const SegmentAttrs& at, const GradCtx& cx, TensorSpan g);
Tensors segment_extremum_jvp(const SegmentAttrs& at, const GradCtx& cx, TensorSpan t);

}  // namespace weft
