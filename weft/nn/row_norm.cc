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

// Of the last axis; kInferred if the first call tells it.
int64_t last_size(const Sizes& sizes) { return sizes.values.empty() ? 0 : sizes.values.back(); }
void set_last_size(Sizes& sizes, int64_t size) {
  if (!sizes.values.empty()) sizes.values.back() = size;
}

// By a saved weight.
std::optional<int64_t> last_size_in(const State& state) {
  const auto weight = state.find("weight");
  if (weight == state.end() || weight->second.rank() == 0) return {};
  return weight->second.dim(-1).value();
}

RowNormAttrs attrs(const Sizes& sizes, double eps) {
  return {static_cast<int64_t>(sizes.values.size()), eps};
}

}  // namespace

LayerNorm::LayerNorm(const Sizes& normalized_shape, LayerNormOptions options)
    : normalized_shape(normalized_shape), options_(std::move(options)) {
  begin(last_size(normalized_shape), options_.key, options_.dtype);
}

std::vector<Wanted> LayerNorm::wanted(int64_t size) const {
  set_last_size(normalized_shape, size);
  const bool is_affine = options_.elementwise_affine;
  return {{"weight", &weight, shape_if(is_affine, normalized_shape), init::ones},
          {"bias", &bias, shape_if(is_affine && options_.bias, normalized_shape), init::zeros}};
}

Tensor LayerNorm::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  if (is_pending()) know(x.dim(-1));
  const Tensor in = raised(x), by = read(weight), plus = read(bias);
  const RowNormAttrs at = attrs(normalized_shape, options_.eps);
  return given_back(compose(kLayerNorm, inputs(in, by, plus), at, where));
}

std::optional<int64_t> LayerNorm::size_of(const State& state) const { return last_size_in(state); }

std::string LayerNorm::extra_repr() const {
  return Words().item(normalized_shape).add("eps", options_.eps).text();
}

RMSNorm::RMSNorm(const Sizes& normalized_shape, RMSNormOptions options)
    : normalized_shape(normalized_shape), options_(std::move(options)) {
  begin(last_size(normalized_shape), options_.key, options_.dtype);
}

std::vector<Wanted> RMSNorm::wanted(int64_t size) const {
  set_last_size(normalized_shape, size);
  return {{"weight", &weight, shape_if(options_.elementwise_affine, normalized_shape), init::ones}};
}

Tensor RMSNorm::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  if (is_pending()) know(x.dim(-1));
  const Tensor in = raised(x), by = read(weight), none;
  const RowNormAttrs at = attrs(normalized_shape, options_.eps);
  return given_back(compose(kRmsNorm, inputs(in, by, none), at, where));
}

std::optional<int64_t> RMSNorm::size_of(const State& state) const { return last_size_in(state); }

std::string RMSNorm::extra_repr() const {
  return Words().item(normalized_shape).add("eps", options_.eps).text();
}

}  // namespace weft::nn
