// kron: every element of one tensor times the whole of another.
#include "weft/ops/linalg/kron.h"

#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Shape with_rank(ShapeView shape, size_t rank) {
  Shape out(shape);
  while (out.size() < rank) out.insert(0, 1);
  return out;
}

// [n, m] and [p, q] as [n, 1, m, 1] * [1, p, 1, q], read as [n * p, m * q].
Tensors composed(const NoAttrs&, TensorSpan in) {
  const InferCtx cx{"kron"};
  const auto rank = static_cast<size_t>(std::max(in[0].rank(), in[1].rank()));
  cx.require(2 * rank <= static_cast<size_t>(kMaxRank), "rank", "a has shape ", in[0].shape(),
             " and b has shape ", in[1].shape(), "; at most ", kMaxRank / 2,
             " axes are multiplied");
  const Shape a = with_rank(in[0].shape(), rank), b = with_rank(in[1].shape(), rank);
  Shape outer, inner, out;
  for (size_t i = 0; i < rank; ++i) {
    outer.push_back(a[i]), outer.push_back(1);
    inner.push_back(1), inner.push_back(b[i]);
    out.push_back(a[i] * b[i]);
  }
  const Tensor block = reshape(in[1], inner);
  return {reshape(reshape(in[0], outer) * block, out)};
}

}  // namespace

constinit const CompositeDef kKron{
    .name = "kron",
    .doc =
        "The Kronecker product: `out[i * p + k, j * q + l] = a[i, j] * b[k, l]` for `b` of shape "
        "[p, q], and so for any rank; the one of lower rank gets axes of size 1 in front.",
    .inputs = {"a: numeric", "b: like a"},
    .outputs = {"out: like a"},
    .laws = {Law{"rank", "there are at most 16 axes"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "kron"}, Alias{"torch", "kron"}, Alias{"jax", "numpy.kron"},
                 Alias{"tf", "experimental.numpy.kron"}},
};

Tensor kron(const Tensor& a, const Tensor& b, Where where) {
  return compose(kKron, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
