// isin: which elements are among given values.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/percentile.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

struct IsInAttrs {
  bool invert = false;
  static constexpr auto fields =
      fields_of(field("invert", &IsInAttrs::invert, "true for what is not among them"));
};

// Each element is looked for in the sorted values, and compared with what stands at its place.
Tensors composed(const IsInAttrs& at, TensorSpan in) {
  const InferCtx cx{"isin"};
  const Tensor& x = in[0];
  for (size_t i = 0; i < 2; ++i) {
    cx.require_type(!is_complex(in[i].dtype()), "dtype", i == 0 ? "x" : "values", " has dtype ",
                    in[i].dtype(), ", but must be ordered; cast it first");
  }
  const Dim count = num_elements(in[1].shape());
  if (same(count, Dim(0)) == Tri::kYes) {
    const Tensor nothing = zeros(Shape(x.shape()), DType::kBool);
    return {at.invert ? logical_not(nothing) : nothing};
  }
  const Tensor values = sort(reshape(in[1], Shape{count}));
  const Tensor place = searchsorted(values, x);
  const Tensor inside = minimum(place, Tensor(count.value() - 1));
  const Tensor found = equal(take(values, inside, 0), x);
  return {at.invert ? logical_not(found) : found};
}

}  // namespace

constinit const CompositeDef kIsIn{
    .name = "isin",
    .doc =
        "For each element of `x` whether it is one of `values`, whatever their shape; with "
        "`invert` whether it is not. NaN is none of them. Dtypes are promoted together.",
    .inputs = {"x: ordered", "values: ordered"},
    .outputs = {"out: boolean"},
    .attrs = attrs_type<IsInAttrs>(),
    .laws = {Law{"dtype", "neither is complex"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "isin"}, Alias{"torch", "isin"}, Alias{"jax", "numpy.isin"}},
};

Tensor isin(const Tensor& x, const Tensor& values, bool invert, Where where) {
  return compose(kIsIn, inputs(x, values), IsInAttrs{invert}, where);
}

}  // namespace weft
