// matrix_transpose: the last two axes exchanged, as a view.
#include "weft/ops/shape/matrix_transpose.h"

#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Tensors transposed(const NoAttrs&, TensorSpan in) {
  InferCtx{"matrix_transpose"}.require(in[0].rank() >= 2, "rank", "x has shape ", in[0].shape(),
                                       ", but needs two axes at least");
  return {swapaxes(in[0], -2, -1)};
}

}  // namespace

constinit const CompositeDef kMatrixTranspose{
    .name = "matrix_transpose",
    .doc = "The last two axes exchanged: each matrix of a batch is transposed. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "the input has two axes or more"}},
    .compose = rule<transposed>(),
    .known_as = {Alias{"numpy", "matrix_transpose"},
                 Alias{"torch", "adjoint: ours does not conjugate"},
                 Alias{"jax", "numpy.matrix_transpose"}, Alias{"tf", "linalg.matrix_transpose"}},
};

Tensor matrix_transpose(const Tensor& x, Where where) {
  return compose(kMatrixTranspose, inputs(x), kNoAttrs, where);
}

}  // namespace weft
