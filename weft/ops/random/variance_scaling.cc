// random.variance_scaling: weights whose variance is set by the number of inputs and outputs.
#include "weft/ops/random/variance_scaling.h"

#include <cmath>

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace random {
namespace {

struct ScalingAttrs {
  Shape shape;
  DType dtype = DType::kF32;
  double scale = 1;
  std::string mode = "fan_in";
  std::string distribution = "truncated_normal";
  int64_t in_axis = 1;
  int64_t out_axis = 0;
  static constexpr auto fields =
      fields_of(field("shape", &ScalingAttrs::shape, "the shape", kRequired),
                field("dtype", &ScalingAttrs::dtype, "the dtype of the elements"),
                field("scale", &ScalingAttrs::scale, "the variance times the fan"),
                field("mode", &ScalingAttrs::mode, "'fan_in', 'fan_out' or 'fan_avg'"),
                field("distribution", &ScalingAttrs::distribution,
                      "'truncated_normal', 'normal' or 'uniform'"),
                field("in_axis", &ScalingAttrs::in_axis,
                      "the axis of the layer's inputs: 1 in nn.linear and nn.conv2d"),
                field("out_axis", &ScalingAttrs::out_axis,
                      "the axis of the layer's outputs; other axes are "
                      "those of a window, and count for both"));
};

// How many inputs or outputs one of the other side meets.
double fan_of(const InferCtx& cx, const WeightAttrs& at, std::string_view mode) {
  cx.require(at.shape.size() >= 2, "rank", "shape ", at.shape, " has rank ", at.shape.size(),
             "; weights have an axis of inputs and one of outputs");
  const auto in_axis = static_cast<size_t>(cx.axis(at.in_axis, at.shape));
  const auto out_axis = static_cast<size_t>(cx.axis(at.out_axis, at.shape));
  cx.require(in_axis != out_axis, "axes", "in_axis and out_axis both name axis ", in_axis,
             "; they must differ");
  double window = 1;
  for (size_t i = 0; i < at.shape.size(); ++i) {
    if (i != in_axis && i != out_axis) window *= static_cast<double>(at.shape[i].value());
  }
  const double fan_in = window * static_cast<double>(at.shape[in_axis].value());
  const double fan_out = window * static_cast<double>(at.shape[out_axis].value());
  if (mode == "fan_in") return fan_in;
  if (mode == "fan_out") return fan_out;
  const bool is_average = mode == "fan_avg";
  cx.require(is_average, "mode", "mode is '", mode,
             "'; it must be 'fan_in', 'fan_out' or 'fan_avg'");
  return 0.5 * (fan_in + fan_out);
}

// The deviation of a standard normal variable that is cut at -2 and 2.
constexpr double kCutDeviation = 0.87962566103423978;

Tensors compose_variance_scaling(const ScalingAttrs& at, TensorSpan in) {
  const InferCtx cx{"variance_scaling"};
  cx.require(at.scale >= 0 && std::isfinite(at.scale), "scale", "scale is ", at.scale,
             "; it must be finite and at least 0");
  return {scaled_weights(cx.op, {at.shape, at.dtype, at.in_axis, at.out_axis}, in[0], at.scale,
                         at.mode, at.distribution)};
}

}  // namespace

Tensor scaled_weights(std::string_view op, const WeightAttrs& at, const Tensor& key, double scale,
                      std::string_view mode, std::string_view distribution) {
  const InferCtx cx{op};
  const FillAttrs fill{at.shape, at.dtype};
  fill_infer(fill, cx, {});
  cx.require_type(is_floating(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be floating");
  words_of_key(op, key);
  const double deviation = std::sqrt(scale / std::max(1.0, fan_of(cx, at, mode)));
  const DType wide = compute_of(at.dtype);
  if (distribution == "uniform") {
    const double bound = std::sqrt(3.0) * deviation;
    return cast(uniform(key, at.shape, wide) * (2 * bound) - bound, at.dtype);
  }
  if (distribution == "normal") return cast(normal(key, at.shape, wide) * deviation, at.dtype);
  const bool is_cut = distribution == "truncated_normal";
  cx.require(is_cut, "distribution", "distribution is '", distribution,
             "'; it must be 'truncated_normal', 'normal' or 'uniform'");
  Ints shape;
  for (Dim dim : at.shape) shape.push_back(dim.value());
  const Tensor draws =
      truncated_normal(key, Tensor::scalar(wide, -2), Tensor::scalar(wide, 2), shape, wide);
  return cast(draws * (deviation / kCutDeviation), at.dtype);
}

}  // namespace random

constinit const CompositeDef kVarianceScaling{
    .name = "variance_scaling",
    .module = "random",
    .doc =
        "Weights for a layer, with mean 0 and variance `scale / fan`: the fan is the number of "
        "inputs that meet in an output (`fan_in`), of outputs that an input reaches (`fan_out`), "
        "or "
        "the mean of both (`fan_avg`). The distribution is uniform, normal, or normal and cut at "
        "two deviations.",
    .inputs = {"key: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<random::ScalingAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"rank", "weights have two axes or more"},
             Law{"axes", "the two axes differ"}, Law{"scale", "the scale is a size"},
             Law{"mode", "the mode is a fan"}, Law{"distribution", "the distribution is known"}},
    .compose = rule<random::compose_variance_scaling>(),
    .known_as = {Alias{"jax", "nn.initializers.variance_scaling"},
                 Alias{"tf", "keras.initializers.VarianceScaling"}},
};

}  // namespace weft
