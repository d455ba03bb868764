// What the derivative columns share: a sample as a function of the inputs it is differentiated in,
// random directions, and inner products.
#pragma once

#include "tests/op_suite/checks.h"
#include "weft/base/function_ref.h"
#include "weft/transform/vjp.h"

namespace weft::suite {

// Differences are taken in these dtypes only: others round too coarsely.
bool is_precise(DType dtype);
bool is_inexact(DType dtype);

// One sample as a function of the inputs that have a gradient; the others are constants.
class Differentiable {
 public:
  Differentiable(const Case& c, TensorSpan in, const AnyAttrs& attrs);

  // The outputs that have derivatives, from values of the inputs at `places`.
  Tensors operator()(TensorSpan values) const;
  // The same from all inputs: constants may be another transformation's tracers.
  Tensors at(TensorSpan all) const;
  Tensors chosen(TensorSpan all) const;
  Tensors point() const { return chosen(all_); }
  const std::vector<size_t>& places() const { return places_; }
  const Tensors& inputs() const { return all_; }

 private:
  const Case& case_;
  const AnyAttrs& attrs_;
  const bool refuses_;  // then all outputs are given, to see that none has a gradient
  Tensors all_;
  std::vector<size_t> places_;
};

// Has the op a derivative, but no rule for it?
bool misses_gradient(const Case& c);
// Does the op refuse to be differentiated, and say why?
bool refuses_gradient(const Case& c);
// The gradient of such an op: an error that says at which op the path ends. `gradient` takes it of
// a sample in a floating dtype, or of integers, which are refused at the door. Ops that are not to
// be traced raise their own law.
using GradientOf = FunctionRef<void(const Differentiable& f, TensorSpan in)>;
void expect_refusal(const Case& c, GradientOf gradient);
// Asks for it: of nothing, or with a cotangent, which an op that misses its rule must meet.
Tensors refused_gradient(FlatFunction f, TensorSpan in, bool with_cotangent);
// Has it gradients to compare? Those that raise have their own column.
bool has_gradients(const Case& c);

// Calls `check` for the samples that have derivatives, in the dtypes asked for; they are counted.
enum class Samples : uint8_t { kSmooth, kAll };
using CheckSample = FunctionRef<void(const Differentiable&, const Sample&, const AnyAttrs&)>;
void for_each_differentiable(const Case& c, std::initializer_list<DType> dtypes, Samples which,
                             CheckSample check);

Tensor random_like(const Tensor& x, Random& random);
Tensors random_like(TensorSpan xs, Random& random);
// x + step * direction; an undefined direction is zero.
Tensors moved(TensorSpan x, TensorSpan directions, double step);
// (f(x + h v) - f(x - h v)) / 2h, in long double.
Arrays central_differences(FlatFunction f, TensorSpan in, TensorSpan along, double step);
// The real inner product: for complex numbers, of the pairs of parts. Undefined is zero.
long double inner(TensorSpan a, TensorSpan b);
// Zeros in place of undefined tensors.
Tensors filled(Tensors values, TensorSpan like);
// Equal in bits, or why not.
std::string bit_difference(const Tensor& got, const Tensor& wanted);

// f and one derivative of it as a function: forwards along `tangents`, backwards from `cotangents`.
Tensors pushed(FlatFunction f, TensorSpan in, TensorSpan tangents);
Tensors pulled(FlatFunction f, TensorSpan in, TensorSpan cotangents);

// f32 against f64 at the same values, where `derivative` is taken in both.
using DerivativeOf = FunctionRef<Tensors(const Differentiable& f)>;
void check_narrow(const Case& c, DerivativeOf derivative);

}  // namespace weft::suite
