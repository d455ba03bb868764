// slogdet: sign and logarithm of determinants.
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace linalg {
namespace {

Tensors compose_slogdet(const NoAttrs&, TensorSpan in) {
  const Tensor x = as_inexact(in[0]);
  decide_square(InferCtx{"slogdet"}, x.type());
  const Tensors factors = lu_factor(computed(x));
  const Tensor pivots = diagonal(factors[0]), sizes = abs(pivots);
  const Tensor exchanges = exchange_sign(factors[1], factors[0].dtype());
  const Tensor sign_of = exchanges * prod(sign(pivots), Ints{-1});
  const Tensor log_size = sum(log(sizes), Ints{-1});
  return {cast(sign_of, x.dtype()), cast(log_size, real_of(x.dtype()))};
}

}  // namespace

Tensors slogdet(const Tensor& x, Where where) {
  return compose_all(kSlogdet, inputs(x), &kNoAttrs, where);
}

}  // namespace linalg

constinit const CompositeDef kSlogdet{
    .name = "slogdet",
    .module = "linalg",
    .doc =
        "The determinant of each matrix as a sign (a number of size 1 where it is complex) and the "
        "logarithm of its size: `det(x) = sign * exp(logabsdet)`, without overflow. A singular "
        "matrix has sign 0 and logarithm -inf; its gradient raises.",
    .inputs = {"x: inexact"},
    .outputs = {"sign: like x", "logabsdet: floating"},
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"square", "matrices are square"}},
    .compose = rule<linalg::compose_slogdet>(),
    .known_as = {Alias{"numpy", "linalg.slogdet"}, Alias{"torch", "linalg.slogdet"},
                 Alias{"torch", "logdet: ours gives the sign, too"},
                 Alias{"jax", "numpy.linalg.slogdet"}, Alias{"tf", "linalg.slogdet"}},
};

}  // namespace weft
