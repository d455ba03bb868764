// vector_norm: norms of vectors, by the array API's name.
#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace linalg {
namespace {

struct VectorNormAttrs {
  std::optional<Ints> axis;
  bool keepdims = false;
  double ord = 2;
  static constexpr auto fields =
      fields_of(field("axis", &VectorNormAttrs::axis,
                      "the axis or axes of a vector; all of them if left out"),
                field("keepdims", &VectorNormAttrs::keepdims, "keep reduced axes with size 1"),
                field("ord", &VectorNormAttrs::ord, "the order: 1, 2, inf, -inf, 0 or any p"));
};

Tensors compose_vector_norm(const VectorNormAttrs& at, TensorSpan in) {
  InferCtx{"vector_norm"}.require(at.ord == at.ord, "ord",
                                  "the order is NaN; it must be a number or inf");
  return {norm(in[0], at.axis, at.ord, at.keepdims)};
}

}  // namespace

Tensor vector_norm(const Tensor& x, std::optional<Ints> axis, double ord, bool keepdims,
                   Where where) {
  return compose(kVectorNorm, inputs(x), VectorNormAttrs{std::move(axis), keepdims, ord}, where);
}

}  // namespace linalg

constinit const CompositeDef kVectorNorm{
    .name = "vector_norm",
    .module = "linalg",
    .doc =
        "The norm of order `ord` of vectors over `axis`: the same as `norm`, under the array "
        "API's name.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<linalg::VectorNormAttrs>(),
    .laws = {Law{"ord", "the order is not NaN"}},
    .compose = rule<linalg::compose_vector_norm>(),
    .known_as = {Alias{"numpy", "linalg.vector_norm"}, Alias{"torch", "linalg.vector_norm"},
                 Alias{"jax", "numpy.linalg.vector_norm"}},
};

}  // namespace weft
