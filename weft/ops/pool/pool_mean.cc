// pool.mean and pool.spread: sums of windows divided by their size, and the transpose of that.
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/pool/pool.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types mean_infer(const MeanWindowAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(!at.divisor || *at.divisor != 0, "divisor", "the divisor is 0; it must be another");
  Shape out = window_places(at, cx, in[0].shape);
  out.insert(0, in[0].shape[0]);
  out.push_back(in[0].shape.back());
  return {{in[0].dtype, out}};
}

Types spread_infer(const SpreadWindowAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& g = in[0].shape;
  cx.require(g.size() == at.size.size() + 2, "rank", "g has shape ", g, ", but size has ",
             at.size.size(), " numbers; it must have one for each axis of space");
  cx.require(!at.divisor || *at.divisor != 0, "divisor", "the divisor is 0; it must be another");
  Shape out{g[0]};
  for (const int64_t size : at.size) out.push_back(size);
  out.push_back(g.back());
  const Shape places = window_places(at, cx, out);
  const ShapeView given = ShapeView(g).subspan(1, at.size.size());
  cx.require(same(given, places) != Tri::kNo, "places", "g has places ", given,
             ", but the windows have ", places, "; they must be equal");
  return {{in[0].dtype, out}};
}

void mean_run(const MeanWindowAttrs& at, TensorSpan in, TensorSpan out) {
  const DType wide = compute_of(in[0].dtype());
  const Ints sizes = space_of(in[0].shape());
  const Tensor mean = output_in(wide, out[0]);
  native::window_mean(mean, cast(in[0], wide), windows_of(at, sizes), divisors_of(at, sizes));
  store(out[0], mean);
}

void spread_run(const SpreadWindowAttrs& at, TensorSpan in, TensorSpan out) {
  const DType wide = compute_of(in[0].dtype());
  const Tensor sum = output_in(wide, out[0]);
  fill(sum, 0);
  native::window_spread(sum, cast(in[0], wide), windows_of(at, at.size), divisors_of(at, at.size));
  store(out[0], sum);
}

Tensors mean_transpose(const MeanWindowAttrs& at, const GradCtx& cx, TensorSpan g) {
  SpreadWindowAttrs spread;
  static_cast<MeanWindowAttrs&>(spread) = at;
  spread.size = space_of(cx.inputs[0].shape());
  return {apply(kPoolSpread, g, spread, cx.where)};
}
Tensors spread_transpose(const SpreadWindowAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {apply(kPoolMean, g, static_cast<const MeanWindowAttrs&>(at), cx.where)};
}

// The batch joins the batch axis.
template <const OpDef& Op, class Attrs>
Tensors batched(const Attrs& at, const BatchCtx& cx) {
  Shape joined(cx.inputs[0].shape().subspan(1));
  joined[0] = joined[0] * cx.size;
  const Tensor out = apply(Op, inputs(reshape(cx.inputs[0], joined, cx.where)), at, cx.where);
  Shape parted(out.shape());
  parted[0] = cx.inputs[0].dim(1);
  parted.insert(0, cx.size);
  return {reshape(out, parted, cx.where)};
}

}  // namespace

constinit const OpDef kPoolMean{
    .name = "pool.mean",
    .module = "nn",
    .doc =
        "The sum of each window of `x` [batch, space.., channels], channel by channel, divided by "
        "the number of its elements or by `divisor`. Elements are added in ascending order; half "
        "floats in float32. avg_pool1d .. and adaptive_avg_pool1d .. are the ones to call.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<MeanWindowAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis, 1 to 3 axes of space and channels"},
             Law{"count", "lists have a number for each axis of space"},
             Law{"positive", "taps, strides and places are at least 1, padding 0"},
             Law{"divisor", "the divisor is not 0"},
             Law{"window", "windows fit in and cover at least one element each"}},
    .infer = rule<mean_infer>(),
    .grad = derive::linear<mean_transpose>(),
    .batch = batch::rule<batched<kPoolMean, MeanWindowAttrs>>(),
    .kernel = kernel::native<mean_run>(),
};

constinit const OpDef kPoolSpread{
    .name = "pool.spread",
    .module = "nn",
    .doc =
        "The transpose of pool.mean: `g` [batch, places.., channels], divided as there, added to "
        "every element of its window, in ascending order of the places.",
    .inputs = {"g: floating"},
    .outputs = {"out: like g"},
    .attrs = attrs_type<SpreadWindowAttrs>(),
    .laws = {Law{"rank", "`g` has a batch axis, an axis for each number of `size`, and channels"},
             Law{"count", "lists have a number for each axis of space"},
             Law{"positive", "taps, strides and places are at least 1, padding 0"},
             Law{"divisor", "the divisor is not 0"},
             Law{"window", "windows fit in and cover at least one element each"},
             Law{"places", "`g` has the places that the windows have"}},
    .infer = rule<spread_infer>(),
    .grad = derive::linear<spread_transpose>(),
    .batch = batch::rule<batched<kPoolSpread, SpreadWindowAttrs>>(),
    .kernel = kernel::native<spread_run>(),
};

}  // namespace weft
