// Special values of complex functions, against C's Annex G as the C library has it in long double;
// the array API's special cases are the same.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/op_suite/checks.h"

namespace weft::suite {
namespace {

using Complex = std::complex<long double>;

Complex negative(Complex z) { return -z; }
Complex reciprocal(Complex z) { return 1.0L / z; }
Complex conj(Complex z) { return std::conj(z); }
Complex exp(Complex z) { return std::exp(z); }
Complex log(Complex z) { return std::log(z); }
Complex sqrt(Complex z) { return std::sqrt(z); }
Complex sin(Complex z) { return std::sin(z); }
Complex cos(Complex z) { return std::cos(z); }
Complex tan(Complex z) { return std::tan(z); }
Complex tanh(Complex z) { return std::tanh(z); }
Complex sinh(Complex z) { return std::sinh(z); }
Complex cosh(Complex z) { return std::cosh(z); }
Complex asin(Complex z) { return std::asin(z); }
Complex acos(Complex z) { return std::acos(z); }
Complex atan(Complex z) { return std::atan(z); }
Complex asinh(Complex z) { return std::asinh(z); }
Complex acosh(Complex z) { return std::acosh(z); }
Complex atanh(Complex z) { return std::atanh(z); }
// expm1 and log1p are not in C: their special cases are those of exp and log, shifted.
Complex expm1(Complex z) {
  const Complex e = std::exp(z);
  return {e.real() - 1, e.imag()};
}
Complex log1p(Complex z) { return std::log(Complex(z.real() + 1, z.imag())); }

struct Function {
  std::string_view op;
  Complex (*exact)(Complex);
  // The part that goes around the circle: where it is not finite, signs of results are unspecified.
  enum class Angle { kNone, kReal, kImaginary } angle;
};
constexpr Function kFunctions[] = {
    {"negative", negative, Function::Angle::kNone},
    {"conj", conj, Function::Angle::kNone},
    {"reciprocal", reciprocal, Function::Angle::kNone},
    {"exp", exp, Function::Angle::kImaginary},
    {"expm1", expm1, Function::Angle::kImaginary},
    {"log", log, Function::Angle::kNone},
    {"log1p", log1p, Function::Angle::kNone},
    {"sqrt", sqrt, Function::Angle::kNone},
    {"sin", sin, Function::Angle::kReal},
    {"cos", cos, Function::Angle::kReal},
    {"tan", tan, Function::Angle::kReal},
    {"tanh", tanh, Function::Angle::kImaginary},
    {"sinh", sinh, Function::Angle::kImaginary},
    {"cosh", cosh, Function::Angle::kImaginary},
    {"asin", asin, Function::Angle::kNone},
    {"acos", acos, Function::Angle::kNone},
    {"atan", atan, Function::Angle::kNone},
    {"asinh", asinh, Function::Angle::kNone},
    {"acosh", acosh, Function::Angle::kNone},
    {"atanh", atanh, Function::Angle::kNone},
};

const Function* function_of(std::string_view op) {
  for (const Function& f : kFunctions) {
    if (f.op == op) return &f;
  }
  return nullptr;
}

bool signs_are_open(const Function& f, const ScalarValue& z) {
  if (std::isnan(z.re) || std::isnan(z.im)) return true;
  if (f.op == "reciprocal") return true;  // which formula divides decides the signs of zeros
  // At infinity the array API gives tanh the zero of the angle's sign, where C looks at sin(2y).
  if (f.op == "tanh" && std::isinf(z.re)) return true;
  if (f.op == "tan" && std::isinf(z.im)) return true;
  return (f.angle == Function::Angle::kReal && std::isinf(z.re)) ||
         (f.angle == Function::Angle::kImaginary && std::isinf(z.im));
}

}  // namespace

void check_annex_g(const Case& c, const Array& in) {
  const Function* const f = function_of(c.test.op);
  if (f == nullptr) return;
  const AnyAttrs attrs(c.entry.attrs);
  const Array got = to_array(run(c.entry, to_tensors({in}), attrs.data())[0]);
  for (size_t i = 0; i < in.values.size(); ++i) {
    const ScalarValue& z = in.values[i];
    const Complex exact = f->exact(Complex(z.re, z.im));
    Array one = like(got, {}), wanted = like(got, {});
    one.values[0] = got.values[i];
    wanted.values[0] = {exact.real(), exact.imag(), 0};
    if (signs_are_open(*f, z)) {
      for (Array* of : {&one, &wanted}) {
        of->values[0] = {std::abs(of->values[0].re), std::abs(of->values[0].im), 0};
      }
    }
    EXPECT_EQ(difference(one, wanted, tolerance_of(in.dtype), true), "")
        << c.test.op << " of " << static_cast<double>(z.re) << " + " << static_cast<double>(z.im)
        << "i in " << text(in.dtype);
  }
}

}  // namespace weft::suite
