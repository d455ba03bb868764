// Shapes and batches of systems of equations.
#include "weft/ops/linalg/systems.h"

#include "weft/op/native_outputs.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::linalg {

Shape system_shape(const InferCtx& cx, TypeSpan in) {
  require_square(cx, in[0]);
  const Shape &a = in[0].shape, &b = in[1].shape;
  cx.require(!b.empty(), "rank", "b has rank 0; it must be a vector or a matrix");
  const Dim n = a.back(), rows = b.size() == 1 ? b[0] : b[b.size() - 2];
  cx.require(same(n, rows) != Tri::kNo, "rows", "a has ", n, " rows but b has ", rows,
             "; they must be equal");
  if (b.size() == 1) return with_vector(batch_of(a), n);
  return with_matrix(cx.broadcast(batch_of(a), batch_of(b)), n, b.back());
}

void run_system(TensorSpan in, const Tensor& out,
                FunctionRef<void(const Tensor& x, const Tensor& a, const Tensor& b)> kernel) {
  const bool is_vector = in[1].rank() == 1;
  const Tensor a = computed(in[0]);
  Tensor b = computed(in[1]);
  const Tensor result = output_in(a.dtype(), out);
  Tensor x = result;
  if (is_vector) {
    b = b.view(Shape{b.shape()[0], 1}, Ints{b.strides()[0], 0});
    Shape column(out.shape());
    column.push_back(1);
    x = result.view(column, contiguous_strides(column));
  }
  kernel(x, a, b);
  store(out, result);
}

Tensor product(const Tensor& a, const Tensor& x, bool vectors, Where at) {
  if (!vectors) return matmul(a, x, at);
  return squeeze(matmul(a, expand_dims(x, -1, at), at), Ints{-1}, at);
}

Tensor solve_like(const GradCtx& cx, const Tensor& b, FunctionRef<Tensor(const Tensor& b)> solve) {
  if (cx.inputs[1].rank() > 1) return solve(b);
  return squeeze(solve(expand_dims(b, -1, cx.where)), Ints{-1}, cx.where);
}

Tensor outer_product(const Tensor& left, const Tensor& right, bool vectors, Where at) {
  if (!vectors) return matmul(left, adjoint(right, at), at);
  const Tensor row = conj(expand_dims(right, -2, at), at);
  return matmul(expand_dims(left, -1, at), row, at);
}

namespace {

// [B, 1.., axes of one example]: as many axes behind the first as `rank`.
Tensor aligned(const Tensor& x, bool is_batched, int64_t rank, Where at) {
  if (!is_batched || x.rank() == rank + 1) return x;
  Shape shape{x.shape()[0]};
  while (static_cast<int64_t>(shape.size()) + x.rank() < rank + 2) shape.push_back(1);
  for (Dim dim : x.shape().subspan(1)) shape.push_back(dim);
  return reshape(x, shape, at);
}

}  // namespace

Tensors batched_system(const BatchCtx& cx,
                       FunctionRef<Tensor(const Tensor& a, const Tensor& b)> solve) {
  const Where at = cx.where;
  Tensor b = cx.inputs[1];
  const bool is_vector = b.rank() == (cx.batched[1] ? 2 : 1);
  if (is_vector) b = expand_dims(b, -1, at);
  const int64_t a_rank = cx.inputs[0].rank() - (cx.batched[0] ? 1 : 0);
  const int64_t b_rank = b.rank() - (cx.batched[1] ? 1 : 0), rank = std::max(a_rank, b_rank);
  const Tensor sides = aligned(b, cx.batched[1], rank, at);
  const Tensor x = solve(aligned(cx.inputs[0], cx.batched[0], rank, at), sides);
  return {is_vector ? squeeze(x, Ints{-1}, at) : x};
}

}  // namespace weft::linalg
