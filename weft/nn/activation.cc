// Activations with options of their own, and PReLU.
#include "weft/nn/activation.h"

#include "weft/op/context.h"

namespace weft::nn {

Tensor GELU::forward(const Tensor& x, Where where) const { return gelu(x, approximate, where); }
std::string GELU::extra_repr() const {
  return Words().add_unless(std::string("none"), "approximate", approximate).text();
}

Tensor Hardtanh::forward(const Tensor& x, Where where) const {
  return hardtanh(x, min_val, max_val, where);
}
std::string Hardtanh::extra_repr() const {
  return Words().add_unless(-1.0, "min_val", min_val).add_unless(1.0, "max_val", max_val).text();
}

Tensor Threshold::forward(const Tensor& x, Where where) const {
  return nn::threshold(x, threshold, value, where);
}
std::string Threshold::extra_repr() const {
  return Words().add_unless(0.0, "threshold", threshold).add_unless(0.0, "value", value).text();
}

PReLU::PReLU(int64_t num_parameters, PReLUOptions options)
    : num_parameters(num_parameters), options_(std::move(options)) {
  begin(num_parameters, options_.key, options_.dtype);
}

std::vector<Wanted> PReLU::wanted(int64_t size) const {
  num_parameters = size;
  return {{"weight", &weight, Shape{size}, init::constant(options_.init)}};
}

Tensor PReLU::forward(const Tensor& x, Where where) const {
  const CalledFrom line(where);
  if (is_pending()) know(x.rank() > 1 ? x.dim(1) : Dim(1));
  const Tensor in = lowered(x), by = lowered(weight);
  return prelu(in, by, where);
}

std::optional<int64_t> PReLU::size_of(const State& state) const {
  const auto saved = state.find("weight");
  if (saved == state.end() || saved->second.rank() == 0) return {};
  return saved->second.dim(0).value();
}

std::string PReLU::extra_repr() const { return shown(num_parameters); }

}  // namespace weft::nn
