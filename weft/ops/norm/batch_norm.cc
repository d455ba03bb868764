// batch_norm: channels brought to mean 0 and variance 1, by the batch or by running statistics.
#include "weft/ops/norm/batch_norm.h"

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct BatchNormAttrs {
  bool training = false;
  double momentum = 0.1;
  double eps = 1e-5;
  int64_t axis = 1;
  static constexpr auto fields = fields_of(
      field("training", &BatchNormAttrs::training,
            "normalize by the statistics of the batch, not by the running ones"),
      field("momentum", &BatchNormAttrs::momentum, "the part of the batch in the new statistics"),
      field("eps", &BatchNormAttrs::eps, "what is added to the variance"),
      field("axis", &BatchNormAttrs::axis, "the axis of the channels: 1, or -1 if they are last"));
};

constexpr std::string_view kNames[] = {"x", "running_mean", "running_var", "weight", "bias"};

// One value a channel as [channels, 1]; `otherwise` if it is left out.
Tensor channel_values(const InferCtx& cx, TensorSpan in, size_t i, Dim channels, double otherwise) {
  const Shape column{channels, 1};
  if (in.size() <= i || !in[i].defined()) {
    return broadcast_to(Tensor::scalar(in[0].dtype(), otherwise), column);
  }
  cx.require(decide_same(in[i].shape(), Shape{channels}) != Tri::kNo, "channels", kNames[i],
             " has shape ", in[i].shape(), ", but x has ", channels,
             " channels; it must have one number each");
  return reshape(in[i], column);
}

// x as [batch, channels, space], and back.
struct Layout {
  Shape shape;
  int64_t axis;

  Tensor of(const Tensor& x) const {
    const auto rank = static_cast<int64_t>(shape.size());
    // Without an axis of space, the batch is the row.
    if (rank == 2) return expand_dims(axis == 1 ? permute_dims(x, {1, 0}) : x, 0);
    Dim before = 1, behind = 1;
    for (int64_t d = 0; d < rank; ++d) {
      if (d < axis) before *= shape[static_cast<size_t>(d)];
      if (d > axis) behind *= shape[static_cast<size_t>(d)];
    }
    const Dim channels = shape[static_cast<size_t>(axis)];
    if (axis + 1 < rank) return reshape(x, Shape{before, channels, behind});
    // Channels last: the first axis is the batch, the others are space.
    Dim space = 1;
    for (size_t d = 1; d + 1 < shape.size(); ++d) space *= shape[d];
    return permute_dims(reshape(x, Shape{shape[0], space, channels}), {0, 2, 1});
  }
  Tensor restored(const Tensor& y) const {
    const auto rank = static_cast<int64_t>(shape.size());
    if (rank == 2) {
      const Tensor matrix = squeeze(y, Ints{0});
      return axis == 1 ? permute_dims(matrix, {1, 0}) : matrix;
    }
    return reshape(axis + 1 < rank ? y : permute_dims(y, {0, 2, 1}), shape);
  }
};

Tensor moved_towards(const Tensor& running, const Tensor& now, double momentum) {
  const Tensor share = now * Tensor(momentum);
  return running * Tensor(1 - momentum) + share;
}

Tensors composed(const BatchNormAttrs& at, TensorSpan in) {
  const InferCtx cx{"batch_norm"};
  const Tensor& given = in[0];
  cx.require(given.rank() >= 2, "rank", "x has shape ", given.shape(),
             "; it must have a batch axis and channels");
  const Layout layout{Shape(given.shape()), cx.axis(at.axis, given.shape())};
  const Tensor x = layout.of(given);
  const Dim channels = x.dim(1);
  const Tensor weight = channel_values(cx, in, 3, channels, 1);
  const Tensor bias = channel_values(cx, in, 4, channels, 0);
  const bool has_running = in.size() > 2 && in[1].defined() && in[2].defined();
  const Tensor mean = channel_values(cx, in, 1, channels, 0);
  const Tensor variance = channel_values(cx, in, 2, channels, 1);
  const Shape flat{channels};
  if (!at.training) {
    cx.require(has_running, "running",
               "there are no running statistics to normalize by; give "
               "running_mean and running_var, or set training");
    const Tensor scale = channel_scale(variance, at.eps, Where{}) * weight;
    return {layout.restored((x - mean) * scale + bias), reshape(mean, flat),
            reshape(variance, flat)};
  }
  const Dim count = x.dim(0) * x.dim(2);
  cx.require(same(count, 1) != Tri::kYes && same(count, 0) != Tri::kYes, "count", "x has shape ",
             given.shape(),
             ", less than two values a channel; training needs at least 2 for a variance");
  const Tensors out =
      apply_all(kBatchNormTrain, inputs(x, weight, bias), EpsAttrs{at.eps}, Where{});
  // A number takes the dtype of what it meets; a count that only a graph knows is given it.
  const auto count_less = [&](double correction) {
    const Tensor number = divisor(x, Ints{0, 2}, correction);
    return number.is_weak() ? number : cast(number, out[2].dtype());
  };
  const Tensor one_less = count_less(1), unbiased = out[2] * count_less(0) / one_less;
  Tensor new_mean = stop_gradient(out[1]), new_variance = stop_gradient(unbiased);
  if (has_running) {
    new_mean = moved_towards(mean, new_mean, at.momentum);
    new_variance = moved_towards(variance, new_variance, at.momentum);
  }
  return {layout.restored(out[0]), reshape(new_mean, flat), reshape(new_variance, flat)};
}

}  // namespace

constinit const CompositeDef kBatchNorm{
    .name = "batch_norm",
    .module = "nn",
    .doc =
        "`(x - mean) / sqrt(variance + eps) * weight + bias`, channel by channel. With "
        "`training=True` the mean and the variance (of the population) are those of the batch, and "
        "the second and third result are the new running statistics: `(1 - momentum) * running + "
        "momentum * batch`, with the unbiased variance; without running ones, those of the batch. "
        "No gradient flows through them. Else `x` is normalized by the running statistics, which "
        "are given back. `x` is [batch, channels, space..], or has its channels at `axis`; weight "
        "(1) and bias (0) may be left out.",
    .inputs = {"x: floating", "running_mean?: like x", "running_var?: like x", "weight?: like x",
               "bias?: like x"},
    .outputs = {"out: like x", "new_mean: like x", "new_var: like x"},
    .attrs = attrs_type<BatchNormAttrs>(),
    .laws = {Law{"rank", "`x` has a batch axis and channels"},
             Law{"axis", "`axis` is an axis of `x`"},
             Law{"channels", "the other inputs have a number for each channel"},
             Law{"running", "without `training` there are running statistics"},
             Law{"count", "with `training` a channel has at least 2 values"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch",
                       "nn.functional.batch_norm: ours gives the new running statistics, too, and "
                       "changes nothing in place"},
                 Alias{"tf",
                       "nn.batch_normalization: ours takes x, mean, variance, weight, bias, and "
                       "gives the running statistics, too"},
                 Alias{"flax",
                       "linen.BatchNorm: its momentum is the weight of the old statistics, ours "
                       "that of the new"}},
};

namespace nn {

Tensors batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                   const Tensor& weight, const Tensor& bias, bool training, double momentum,
                   double eps, int64_t axis, Where where) {
  const BatchNormAttrs at{training, momentum, eps, axis};
  return compose_all(kBatchNorm, inputs(x, running_mean, running_var, weight, bias), &at, where);
}

}  // namespace nn
}  // namespace weft
