// Batch norm, instance norm and group norm.
#include "weft/nn/norm.h"

#include "weft/base/error.h"
#include "weft/nn/repr.h"
#include "weft/op/builtin.h"
#include "weft/op/context.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/norm/norm.h"

namespace weft::nn {
namespace {

// Ones and zeros, a number a channel.
std::vector<Wanted> per_channel(Variable& weight, Variable& bias, bool is_affine, int64_t size) {
  const std::optional<Shape> shape = is_affine ? std::optional(Shape{size}) : std::nullopt;
  return {{"weight", &weight, shape, init::ones}, {"bias", &bias, shape, init::zeros}};
}

// A statistic of the batch, which has the dtype of x: that may be a wider one.
void assign(const Variable& statistic, const Tensor& value, Where where) {
  const bool fits = value.dtype() == statistic.dtype();
  statistic.assign(fits ? value : cast(value, statistic.dtype()), where);
}

// The length of any saved vector.
std::optional<int64_t> channels_in(const State& state) {
  for (const auto& [name, value] : state) {
    if (value.rank() == 1) return value.dim(0).value();
  }
  return {};
}

void require_rank(std::string_view who, const Tensor& x, int64_t axes, bool may_lack_space) {
  if (x.rank() == axes + 2 || (may_lack_space && x.rank() == axes + 1)) return;
  fail(Code::kInvalid, who, "rank", "x has ", x.rank(), " axes; it needs ",
       may_lack_space ? text(axes + 1, " or ") : "", axes + 2);
}

Variable tracked(std::string_view name, const Tensor& value) {
  return Variable(value, {.name = name, .trainable = false});
}

}  // namespace

template <int kAxes>
BatchNormLayer<kAxes>::BatchNormLayer(int64_t num_features, BatchNormOptions options)
    : num_features(num_features), options_(std::move(options)) {
  this->begin(num_features, options_.key, options_.dtype);
}

template <int kAxes>
std::vector<Wanted> BatchNormLayer<kAxes>::wanted(int64_t size) const {
  num_features = size;
  if (options_.track_running_stats) {
    running_mean = tracked("running_mean", zeros({size}, this->dtype()));
    running_var = tracked("running_var", ones({size}, this->dtype()));
    num_batches_tracked = tracked("num_batches_tracked", zeros({}, DType::kI64));
  }
  return per_channel(weight, bias, options_.affine, size);
}

template <int kAxes>
Tensor BatchNormLayer<kAxes>::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  require_rank(kName, x, kAxes, /*may_lack_space=*/kAxes == 1);
  this->know(x.dim(options_.axis));
  const Tensor in = this->raised(x), mean = this->read(running_mean), var = this->read(running_var),
               by = this->read(weight), plus = this->read(bias);
  const bool uses_batch = this->training || !options_.track_running_stats;
  // Moved by 1, they are the batch's own.
  Tensors out = batch_norm(in, mean, var, by, plus, uses_batch, options_.momentum.value_or(1),
                           options_.eps, options_.axis, where);
  if (this->training && options_.track_running_stats) {
    if (!options_.momentum) {
      const Tensor count = cast(num_batches_tracked.read() + 1, mean.dtype());
      out[1] = mean + (out[1] - mean) / count;
      out[2] = var + (out[2] - var) / count;
    }
    assign(running_mean, out[1], where);
    assign(running_var, out[2], where);
    num_batches_tracked.assign_add(1, where);
  }
  return this->given_back(out[0]);
}

template <int kAxes>
std::string BatchNormLayer<kAxes>::extra_repr() const {
  Words words;
  words.item(num_features).add("eps", options_.eps);
  if (options_.momentum) {
    words.add("momentum", *options_.momentum);
  } else {
    words.add("momentum", Verbatim{"None"});
  }
  return words.text();
}

template <int kAxes>
std::optional<int64_t> BatchNormLayer<kAxes>::size_of(const State& state) const {
  return channels_in(state);
}

template <int kAxes>
InstanceNormLayer<kAxes>::InstanceNormLayer(int64_t num_features, InstanceNormOptions options)
    : num_features(num_features), options_(std::move(options)) {
  this->begin(options_.affine ? num_features : 0, options_.key, options_.dtype);
}

template <int kAxes>
std::vector<Wanted> InstanceNormLayer<kAxes>::wanted(int64_t size) const {
  if (options_.affine) num_features = size;
  return per_channel(weight, bias, options_.affine, size);
}

template <int kAxes>
Tensor InstanceNormLayer<kAxes>::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  require_rank(kName, x, kAxes, /*may_lack_space=*/false);
  this->know(x.dim(1));
  const Tensor in = this->raised(x), by = this->read(weight), plus = this->read(bias);
  return this->given_back(instance_norm(in, by, plus, options_.eps, where));
}

template <int kAxes>
std::string InstanceNormLayer<kAxes>::extra_repr() const {
  return Words().item(num_features).add("eps", options_.eps).text();
}

template <int kAxes>
std::optional<int64_t> InstanceNormLayer<kAxes>::size_of(const State& state) const {
  return channels_in(state);
}

template struct BatchNormLayer<1>;
template struct BatchNormLayer<2>;
template struct BatchNormLayer<3>;
template struct InstanceNormLayer<1>;
template struct InstanceNormLayer<2>;
template struct InstanceNormLayer<3>;

GroupNorm::GroupNorm(int64_t num_groups, int64_t num_channels, GroupNormOptions options)
    : num_groups(num_groups), num_channels(num_channels), options_(std::move(options)) {
  begin(num_channels, options_.key, options_.dtype);
}

std::vector<Wanted> GroupNorm::wanted(int64_t size) const {
  num_channels = size;
  return per_channel(weight, bias, options_.affine, size);
}

Tensor GroupNorm::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  know(x.dim(1));
  const Tensor in = raised(x), by = read(weight), plus = read(bias);
  return given_back(group_norm(in, num_groups, by, plus, options_.eps, where));
}

std::string GroupNorm::extra_repr() const {
  return Words().item(num_groups).item(num_channels).add("eps", options_.eps).text();
}

std::optional<int64_t> GroupNorm::size_of(const State& state) const { return channels_in(state); }

}  // namespace weft::nn
