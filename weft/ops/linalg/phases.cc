// How a fixed phase and close values enter derivatives.
#include "weft/ops/linalg/phases.h"

#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::linalg {

PhaseRule::PhaseRule(const Tensor& v, Where at) : dtype_(v.dtype()), rows_(v.dim(-2)), at_(at) {
  const Tensor fixed = stop_gradient(v, at), squares = square(abs(fixed, at), at);
  const Tensor bound = multiply(max(squares, Ints{-2}, true, at), 0.3, at);
  const Tensor large = cast(greater_equal(squares, bound, at), DType::kF32, at);
  places_ = argmax(large, -2, true, at);
  sizes_ = real(gather(v, places_, -2, at), at);
}

Tensor PhaseRule::turn(const Tensor& dv) const {
  const Tensor off = imag(gather(dv, places_, -2, at_), at_);
  return imaginary(negative(divide(off, sizes_, at_), at_), at_);
}

Tensor PhaseRule::turned_back(const Tensor& pull) const {
  const Tensor rows = expand_dims(positions(rows_, at_), 1, at_);
  const Tensor share = imaginary(negative(divide(pull, sizes_, at_), at_), at_);
  return where(equal(rows, places_, at_), share, 0, at_);
}

Tensor imaginary(const Tensor& x, Where at) {
  const Complex128 i{0.0, 1.0};
  const Tensor unit = Tensor::from_bytes(DType::kC128, {}, std::as_bytes(std::span(&i, 1)));
  const DType dtype = complex_of(x.dtype());
  const Tensor factor = cast(unit, dtype, at);
  return multiply(cast(x, dtype, at), factor, at);
}

Tensor reciprocal_gaps(const Tensor& values, Where at) {
  const Tensor rows = expand_dims(values, -1, at);
  const Tensor gaps = subtract(expand_dims(values, -2, at), rows, at);
  const Tensor none = equal(gaps, 0, at);
  return where(none, 0, reciprocal(where(none, 1, gaps, at), at), at);
}

Tensor scaled_columns(const Tensor& x, const Tensor& scale, Where at) {
  return multiply(x, expand_dims(scale, -2, at), at);
}

}  // namespace weft::linalg
