// group_norm: groups of channels brought to mean 0 and variance 1, example by example.
#include "weft/ops/norm/group_norm.h"

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {

Tensor normalized_groups(const InferCtx& cx, TensorSpan in, Dim groups, double eps) {
  const Tensor& x = in[0];
  const Dim channels = x.dim(1);
  Dim space = 1;
  for (const Dim dim : x.shape().subspan(2)) space *= dim;
  const Dim length = floor_div(channels, groups) * space;
  // A number a channel becomes one an element of the rows: then all is one pass over x.
  const auto along_rows = [&](size_t i, double left_out) {
    if (i >= in.size() || !in[i].defined()) return Tensor(left_out);
    cx.require(decide_same(in[i].shape(), Shape{channels}) != Tri::kNo, "channels",
               i == 1 ? "weight" : "bias", " has shape ", in[i].shape(), ", but x has ", channels,
               " channels; it must have one number each");
    const Tensor column = reshape(in[i], Shape{channels, 1});
    return reshape(broadcast_to(column, Shape{channels, space}), Shape{groups, length});
  };
  const Tensor weight = along_rows(1, 1.0), bias = along_rows(2, 0.0);
  const Tensor rows = reshape(x, Shape{x.dim(0), groups, length});
  const Tensor epsilon = Tensor::scalar(DType::kF64, eps);
  const Tensor out = apply(kLayerNormRows, inputs(rows, weight, bias, epsilon), kNoAttrs, Where{});
  return reshape(out, Shape(x.shape()));
}

namespace {

struct GroupNormAttrs {
  int64_t num_groups = 1;
  double eps = 1e-5;
  static constexpr auto fields =
      fields_of(field("num_groups", &GroupNormAttrs::num_groups,
                      "into how many groups channels are divided", kRequired),
                field("eps", &GroupNormAttrs::eps, "what is added to the variance"));
};

Tensors composed(const GroupNormAttrs& at, TensorSpan in) {
  const InferCtx cx{"group_norm"};
  cx.require(in[0].rank() >= 2, "rank", "x has shape ", in[0].shape(),
             "; it must have a batch axis and channels");
  const Dim channels = in[0].dim(1);
  cx.require(at.num_groups >= 1 && decide_same(floor_div(channels, at.num_groups) * at.num_groups,
                                               channels) != Tri::kNo,
             "groups", "x has ", channels, " channels, which do not divide into ", at.num_groups,
             " groups; their number must be a multiple");
  return {normalized_groups(cx, in, at.num_groups, at.eps)};
}

}  // namespace

constinit const CompositeDef kGroupNorm{
    .name = "group_norm",
    .module = "nn",
    .doc =
        "`(x - mean) / sqrt(variance + eps) * weight + bias` for `x` [batch, channels, space..], "
        "with the mean and the variance (of the population) of each group of channels of each "
        "example. `weight` and `bias`, a number a channel, may be left out.",
    .inputs = {"x: floating", "weight?: like x", "bias?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<GroupNormAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis and channels"},
             Law{"groups", "the channels divide into `num_groups` groups"},
             Law{"channels", "`weight` and `bias` have a number for each channel"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "nn.functional.group_norm"}, Alias{"flax", "linen.GroupNorm"},
                 Alias{"tf", "keras.layers.GroupNormalization"}},
};

namespace nn {

Tensor group_norm(const Tensor& x, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps, Where where) {
  return compose(kGroupNorm, inputs(x, weight, bias), GroupNormAttrs{num_groups, eps}, where);
}

}  // namespace nn
}  // namespace weft
