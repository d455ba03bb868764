// pixel_shuffle and space_to_depth: channels as a finer grid of pixels, and back; channels first
// (as PyTorch) or last (as TensorFlow).
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct FactorAttrs {
  int64_t factor = 2;
  static constexpr auto fields = fields_of(field(
      "factor", &FactorAttrs::factor, "how much finer the grid is along each axis", kRequired));
};

void require_multiple(const InferCtx& cx, const Tensor& x, int64_t axis, int64_t of) {
  const Dim size = x.dim(axis);
  cx.require(same(floor_div(size, of) * Dim(of), size) != Tri::kNo, "multiple", "axis ", axis,
             " of shape ", x.shape(), " has size ", size, "; it must be a multiple of ", of);
}

void require_image(const InferCtx& cx, const Tensor& x, int64_t factor) {
  cx.require(x.rank() >= 3, "rank", "x has shape ", x.shape(),
             "; it needs the axes of channels, rows and columns");
  cx.require(factor >= 1 && factor <= 1 << 15, "factor", "factor is ", factor,
             "; it must be at least 1 and below 2^15");
}

// The shape of x without its last three axes, then `rest`.
Shape with_last(const Tensor& x, std::initializer_list<Dim> rest) {
  Shape out(x.shape().subspan(0, x.shape().size() - 3));
  for (Dim dim : rest) out.push_back(dim);
  return out;
}

// Axes behind those in front of the last three, in this order.
Tensor reordered(const Tensor& x, std::initializer_list<int64_t> order) {
  const int64_t front = x.rank() - static_cast<int64_t>(order.size());
  Ints axes;
  for (int64_t i = 0; i < front; ++i) axes.push_back(i);
  for (int64_t axis : order) axes.push_back(front + axis);
  return permute_dims(x, axes);
}

Tensors shuffled(const FactorAttrs& at, TensorSpan in) {
  const InferCtx cx{"pixel_shuffle"};
  const Tensor& x = in[0];
  require_image(cx, x, at.factor);
  require_multiple(cx, x, -3, at.factor * at.factor);
  const Dim r = at.factor, c = floor_div(x.dim(-3), r * r), h = x.dim(-2), w = x.dim(-1);
  const Tensor apart = reshape(x, with_last(x, {c, r, r, h, w}));
  return {reshape(reordered(apart, {0, 3, 1, 4, 2}), with_last(x, {c, h * r, w * r}))};
}

Tensors unshuffled(const FactorAttrs& at, TensorSpan in) {
  const InferCtx cx{"pixel_unshuffle"};
  const Tensor& x = in[0];
  require_image(cx, x, at.factor);
  require_multiple(cx, x, -2, at.factor);
  require_multiple(cx, x, -1, at.factor);
  const Dim r = at.factor, c = x.dim(-3), h = floor_div(x.dim(-2), r), w = floor_div(x.dim(-1), r);
  const Tensor apart = reshape(x, with_last(x, {c, h, r, w, r}));
  return {reshape(reordered(apart, {0, 2, 4, 1, 3}), with_last(x, {c * r * r, h, w}))};
}

Tensors to_space(const FactorAttrs& at, TensorSpan in) {
  const InferCtx cx{"depth_to_space"};
  const Tensor& x = in[0];
  require_image(cx, x, at.factor);
  require_multiple(cx, x, -1, at.factor * at.factor);
  const Dim r = at.factor, h = x.dim(-3), w = x.dim(-2), c = floor_div(x.dim(-1), r * r);
  const Tensor apart = reshape(x, with_last(x, {h, w, r, r, c}));
  return {reshape(reordered(apart, {0, 2, 1, 3, 4}), with_last(x, {h * r, w * r, c}))};
}

Tensors to_depth(const FactorAttrs& at, TensorSpan in) {
  const InferCtx cx{"space_to_depth"};
  const Tensor& x = in[0];
  require_image(cx, x, at.factor);
  require_multiple(cx, x, -3, at.factor);
  require_multiple(cx, x, -2, at.factor);
  const Dim r = at.factor, h = floor_div(x.dim(-3), r), w = floor_div(x.dim(-2), r), c = x.dim(-1);
  const Tensor apart = reshape(x, with_last(x, {h, r, w, r, c}));
  return {reshape(reordered(apart, {0, 2, 1, 3, 4}), with_last(x, {h, w, r * r * c}))};
}

constexpr Laws kLaws = {Law{"rank", "x has axes of channels, rows and columns"},
                        Law{"factor", "the factor is at least 1"},
                        Law{"multiple", "sizes are multiples of what they are divided by"}};

}  // namespace

constinit const CompositeDef kPixelShuffle{
    .name = "pixel_shuffle",
    .module = "nn",
    .doc =
        "`[..., c * r * r, h, w]` as `[..., c, h * r, w * r]` with `r = factor`: channels become "
        "a finer grid.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FactorAttrs>(),
    .laws = kLaws,
    .compose = rule<shuffled>(),
    .known_as = {Alias{"torch", "nn.functional.pixel_shuffle"}},
};
constinit const CompositeDef kPixelUnshuffle{
    .name = "pixel_unshuffle",
    .module = "nn",
    .doc =
        "`[..., c, h * r, w * r]` as `[..., c * r * r, h, w]` with `r = factor`: the inverse of "
        "`pixel_shuffle`.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FactorAttrs>(),
    .laws = kLaws,
    .compose = rule<unshuffled>(),
    .known_as = {Alias{"torch", "nn.functional.pixel_unshuffle"}},
};
constinit const CompositeDef kDepthToSpace{
    .name = "depth_to_space",
    .module = "nn",
    .doc =
        "`[..., h, w, r * r * c]` as `[..., h * r, w * r, c]` with `r = factor`: channels, which "
        "are last, become a finer grid.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FactorAttrs>(),
    .laws = kLaws,
    .compose = rule<to_space>(),
    .known_as = {Alias{"tf", "nn.depth_to_space"}},
};
constinit const CompositeDef kSpaceToDepth{
    .name = "space_to_depth",
    .module = "nn",
    .doc =
        "`[..., h * r, w * r, c]` as `[..., h, w, r * r * c]` with `r = factor`: the inverse of "
        "`depth_to_space`.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FactorAttrs>(),
    .laws = kLaws,
    .compose = rule<to_depth>(),
    .known_as = {Alias{"tf", "nn.space_to_depth"}},
};

namespace nn {

Tensor pixel_shuffle(const Tensor& x, int64_t factor, Where where) {
  return compose(kPixelShuffle, inputs(x), FactorAttrs{factor}, where);
}
Tensor pixel_unshuffle(const Tensor& x, int64_t factor, Where where) {
  return compose(kPixelUnshuffle, inputs(x), FactorAttrs{factor}, where);
}
Tensor depth_to_space(const Tensor& x, int64_t factor, Where where) {
  return compose(kDepthToSpace, inputs(x), FactorAttrs{factor}, where);
}
Tensor space_to_depth(const Tensor& x, int64_t factor, Where where) {
  return compose(kSpaceToDepth, inputs(x), FactorAttrs{factor}, where);
}

}  // namespace nn
}  // namespace weft
