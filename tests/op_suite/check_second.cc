// Column second: second derivatives, each of the four nestings of forward and reverse mode against
// differences of the first derivative, and against each other.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/op_suite/derivatives.h"

namespace weft::suite {
namespace {

constexpr double kAgreement = 1e-10;
constexpr double kStep = 1e-5;
constexpr double kDifferenceTolerance = 1e-6;  // of central differences of a first derivative

// The derivative along w of a first derivative, against differences of that.
void check_differences(FlatFunction derivative, TensorSpan in, TensorSpan w, const char* nesting) {
  const Tensors got = pushed(derivative, in, w);
  const Arrays expected = central_differences(derivative, in, w, kStep);
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(difference(to_array(got[k]), expected[k], kDifferenceTolerance), "")
        << nesting << ", number " << k;
  }
}

// u . D2f[v, w], computed in four ways.
void check_nestings(const Differentiable& f, TensorSpan in) {
  Random random(17);
  const Tensors v = random_like(in, random), w = random_like(in, random);
  const Tensors u = random_like(f(in), random);
  const auto forward = [&](TensorSpan x) { return pushed(f, x, v); };
  const auto reverse = [&](TensorSpan x) { return pulled(f, x, u); };
  const long double forward_forward = inner(u, pushed(forward, in, w));
  const auto expect_same = [&](long double got, const char* nesting) {
    const auto wanted = static_cast<double>(forward_forward);
    EXPECT_NEAR(static_cast<double>(got), wanted, kAgreement * (1 + std::abs(wanted)))
        << nesting << " and forward over forward differ";
  };
  expect_same(inner(pulled(forward, in, u), w), "reverse over forward");
  expect_same(inner(pushed(reverse, in, w), v), "forward over reverse");
  expect_same(inner(pulled(reverse, in, v), w), "reverse over reverse");
  check_differences(forward, in, w, "forward over forward");
  check_differences(reverse, in, w, "forward over reverse");
}

void check_sample(const Differentiable& f) {
  const Tensors in = f.point();
  bool precise = true;  // of a cast to less there are no differences to compare with
  for (const Tensor& t : f(in)) precise &= is_precise(t.dtype());
  for (const Tensor& t : in) precise &= is_precise(t.dtype());
  if (precise) check_nestings(f, in);
}

}  // namespace

void check_second(const Case& c) {
  if (refuses_gradient(c)) {
    expect_refusal(c, [](const Differentiable& f, TensorSpan in) {
      const auto gradient = [&](TensorSpan x) {
        const Linearization line(f, x, Where{});
        return connected(line, Tensors(x.size()), x, Unconnected::kRaise, "grad", Where{});
      };
      pushed(gradient, in, in);
    });
    return;
  }
  for_each_differentiable(
      c, {DType::kF64, DType::kC128}, Samples::kSmooth,
      [](const Differentiable& f, const Sample&, const AnyAttrs&) { check_sample(f); });
}

}  // namespace weft::suite
