// Linear and Bilinear.
#include "weft/nn/linear.h"

#include "weft/nn/repr.h"
#include "weft/op/context.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::nn {
namespace detail {

std::vector<Wanted> weight_and_bias(Variable& weight, const Shape& shape, Variable& bias,
                                    std::optional<Shape> bias_shape, int64_t fan_in,
                                    const Initializer& weight_init, const Initializer& bias_init) {
  const Initializer usual = init::fan_in_uniform(fan_in);
  return {{"weight", &weight, shape, weight_init ? weight_init : usual},
          {"bias", &bias, std::move(bias_shape), bias_init ? bias_init : usual}};
}

}  // namespace detail

Linear::Linear(int64_t in_features, int64_t out_features, LinearOptions options)
    : in_features(in_features), out_features(out_features), options_(std::move(options)) {
  begin(in_features, options_.key, options_.dtype);
}

std::vector<Wanted> Linear::wanted(int64_t size) const {
  in_features = size;
  const std::optional<Shape> columns =
      options_.bias ? std::optional(Shape{out_features}) : std::nullopt;
  return detail::weight_and_bias(weight, {out_features, size}, bias, columns, size,
                                 options_.weight_init, options_.bias_init);
}

Tensor Linear::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  know(x.dim(-1));
  const Tensor in = lowered(x), by = lowered(weight), plus = lowered(bias);
  return linear(in, by, plus, line_for_user(where));
}

std::string Linear::extra_repr() const {
  return Words()
      .item(in_features)
      .item(out_features)
      .add_unless(true, "bias", options_.bias)
      .text();
}

Bilinear::Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features,
                   LinearOptions options)
    : in1_features(in1_features),
      in2_features(in2_features),
      out_features(out_features),
      options_(std::move(options)) {
  begin(in2_features == kInferred ? kInferred : in1_features, options_.key, options_.dtype);
}

std::vector<Wanted> Bilinear::wanted(int64_t size) const {
  in1_features = size;
  const std::optional<Shape> columns =
      options_.bias ? std::optional(Shape{out_features}) : std::nullopt;
  return detail::weight_and_bias(weight, {out_features, size, in2_features}, bias, columns, size,
                                 options_.weight_init, options_.bias_init);
}

Tensor Bilinear::forward(const Tensor& a, const Tensor& b, Where where) const {
  const CalledFrom line(where);
  if (is_pending()) {  // sizes that were named stay
    if (in2_features == kInferred) in2_features = b.dim(-1).value();
    know(in1_features == kInferred ? a.dim(-1) : Dim(in1_features));
  }
  const Tensor left = lowered(a), right = lowered(b), by = lowered(weight), plus = lowered(bias);
  const Tensor out = einsum("...i,oij,...j->...o", Tensors{left, by, right}, line_for_user(where));
  return plus.defined() ? out + plus : out;
}

std::optional<int64_t> Bilinear::size_of(const State& state) const {
  const auto saved = state.find("weight");
  if (saved == state.end() || saved->second.rank() != 3) return {};
  in2_features = saved->second.dim(2).value();
  return saved->second.dim(1).value();
}

std::string Bilinear::extra_repr() const {
  return Words()
      .item(in1_features)
      .item(in2_features)
      .item(out_features)
      .add_unless(true, "bias", options_.bias)
      .text();
}

}  // namespace weft::nn
