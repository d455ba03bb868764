// nn.to_channels_last: the same images, with the channels last in memory and unchanged axes.
#include "weft/ops/nn/to_channels_last.h"

#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// A reshape to a vector puts the elements into row-major order.
Tensors composed(const NoAttrs&, TensorSpan in) {
  const Tensor& x = in[0];
  InferCtx{"to_channels_last"}.require(x.rank() >= 3, "rank", "x has shape ", x.shape(),
                                       "; it needs the axes of examples, channels and space");
  const Tensor last = moveaxis(x, {1}, {-1});
  const Tensor row_major = reshape(reshape(last, {-1}), Shape(last.shape()));
  return {moveaxis(row_major, {-1}, {1})};
}

}  // namespace

constinit const CompositeDef kToChannelsLast{
    .name = "to_channels_last",
    .module = "nn",
    .doc =
        "The same images `[N, C, ..]` in memory that has the channels last, the layout in which "
        "convolutions and pooling compute. Shape and values stay; a tensor that lies so is not "
        "copied. In a graph, where the layout of a value is not the user's, it changes nothing.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "there are axes of examples, channels and space"}},
    .compose = rule<composed>(),
};

namespace nn {
Tensor to_channels_last(const Tensor& x, Where where) {
  return compose(kToChannelsLast, inputs(x), kNoAttrs, where);
}
}  // namespace nn

}  // namespace weft
