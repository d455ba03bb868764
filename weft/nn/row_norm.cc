// LayerNorm and RMSNorm.
#include "weft/nn/row_norm.h"

#include "weft/nn/repr.h"
#include "weft/op/apply.h"
#include "weft/op/context.h"
#include "weft/ops/norm/norm.h"

namespace weft::nn {
namespace {

std::optional<Shape> shape_if(bool is_wanted, const Sizes& sizes) {
  if (!is_wanted) return {};
  Shape shape;
  for (const int64_t size : sizes.values) shape.push_back(size);
  return shape;
}

RowNormAttrs attrs(const Sizes& sizes, double eps) {
  return {static_cast<int64_t>(sizes.values.size()), eps};
}

}  // namespace

LayerNorm::LayerNorm(const Sizes& normalized_shape, LayerNormOptions options)
    : normalized_shape(normalized_shape), options_(std::move(options)) {
  begin(0, options_.key, options_.dtype);
}

std::vector<Wanted> LayerNorm::wanted(int64_t) const {
  const bool is_affine = options_.elementwise_affine;
  return {{"weight", &weight, shape_if(is_affine, normalized_shape), init::ones},
          {"bias", &bias, shape_if(is_affine && options_.bias, normalized_shape), init::zeros}};
}

Tensor LayerNorm::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  const Tensor in = raised(x), by = read(weight), plus = read(bias);
  const RowNormAttrs at = attrs(normalized_shape, options_.eps);
  return given_back(compose(kLayerNorm, inputs(in, by, plus), at, where));
}

std::string LayerNorm::extra_repr() const {
  return Words().item(normalized_shape).add("eps", options_.eps).text();
}

RMSNorm::RMSNorm(const Sizes& normalized_shape, RMSNormOptions options)
    : normalized_shape(normalized_shape), options_(std::move(options)) {
  begin(0, options_.key, options_.dtype);
}

std::vector<Wanted> RMSNorm::wanted(int64_t) const {
  return {{"weight", &weight, shape_if(options_.elementwise_affine, normalized_shape), init::ones}};
}

Tensor RMSNorm::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  const Tensor in = raised(x), by = read(weight), none;
  const RowNormAttrs at = attrs(normalized_shape, options_.eps);
  return given_back(compose(kRmsNorm, inputs(in, by, none), at, where));
}

std::string RMSNorm::extra_repr() const {
  return Words().item(normalized_shape).add("eps", options_.eps).text();
}

}  // namespace weft::nn
