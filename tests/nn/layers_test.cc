// Every layer: eager and traced give the same bits, gradients reach every parameter, states
// round-trip, sizes may be left out, and mixed precision is close.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/nn/layer_rows.h"

namespace weft::nn {
namespace {

class Layers : public testing::TestWithParam<LayerRow> {};

Shared<BuiltLayer> made(const std::function<Shared<BuiltLayer>()>& make) {
  seed(3);
  return make();
}

std::vector<Tensor> listed(TensorSpan tensors) { return {tensors.begin(), tensors.end()}; }

TEST_P(Layers, TracedEqualsEager) {
  const Shared<BuiltLayer> layer = made(GetParam().make);
  const std::vector<Tensor> inputs = listed(GetParam().inputs());
  for (const bool mode : {false, true}) {
    layer->train(mode);
    // A function keeps the mode of its trace.
    const auto traced =
        function([&](const std::vector<Tensor>& x) { return listed(layer->call(x)); });
    const State start = layer->module().state_dict();
    seed(1);
    const std::string eager = fingerprint_flat(layer->call(inputs));
    const std::string after = fingerprint(layer->module().state_dict());
    layer->module().load_state_dict(start);
    seed(1);
    EXPECT_EQ(fingerprint(traced(inputs)), eager);
    EXPECT_EQ(fingerprint(layer->module().state_dict()), after);
  }
}

// A number that depends on every element of every result.
Tensor loss_of(TensorSpan results) {
  Tensor total = 0.0;
  double factor = 1;
  for (const Tensor& x : results) {
    const Tensor term = sum(sin(x * factor));
    total = total + term;
    factor += 1;
  }
  return total;
}

TEST_P(Layers, GradientsReachEveryParameter) {
  const Shared<BuiltLayer> layer = made(GetParam().make);
  const Tensors inputs = GetParam().inputs();
  const auto parameters = layer->module().named_parameters();
  if (parameters.empty()) return;
  seed(1);
  backward(loss_of(layer->call(inputs)));
  State eager, values;
  for (const auto& [name, parameter] : parameters) {
    ASSERT_TRUE(parameter.grad().defined()) << name;
    eager[name] = parameter.grad().value();
    values[name] = parameter.value();
    const bool may_be_zero = name.ends_with("in_proj_bias");
    EXPECT_TRUE(may_be_zero || max(abs(eager[name])).item() > 0) << name;
  }
  const auto by_values = [&](const State& given) {
    return loss_of(layer->call_with(given, inputs));
  };
  seed(1);
  EXPECT_EQ(fingerprint(grad(by_values)(values)), fingerprint(eager));
  seed(1);
  EXPECT_EQ(fingerprint(function(grad(by_values))(values)), fingerprint(eager));
}

TEST_P(Layers, StatesRoundTrip) {
  const Shared<BuiltLayer> layer = made(GetParam().make);
  seed(4);
  const Shared<BuiltLayer> other = GetParam().make();
  const State state = layer->module().state_dict();
  const LoadReport report = other->module().load_state_dict(state);
  EXPECT_TRUE(report);
  EXPECT_EQ(report.matched.size(), state.size());
  EXPECT_EQ(fingerprint(other->module().state_dict()), fingerprint(state));
  layer->train(false);
  other->train(false);
  const Tensors inputs = GetParam().inputs();
  EXPECT_EQ(fingerprint_flat(other->call(inputs)), fingerprint_flat(layer->call(inputs)));
}

TEST_P(Layers, SizesMayBeLeftOut) {
  if (!GetParam().make_lazy) return;
  const Shared<BuiltLayer> layer = made(GetParam().make), lazy = made(GetParam().make_lazy),
                           traced = made(GetParam().make_lazy), loaded = made(GetParam().make_lazy);
  try {
    lazy->module().parameters();
    FAIL() << "parameters before the first call";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              text("Module: ", lazy->module().type_name(),
                   " has no parameters yet: its input size was left out; call the model once, or "
                   "name the size [Module.size]"));
  }
  EXPECT_TRUE(loaded->module().load_state_dict(layer->module().state_dict()));
  const std::vector<Tensor> inputs = listed(GetParam().inputs());
  const std::string out = fingerprint_flat(layer->call(inputs));
  EXPECT_EQ(fingerprint_flat(lazy->call(inputs)), out);
  const auto call = [&](const std::vector<Tensor>& x) { return listed(traced->call(x)); };
  EXPECT_EQ(fingerprint(function(call)(inputs)), out);  // made while it is traced
  EXPECT_EQ(fingerprint(traced->module().state_dict()), fingerprint(layer->module().state_dict()));
  EXPECT_EQ(fingerprint(lazy->module().state_dict()), fingerprint(layer->module().state_dict()));
  EXPECT_EQ(lazy->module().repr(), layer->module().repr());
}

TEST_P(Layers, MixedPrecisionIsClose) {
  const Shared<BuiltLayer> layer = made(GetParam().make);
  layer->train(false);
  const Tensors inputs = GetParam().inputs();
  const Tensors exact = layer->call(inputs);
  for (ModuleBase* const module : layer->module().modules()) module->compute_dtype = DType::kBF16;
  const Tensors low = layer->call(inputs);
  for (size_t i = 0; i < exact.size(); ++i) {
    const double size = std::max(1.0, max(abs(exact[i])).item());
    EXPECT_LE(max(abs(exact[i] - cast(low[i], DType::kF32))).item(), 0.05 * size);
  }
  for (const Variable& parameter : layer->module().parameters()) {
    EXPECT_EQ(parameter.dtype(), DType::kF32);
  }
}

std::string test_name(const testing::TestParamInfo<LayerRow>& row) {
  std::string name = row.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Layers, testing::ValuesIn(layer_rows()), test_name);

}  // namespace
}  // namespace weft::nn
