// cdist: the distances between two sets of points.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct CdistAttrs {
  double p = 2;
  static constexpr auto fields =
      fields_of(field("p", &CdistAttrs::p, "the order of the norm: 0, 1, 2, inf or any p >= 0"));
};

Tensors composed(const CdistAttrs& at, TensorSpan in) {
  const InferCtx cx{"cdist"};
  const Tensor &a = in[0], &b = in[1];
  cx.require(at.p >= 0, "p", "p is ", at.p, "; it must be at least 0");
  cx.require(a.rank() >= 2 && b.rank() >= 2, "rank", "the points have shapes ", a.shape(), " and ",
             b.shape(), "; they must be [.., points, coordinates]");
  cx.require(same(a.dim(-1), b.dim(-1)) != Tri::kNo, "coordinates", "the points have ", a.dim(-1),
             " and ", b.dim(-1), " coordinates; they must have as many");
  return {norm(expand_dims(a, -2) - expand_dims(b, -3), Ints{-1}, at.p)};
}

}  // namespace

constinit const CompositeDef kCdist{
    .name = "cdist",
    .module = "nn",
    .doc =
        "The p-norm of the difference of each point of `a` [.., n, coordinates] and each of `b` "
        "[.., m, coordinates]: [.., n, m]; axes in front broadcast. Computed from the differences, "
        "so that distances of close points are exact; the gradient between equal points is 0.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<CdistAttrs>(),
    .laws = {Law{"p", "`p` is at least 0"}, Law{"rank", "there are points with coordinates"},
             Law{"coordinates", "both have as many coordinates"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "cdist"}, Alias{"scipy", "spatial.distance.cdist"}},
};

namespace nn {

Tensor cdist(const Tensor& a, const Tensor& b, double p, Where where) {
  return compose(kCdist, inputs(a, b), CdistAttrs{p}, where);
}

}  // namespace nn
}  // namespace weft
