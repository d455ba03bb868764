// matrix_power: products of a matrix with itself.
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

struct PowerAttrs {
  int64_t n = 1;
  static constexpr auto fields =
      fields_of(field("n", &PowerAttrs::n, "the power; below 0 of the inverse", kRequired));
};

Tensor identity_like(const Tensor& x) {
  const Tensor places = positions(x.dim(-1), Where{});
  const Tensor unit = cast(equal(expand_dims(places, 1), places), x.dtype());
  return broadcast_to(unit, Shape(x.shape()));
}

Tensors compose_power(const PowerAttrs& at, TensorSpan in) {
  const Tensor& x = in[0];
  decide_square(InferCtx{"matrix_power"}, x.type());
  if (at.n == 0) return {identity_like(x)};
  Tensor square = at.n < 0 ? inv(x) : x, out;
  // -n of the least integer does not exist, but as an unsigned number it does.
  uint64_t n = at.n < 0 ? -static_cast<uint64_t>(at.n) : static_cast<uint64_t>(at.n);
  while (true) {
    if ((n & 1) != 0) out = out.defined() ? matmul(out, square) : square;
    n >>= 1;
    if (n == 0) return {out};
    square = matmul(square, square);
  }
}

}  // namespace

Tensor matrix_power(const Tensor& x, int64_t n, Where where) {
  return compose(kMatrixPower, inputs(x), PowerAttrs{n}, where);
}

}  // namespace linalg

constinit const CompositeDef kMatrixPower{
    .name = "matrix_power",
    .module = "linalg",
    .doc =
        "Each matrix multiplied with itself: `n` factors, by repeated squaring; the identity for "
        "0, powers of the inverse below 0.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<linalg::PowerAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .compose = rule<linalg::compose_power>(),
    .known_as = {Alias{"numpy", "linalg.matrix_power"}, Alias{"torch", "linalg.matrix_power"},
                 Alias{"jax", "numpy.linalg.matrix_power"}},
};

}  // namespace weft
