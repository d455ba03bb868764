// matmul: products of matrices, of vectors, and of batches of matrices.
#include <algorithm>
#include "weft/core/native.h"

#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types matmul_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape &a = in[0].shape, &b = in[1].shape;
  for (size_t i = 0; i < 2; ++i) {
    cx.require(in[i].rank() > 0, "rank", i == 0 ? "a" : "b",
               " has rank 0; both inputs need at least one axis (multiply scales by a scalar)");
  }
  const Dim inner_a = a.back(), inner_b = b.size() == 1 ? b[0] : b[b.size() - 2];
  cx.require(same(inner_a, inner_b) != Tri::kNo, "inner", "shapes ", a, " and ", b,
             " do not fit: a has ", inner_a, " columns but b has ", inner_b,
             " rows; they must be equal");
  const auto batch_of = [](const Shape& s) {
    return ShapeView(s).subspan(0, s.size() < 2 ? 0 : s.size() - 2);
  };
  Shape out = cx.broadcast(batch_of(a), batch_of(b));
  if (a.size() > 1) out.push_back(a[a.size() - 2]);
  if (b.size() > 1) out.push_back(b.back());
  return {{in[0].dtype, out}};
}

// [.., m, k] as [.. * m, k]: one product of many rows in place of many products.
bool rows_fold(const Tensor& a, const Tensor& b) {
  return b.rank() == 2 && a.rank() > 2 && a.is_contiguous();
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  Tensor a = in[0], b = in[1], c = result;
  Shape matrix(out[0].shape());
  if (a.rank() == 1) {
    a = a.view(Shape{1, a.shape()[0]}, Ints{0, a.strides()[0]});
    matrix.insert(matrix.size() - (b.rank() == 1 ? 0 : 1), 1);
  }
  if (b.rank() == 1) {
    b = b.view(Shape{b.shape()[0], 1}, Ints{b.strides()[0], 0});
    matrix.push_back(1);
  }
  if (rows_fold(a, b)) {
    const Dim k = a.shape().back(), rows = num_elements(a.shape().first(a.shape().size() - 1));
    a = a.view(Shape{rows, k}, contiguous_strides(Shape{rows, k}));
    matrix = Shape{rows, matrix.back()};
  }
  c = c.view(matrix, contiguous_strides(matrix));
  native::matmul(c, a, b);
}

using linalg::adjoint;

// Without axis `axis`, which has size 1.
Tensor without(const Tensor& x, int64_t axis, Where where) { return squeeze(x, Ints{axis}, where); }

// [.., m, k] as [.. * m, k]; sizes may be 0.
Tensor folded(const Tensor& x, Where where) {
  const Dim rows = num_elements(x.shape().first(x.shape().size() - 1));
  return reshape(x, Shape{rows, x.shape().back()}, where);
}

// da = g b^H, db = a^H g, on inputs seen as matrices; the machinery sums over broadcast batches.
Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan cotangents) {
  const bool a_vector = cx.inputs[0].rank() == 1, b_vector = cx.inputs[1].rank() == 1;
  const Where at = cx.where;
  Tensor a = cx.inputs[0], b = cx.inputs[1], g = cotangents[0];
  if (b_vector) g = expand_dims(g, -1, at);
  if (a_vector) g = expand_dims(g, -2, at);
  Tensors out(2);
  // An input is read only where the other's cotangent is wanted: else a tape has not kept it.
  if (cx.wanted[0]) {
    if (b_vector) b = expand_dims(b, -1, at);
    out[0] = matmul(g, adjoint(b, at), at);
    if (a_vector) out[0] = without(out[0], -2, at);
  }
  if (cx.wanted[1]) {
    if (a_vector) a = expand_dims(a, 0, at);
    // One matrix b for all of a's batch: the sum over the batch is part of one product.
    const bool fold = cx.inputs[1].rank() <= 2 && a.rank() > 2;
    if (fold) a = folded(a, at), g = folded(g, at);
    out[1] = matmul(adjoint(a, at), g, at);
    if (b_vector) out[1] = without(out[1], -1, at);
  }
  return out;
}

// A batched input as [B, 1.., batch.., rows, columns] of `rank` axes behind the first; an unbatched
// one as a matrix.
Tensor as_matrices(const Tensor& x, bool is_batched, bool column, int64_t rank, Where where) {
  Shape shape(x.shape().first(is_batched ? 1 : 0)), own(x.shape().subspan(is_batched ? 1 : 0));
  if (own.size() == 1) own.insert(column ? 1 : 0, 1);
  while (is_batched && static_cast<int64_t>(shape.size() + own.size()) < rank + 1) {
    shape.push_back(1);
  }
  for (Dim dim : own) shape.push_back(dim);
  return reshape(x, shape, where);
}

// Vectors of a batch become the rows of one matrix where the other input is shared.
Tensors batched(const NoAttrs&, const BatchCtx& cx) {
  const Tensor &a = cx.inputs[0], &b = cx.inputs[1];
  const int64_t a_rank = a.rank() - (cx.batched[0] ? 1 : 0);
  const int64_t b_rank = b.rank() - (cx.batched[1] ? 1 : 0);
  if (a_rank == 1 && b_rank == 2 && !cx.batched[1]) return {matmul(a, b, cx.where)};
  // The order of complex products matters to the last bit, so only real ones change sides.
  if (a_rank == 2 && b_rank == 1 && !cx.batched[0] && !is_complex(a.dtype())) {
    return {matmul(b, permute_dims(a, {1, 0}, cx.where), cx.where)};
  }
  const int64_t rank = std::max({a_rank, b_rank, int64_t{2}});
  const Tensor right = as_matrices(b, cx.batched[1], true, rank, cx.where);
  Tensor out = matmul(as_matrices(a, cx.batched[0], false, rank, cx.where), right, cx.where);
  if (b_rank == 1) out = without(out, -1, cx.where);
  if (a_rank == 1) out = without(out, b_rank == 1 ? -1 : -2, cx.where);
  return {out};
}

}  // namespace

constinit const OpDef kMatmul{
    .name = "matmul",
    .doc =
        "The matrix product of the last two axes; other axes broadcast. A vector on the left is a "
        "row, on the right a column, and that axis vanishes from the result. Each element is "
        "summed by fused multiply-adds over ascending k, a new chain at every multiple of 512, so "
        "its bits do not depend on threads, layout or the batch it is in. Half floats accumulate "
        "in float32; integers wrap around; bools combine by and, then or. In the gradient, as in "
        "the product, 0 * inf is NaN: where `where` hides an infinite or NaN element, hide it "
        "before the product too.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: like a"},
    .laws = {Law{"rank", "both have at least one axis"},
             Law{"inner", "a has as many columns as b has rows"}},
    .infer = rule<matmul_infer>(),
    .grad = derive::bilinear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "matmul"}, Alias{"torch", "matmul"}, Alias{"torch", "mm"},
                 Alias{"torch", "bmm"}, Alias{"jax", "numpy.matmul"}, Alias{"tf", "matmul"}},
};

Tensor matmul(const Tensor& a, const Tensor& b, Where where) {
  return apply(kMatmul, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
