// allclose and array_equal: whether two tensors are equal, up to rounding or in every bit.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/closeness.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct ArrayEqualAttrs {
  bool equal_nan = false;
  static constexpr auto fields =
      fields_of(field("equal_nan", &ArrayEqualAttrs::equal_nan, "whether NaN is equal to NaN"));
};

Tensors close(const CloseAttrs& at, TensorSpan in) { return {all(isclose(in[0], in[1], at))}; }

Tensors equal_everywhere(const ArrayEqualAttrs& at, TensorSpan in) {
  const Tensor &a = in[0], &b = in[1];
  if (decide_same(a.shape(), b.shape()) == Tri::kNo) return {zeros(Shape{}, DType::kBool)};
  const Tensor each = equal(a, b);
  if (!at.equal_nan) return {all(each)};
  const Tensor is_nan = isnan(b);
  return {all(logical_or(each, logical_and(isnan(a), is_nan)))};
}

}  // namespace

constinit const CompositeDef kAllClose{
    .name = "allclose",
    .doc =
        "Whether all elements are close: `all(isclose(a, b))`, a tensor of one bool. Shapes "
        "broadcast; of no elements all are close.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: boolean"},
    .attrs = attrs_type<CloseAttrs>(),
    .laws = {Law{"tolerance", "rtol and atol are at least 0"}},
    .compose = rule<close>(),
    .known_as = {Alias{"numpy", "allclose"}, Alias{"torch", "allclose"},
                 Alias{"jax", "numpy.allclose"}, Alias{"tf", "experimental.numpy.allclose"}},
};

constinit const CompositeDef kArrayEqual{
    .name = "array_equal",
    .doc =
        "Whether two tensors have one shape and equal elements: a tensor of one bool. Dtypes may "
        "differ; NaN is equal to nothing, or with `equal_nan` to NaN.",
    .inputs = {"a: any", "b: any"},
    .outputs = {"out: boolean"},
    .attrs = attrs_type<ArrayEqualAttrs>(),
    .compose = rule<equal_everywhere>(),
    .known_as = {Alias{"numpy", "array_equal"}, Alias{"torch", "equal"},
                 Alias{"jax", "numpy.array_equal"}},
};

Tensor allclose(const Tensor& a, const Tensor& b, const CloseAttrs& at, Where where) {
  return compose(kAllClose, inputs(a, b), at, where);
}
Tensor array_equal(const Tensor& a, const Tensor& b, bool equal_nan, Where where) {
  return compose(kArrayEqual, inputs(a, b), ArrayEqualAttrs{equal_nan}, where);
}

}  // namespace weft
