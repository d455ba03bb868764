// chunk: equal parts of an axis, the last one shorter.
#include "weft/op/apply.h"
#include "weft/ops/shape/arrange.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct ChunkAttrs {
  int64_t chunks = 1, axis = 0;
  static constexpr auto fields =
      fields_of(field("chunks", &ChunkAttrs::chunks, "how many parts, at most", kRequired),
                field("axis", &ChunkAttrs::axis, "the axis to cut"));
};

constexpr int64_t kMostChunks = 1 << 20;

Tensors composed(const ChunkAttrs& at, TensorSpan in) {
  const InferCtx cx{"chunk"};
  const int64_t axis = cx.axis(at.axis, in[0].shape()), size = in[0].dim(axis).value();
  cx.require(1 <= at.chunks && at.chunks <= kMostChunks, "chunks", "chunks is ", at.chunks,
             "; it must be between 1 and ", kMostChunks);
  const int64_t each = (size + at.chunks - 1) / at.chunks;
  Ints sizes;
  for (int64_t begin = 0; begin < size; begin += each) {
    sizes.push_back(begin + each < size ? each : size - begin);
  }
  if (size == 0) sizes = Ints(static_cast<size_t>(at.chunks), 0);
  return split(in[0], sizes, axis);
}

}  // namespace

constinit const CompositeDef kChunk{
    .name = "chunk",
    .doc =
        "`x` cut along `axis` into parts of size `ceil(size / chunks)`, the last one shorter; "
        "there may be fewer than `chunks` of them. They share memory with `x`. `split` takes the "
        "sizes themselves.",
    .inputs = {"x: any"},
    .outputs = {"out...: like x"},
    .attrs = attrs_type<ChunkAttrs>(),
    .laws = {Law{"chunks", "there is at least one part"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "chunk"},
                 Alias{"numpy",
                       "array_split: its first parts are one longer, of ours the last is shorter"}},
};

Tensors chunk(const Tensor& x, int64_t chunks, int64_t axis, Where where) {
  const ChunkAttrs at{chunks, axis};
  return compose_all(kChunk, inputs(x), &at, where);
}

}  // namespace weft
