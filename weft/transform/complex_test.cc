// Derivatives of complex functions: the adjoint in reverse, Jacobians that agree in both modes.
#include <gtest/gtest.h>

#include "weft/transform/test_values.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensor number(float re, float im) {
  const Complex64 z{re, im};
  return Tensor::from_bytes(DType::kC64, {}, std::as_bytes(std::span(&z, 1)));
}
void expect_near(const Tensor& got, double re, double im) {
  ASSERT_EQ(got.dtype(), DType::kC64);
  const Complex64 z = got.to_vector<Complex64>()[0];
  EXPECT_NEAR(z.re, re, 1e-5);
  EXPECT_NEAR(z.im, im, 1e-5);
}

const auto cube = [](const Tensor& z) { return z * z * z; };  // 3 z^2 = -9 + 12i at 1 + 2i

TEST(Complex, ALossIsReal) {
  const Tensor z = number(1, 2);
  EXPECT_EQ(law_of([&] { grad(cube)(z); }), "grad.complex");
  EXPECT_EQ(law_of([&] { value_and_grad(cube)(z); }), "grad.complex");
  EXPECT_EQ(law_of([&] { hessian(cube)(z); }), "hessian.complex");
  const Variable v(z);
  EXPECT_EQ(law_of([&] { backward(v * v); }), "backward.complex");
  GradientTape tape({.persistent = true});
  const Tensor y = v * v;
  tape.stop();
  EXPECT_EQ(law_of([&] { tape.gradient(y, v); }), "GradientTape.gradient.complex");
  expect_near(tape.jacobian(y, v), 2, 4);
  // What the errors name works.
  expect_near(grad([](const Tensor& x) { return real(cube(x)); })(z), -9, -12);
  expect_near(vjp(cube, z).second(number(1, 0)), -9, -12);
  backward(v * v, {.gradient = number(1, 0)});
  expect_near(v.grad().value(), 2, -4);
}

TEST(Complex, JacobiansOfHolomorphicFunctionsAgree) {
  const Tensor z = number(1, 2);
  expect_near(jacfwd(cube)(z), -9, 12);
  expect_near(jacrev(cube)(z), -9, 12);
  expect_near(jacfwd(jacrev(cube))(z), 6, 12);
  expect_near(jacrev(jacrev(cube))(z), 6, 12);
}

TEST(Complex, JacobiansWithARealSideAgree) {
  const auto turned = [](const Tensor& x) { return x * x * number(3, 4); };
  expect_near(jacfwd(turned)(Tensor::scalar(DType::kF32, 2)), 12, 16);
  expect_near(jacrev(turned)(Tensor::scalar(DType::kF32, 2)), 12, 16);
  const auto size = [](const Tensor& z) { return real(z * conj(z)); };
  expect_near(jacfwd(size)(number(3, 4)), 6, -8);  // d size = Re(D dz)
  expect_near(jacrev(size)(number(3, 4)), 6, -8);
  expect_near(grad(size)(number(3, 4)), 6, 8);
  EXPECT_EQ(law_of([&] { hessian(size)(number(3, 4)); }), "hessian.complex");
  const Tensor along = number(0, 1);
  expect_near(hvp(size, number(3, 4), along), 0, 2);
}

}  // namespace
}  // namespace weft
