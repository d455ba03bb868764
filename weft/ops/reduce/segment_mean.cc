// segment_mean: means of the rows that belong together.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/segment.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Half floats are summed and divided in float32.
Tensors compose_segment_mean(const SegmentAttrs& at, TensorSpan in) {
  const Tensor given = as_inexact(in[0]);
  const DType wide = compute_of(given.dtype());
  const InferCtx cx{"segment_mean"};
  segment_infer(at, cx, Types{given.type(), in[1].type()});
  const Tensor total = apply(kSegmentSum, inputs(cast(given, wide), in[1]), at, Where::here());
  const Tensor ones = broadcast_to(Tensor::scalar(real_of(wide), 1), Shape(in[1].shape()));
  const Tensor count = apply(kSegmentSum, inputs(ones, in[1]), at, Where::here());
  Shape spread(count.shape());
  while (rank_of(spread) < total.rank()) spread.push_back(1);
  return {cast(total / reshape(maximum(count, 1.0), spread), given.dtype())};
}

}  // namespace

constinit const CompositeDef kSegmentMean{
    .name = "segment_mean",
    .doc =
        "The mean of the rows `data[i]` with `segment_ids[i] == s`, for each `s`; 0 for an empty "
        "segment. Rows are added in their order; integers and bools become float32.",
    .inputs = {"data: inexact", "segment_ids: integer"},
    .outputs = {"out: like data"},
    .attrs = attrs_type<SegmentAttrs>(),
    .laws = {Law{"ids", "segment_ids have the first axes of data"},
             Law{"negative", "num_segments is at least 0"},
             Law{"batch_axes", "segment_ids have the batch axes"},
             Law{"index_dtype", "segment_ids fit int64"}},
    .compose = rule<compose_segment_mean>(),
    .known_as = {Alias{"tf", "math.unsorted_segment_mean"}},
};

Tensor segment_mean(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                    Where where) {
  return compose(kSegmentMean, inputs(data, segment_ids), SegmentAttrs{num_segments}, where);
}

}  // namespace weft
