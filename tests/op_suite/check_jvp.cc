// Column jvp: forward mode against central differences; `linearize` against jvp.
#include <gtest/gtest.h>

#include "tests/op_suite/derivatives.h"
#include "weft/transform/jvp.h"

namespace weft::suite {
namespace {

constexpr double kStep = 1e-6;
constexpr double kDifferenceTolerance = 1e-6;  // of central differences in f64

// Along `tangents`, of which some may be undefined.
void check_along(const Differentiable& f, TensorSpan in, TensorSpan tangents) {
  const JvpResult forward = jvp_flat(f, in, tangents, Where{});
  const Tensors plain = f(in), zeroed = filled(forward.tangents, forward.outputs);
  const Linearization line(f, in, Where{});
  const Tensors again = filled(line.push(tangents), line.outputs());
  const Arrays expected = central_differences(f, in, tangents, kStep);
  ASSERT_EQ(forward.outputs.size(), plain.size());
  for (size_t k = 0; k < plain.size(); ++k) {
    EXPECT_EQ(bit_difference(forward.outputs[k], plain[k]), "") << "the value of output " << k;
    EXPECT_EQ(bit_difference(again[k], zeroed[k]), "") << "linearize and jvp, output " << k;
    if (!is_precise(expected[k].dtype)) continue;
    EXPECT_EQ(difference(to_array(zeroed[k]), expected[k], kDifferenceTolerance), "")
        << "the tangent of output " << k;
  }
}

// Along all inputs together, and along each one.
void check_sample(const Differentiable& f) {
  Random random(11);
  const Tensors in = f.point();
  Tensors directions = random_like(in, random);
  for (Tensor& v : directions) v = is_precise(v.dtype()) ? v : Tensor();
  check_along(f, in, directions);
  for (size_t i = 0; i < in.size() && in.size() > 1; ++i) {
    if (!directions[i].defined()) continue;
    Tensors one(in.size());
    one[i] = directions[i];
    check_along(f, in, one);
  }
}

// An op without a gradient is constant to forward mode: a zero that costs nothing.
void check_no_tangent(const Differentiable& f) {
  const Tensors in = f.places().empty() ? f.inputs() : f.point();
  const auto call = [&](TensorSpan x) { return f.places().empty() ? f.at(x) : f(x); };
  for (const Tensor& tangent : jvp_flat(call, in, in, Where{}).tangents) {
    EXPECT_FALSE(tangent.defined());
  }
}

}  // namespace

void check_jvp(const Case& c) {
  if (!c.test.untraced_law.empty() || misses_gradient(c)) {
    expect_refusal(c, [](const Differentiable& f, TensorSpan in) { pushed(f, in, in); });
    return;
  }
  if (refuses_gradient(c)) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[0].attrs);
    for (const DType dtype : c.dtypes) {
      check_no_tangent(Differentiable(c, to_tensors(sample_inputs(c, 0, dtype)), attrs));
    }
    return;
  }
  for_each_differentiable(
      c, {DType::kF64, DType::kC128}, Samples::kSmooth,
      [](const Differentiable& f, const Sample&, const AnyAttrs&) { check_sample(f); });
  check_narrow(c, [](const Differentiable& f) {
    Random random(11);
    const Tensors in = f.point();
    return pushed(f, in, random_like(in, random));
  });
}

}  // namespace weft::suite
