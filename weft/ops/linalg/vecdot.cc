// vecdot: inner products of vectors.
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct VecdotAttrs {
  int64_t axis = -1;
  static constexpr auto fields =
      fields_of(field("axis", &VecdotAttrs::axis, "the axis of the vectors, in both inputs"));
};

// `axis` last, as a row or a column.
Tensor as_matrix(const Tensor& x, int64_t axis, bool column) {
  Ints axes;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i != axis) axes.push_back(i);
  }
  axes.push_back(axis);
  return expand_dims(permute_dims(x, axes), column ? -1 : -2);
}

Tensors compose_vecdot(const VecdotAttrs& at, TensorSpan in) {
  const InferCtx cx{"vecdot"};
  const int64_t first = cx.axis(at.axis, in[0].shape()), second = cx.axis(at.axis, in[1].shape());
  const Dim a = in[0].dim(first), b = in[1].dim(second);
  cx.require(decide_same(a, b) != Tri::kNo, "size", "vectors of ", a, " and of ", b,
             " elements; they must be equal");
  const Tensor left = is_complex(in[0].dtype()) ? conj(in[0]) : in[0];
  const Tensor column = as_matrix(in[1], second, true);
  const Tensor out = matmul(as_matrix(left, first, false), column);
  return {squeeze(out, Ints{-2, -1})};
}

}  // namespace

constinit const CompositeDef kVecdot{
    .name = "vecdot",
    .doc =
        "The inner product of vectors along `axis`, `sum(conj(a) * b)`; the other axes broadcast. "
        "Summed as `matmul` does.",
    .inputs = {"a: numeric", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<VecdotAttrs>(),
    .laws = {Law{"size", "both vectors have one size"}},
    .compose = rule<compose_vecdot>(),
    .known_as = {Alias{"numpy", "vecdot"}, Alias{"numpy", "linalg.vecdot"},
                 Alias{"torch", "linalg.vecdot"}, Alias{"jax", "numpy.vecdot"}},
};

Tensor vecdot(const Tensor& a, const Tensor& b, int64_t axis, Where where) {
  return compose(kVecdot, inputs(a, b), VecdotAttrs{axis}, where);
}

}  // namespace weft
