// tril and triu: the elements on one side of a diagonal, zeros on the other.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct TriangleAttrs {
  int64_t k = 0;
  static constexpr auto fields = fields_of(field(
      "k", &TriangleAttrs::k, "the diagonal: above the main one if positive, below if negative"));
};

// The columns of a matrix, and beside each row the column that diagonal `k` meets it in: what they
// compare to says on which side of the diagonal a place is.
struct Diagonal {
  Tensor columns, meets;

  Diagonal(const InferCtx& cx, const Tensor& x, int64_t k) {
    cx.require(x.rank() >= 2, "rank", "x has shape ", x.shape(), "; it must have rank 2 or more");
    const int64_t height = x.dim(-2).value(), width = x.dim(-1).value();
    // In 32 bits, where they have room: twice as many to a vector.
    const DType dtype = std::max(height, width) < 1 << 30 ? DType::kI32 : DType::kI64;
    columns = cast(arange(width), dtype);
    const Tensor rows = add(arange(height), std::clamp(k, -height, width));
    meets = reshape(cast(rows, dtype), {x.dim(-2), 1});
  }
};

Tensors lower(const TriangleAttrs& at, TensorSpan in) {
  const Diagonal diagonal(InferCtx{"tril"}, in[0], at.k);
  return {
      where(less_equal(diagonal.columns, diagonal.meets), in[0], Tensor::scalar(in[0].dtype(), 0))};
}
Tensors upper(const TriangleAttrs& at, TensorSpan in) {
  const Diagonal diagonal(InferCtx{"triu"}, in[0], at.k);
  return {where(greater_equal(diagonal.columns, diagonal.meets), in[0],
                Tensor::scalar(in[0].dtype(), 0))};
}

}  // namespace

constinit const CompositeDef kTril{
    .name = "tril",
    .doc = "The elements of each matrix on and below diagonal `k`; zeros above it.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<TriangleAttrs>(),
    .laws = {Law{"rank", "the rank is at least 2"}},
    .compose = rule<lower>(),
    .known_as = {Alias{"numpy", "tril"}, Alias{"torch", "tril"}, Alias{"jax", "numpy.tril"},
                 Alias{"tf", "experimental.numpy.tril"}},
};
constinit const CompositeDef kTriu{
    .name = "triu",
    .doc = "The elements of each matrix on and above diagonal `k`; zeros below it.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<TriangleAttrs>(),
    .laws = {Law{"rank", "the rank is at least 2"}},
    .compose = rule<upper>(),
    .known_as = {Alias{"numpy", "triu"}, Alias{"torch", "triu"}, Alias{"jax", "numpy.triu"},
                 Alias{"tf", "experimental.numpy.triu"}},
};

Tensor tril(const Tensor& x, int64_t k, Where where) {
  return compose(kTril, inputs(x), TriangleAttrs{k}, where);
}
Tensor triu(const Tensor& x, int64_t k, Where where) {
  return compose(kTriu, inputs(x), TriangleAttrs{k}, where);
}

}  // namespace weft
