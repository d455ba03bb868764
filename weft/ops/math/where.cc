// where: elements of a or b, as a condition tells.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace {

Tensors transpose(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor& condition = cx.inputs[0];
  return {Tensor(), cx.wanted[1] ? where(condition, g[0], 0.0, cx.where) : Tensor(),
          cx.wanted[2] ? where(condition, 0.0, g[0], cx.where) : Tensor()};
}

Expr meaning(Expr condition, Expr a, Expr b) { return where(condition, a, b); }

}  // namespace

constinit const OpDef kWhere{
    .name = "where",
    .doc =
        "Elements of `a` where `condition` is true and of `b` elsewhere. What is not chosen "
        "does not matter: neither its NaNs nor their gradients get through, for elementwise ops "
        "give a cotangent of 0 on as 0, however steep they are.",
    .inputs = {"condition: boolean", "a: any", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::linear<transpose>().except(0, "a condition is true or false"),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "where"}, Alias{"torch", "where"}, Alias{"jax", "numpy.where"},
                 Alias{"tf", "where"}},
};

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b, Where where) {
  return apply(kWhere, inputs(condition, a, b), kNoAttrs, where);
}

}  // namespace weft
