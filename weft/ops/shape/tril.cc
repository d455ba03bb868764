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
    // In 32 bits, where they have room: twice as many to a vector.
    constexpr int64_t kRoom = 1 << 30;
    const bool is_narrow =
        decide_less(x.dim(-2), kRoom) == Tri::kYes && decide_less(x.dim(-1), kRoom) == Tri::kYes;
    const DType dtype = is_narrow ? DType::kI32 : DType::kI64;
    // A diagonal beyond the edge is like any other there: what is far away is brought nearer.
    const int64_t far = is_narrow ? kRoom : INT64_MAX / 2;
    columns = positions(x.dim(-1), dtype);
    const Tensor rows = add(positions(x.dim(-2), dtype), std::clamp(k, -far, far));
    meets = reshape(rows, {x.dim(-2), 1});
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
