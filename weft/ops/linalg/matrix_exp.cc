// matrix_exp: the exponential function of matrices.
#include <algorithm>
#include <cmath>

#include "weft/op/native_outputs.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

Types exp_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  return {in[0]};
}

// Padé's approximation p(x) / p(-x), good for matrices of 1-norm up to `reach`. N. Higham, "The
// scaling and squaring method for the matrix exponential revisited", 2005; in float32 a shorter one
// is as good.
struct Approximation {
  double reach;
  std::span<const double> coefficients;
};
constexpr double kShort[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
constexpr double kLong[] = {64764752532480000,
                            32382376266240000,
                            7771770303897600,
                            1187353796428800,
                            129060195264000,
                            10559470521600,
                            670442572800,
                            33522128640,
                            1323241920,
                            40840800,
                            960960,
                            16380,
                            182,
                            1};

Approximation approximation_for(DType dtype) {
  if (real_of(dtype) == DType::kF64) return {5.371920351148152, kLong};
  return {3.925724783138660, kShort};
}

// How often each matrix is halved to come within reach. Not for NaN or infinity, which stay.
std::vector<double> halvings(const Tensor& x, double reach) {
  std::vector<double> out;
  const Tensor columns = sum(abs(x), Ints{-2}), norms = max(columns, Ints{-1});
  for (double norm : cast(norms, DType::kF64).to_vector<double>()) {
    const bool far = norm > reach && std::isfinite(norm);
    out.push_back(far ? std::ceil(std::log2(norm / reach)) : 0);
  }
  return out;
}

// One number for each matrix of x.
Tensor per_matrix(const std::vector<double>& values, const Tensor& x) {
  const Shape batch(batch_of(x.shape()));
  const Tensor wide =
      Tensor::from_bytes(DType::kF64, batch, std::as_bytes(std::span<const double>(values)));
  return expand_dims(expand_dims(cast(wide, real_of(x.dtype())), -1), -1);
}

// p(-x)^-1 p(x): the odd terms of p are x times a polynomial of x^2, and only they change sign.
Tensor approximated(const Tensor& x, std::span<const double> c) {
  const Where at{};
  const Tensor x2 = matmul(x, x), x4 = matmul(x2, x2), x6 = matmul(x4, x2);
  const Tensor one = diagonal_matrix(ones_like(diagonal(x)), at);
  const double unit = 1 / c[0];  // so that float32 does not meet numbers of 10^16
  const auto low = [&](size_t k) {
    const Tensor by_0 = one * (c[k] * unit), by_2 = x2 * (c[2 + k] * unit);
    const Tensor by_4 = x4 * (c[4 + k] * unit);
    return x6 * (c[6 + k] * unit) + by_4 + by_2 + by_0;
  };
  Tensor odd = low(1), even = low(0);
  if (c.size() > 8) {
    const auto high = [&](size_t k) {
      const Tensor by_2 = x2 * (c[8 + k] * unit), by_4 = x4 * (c[10 + k] * unit);
      return matmul(x6, x6 * (c[12 + k] * unit) + by_4 + by_2);
    };
    odd = odd + high(1);
    even = even + high(0);
  }
  const Tensor u = matmul(x, odd), sum = even + u;
  return solve(even - u, sum);
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor x = computed(in[0]);
  if (x.numel() == 0) return;
  const Approximation approximation = approximation_for(x.dtype());
  const std::vector<double> times = halvings(x, approximation.reach);
  std::vector<double> scales;
  for (double n : times) scales.push_back(std::exp2(-n));
  Tensor y = approximated(x * per_matrix(scales, x), approximation.coefficients);
  // Matrices that were halved less often stay as they are: no result depends on its neighbours.
  const Tensor counts = per_matrix(times, x);
  const double most = *std::max_element(times.begin(), times.end());
  for (double n = 1; n <= most; ++n) {
    const Tensor squared = matmul(y, y);
    y = where(greater_equal(counts, n), squared, y);
  }
  store(out[0], y);
}

// The derivative along d is the upper right block of exp([x d; 0 x]). d is brought to size 1 first:
// it should not decide how often x is halved.
Tensor along(const Tensor& x, const Tensor& d, Where at) {
  const Dim n = x.dim(-1);
  if (n == Dim(0)) return d;
  const Tensor size = stop_gradient(max(abs(d, at), Ints{-2, -1}, true, at), at);
  const Tensor is_positive = greater(size, 0, at);
  const Tensor usable = logical_and(isfinite(size, at), is_positive, at);
  const Tensor scale = where(usable, size, 1, at);
  const Tensor direction = divide(d, scale, at), none = zeros(Shape(x.shape()), x.dtype(), at);
  const Tensor upper = concat(Tensors{x, direction}, -1, at),
               lower = concat(Tensors{none, x}, -1, at);
  const Tensor whole = matrix_exp(concat(Tensors{upper, lower}, -2, at), at);
  return multiply(columns(rows(whole, 0, n, at), n, n + n, at), scale, at);
}

Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  return {along(cx.inputs[0], d[0], cx.where)};
}

Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {along(adjoint(cx.inputs[0], cx.where), g[0], cx.where)};
}

}  // namespace

Tensor matrix_exp(const Tensor& x, Where where) {
  return apply(kMatrixExp, inputs(x), kNoAttrs, where);
}

}  // namespace linalg

constinit const OpDef kMatrixExp{
    .name = "matrix_exp",
    .module = "linalg",
    .doc =
        "The exponential `1 + x + x^2 / 2 + ...` of each matrix, by Padé's approximation with "
        "scaling and squaring. A matrix with a NaN or an infinity gives NaN.",
    .inputs = {"x: inexact"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .infer = rule<linalg::exp_infer>(),
    .grad = derive::rules<linalg::pulled, linalg::pushed>().reading(1, false),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<linalg::run>(),
    .known_as = {Alias{"torch", "linalg.matrix_exp"}, Alias{"torch", "matrix_exp"},
                 Alias{"jax", "scipy.linalg.expm"}, Alias{"tf", "linalg.expm"}},
};

}  // namespace weft
