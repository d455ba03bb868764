// flatten: axes that follow one another as one; ravel: all of them.
#include "weft/op/apply.h"
#include "weft/ops/shape/arrange.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct FlattenAttrs {
  int64_t start_axis = 0, end_axis = -1;
  static constexpr auto fields =
      fields_of(field("start_axis", &FlattenAttrs::start_axis, "the first of the axes"),
                field("end_axis", &FlattenAttrs::end_axis, "the last of the axes"));
};

Tensors composed(const FlattenAttrs& at, TensorSpan in) {
  const InferCtx cx{"flatten"};
  const Shape shape = in[0].rank() == 0 ? Shape{1} : Shape(in[0].shape());
  const int64_t first = cx.axis(at.start_axis, shape), last = cx.axis(at.end_axis, shape);
  cx.require(first <= last, "order", "start_axis ", at.start_axis, " lies behind end_axis ",
             at.end_axis, " of shape ", shape, "; it must not");
  Shape out;
  Dim joined = 1;
  for (int64_t i = 0; i < rank_of(shape); ++i) {
    const Dim size = shape[static_cast<size_t>(i)];
    joined = first <= i && i <= last ? joined * size : joined;
    if (i < first || last < i) out.push_back(size);
    if (i == last) out.push_back(joined);
  }
  return {reshape(in[0], out)};
}

Tensors raveled(const NoAttrs&, TensorSpan in) {
  return {reshape(in[0], Shape{num_elements(in[0].shape())})};
}

}  // namespace

constinit const CompositeDef kFlatten{
    .name = "flatten",
    .doc =
        "`x` with the axes from `start_axis` to `end_axis` as one, in row-major order; a number "
        "becomes a vector of one. Shares memory where it can.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FlattenAttrs>(),
    .laws = {Law{"order", "start_axis is not behind end_axis"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "ndarray.flatten"}, Alias{"torch", "flatten"},
                 Alias{"jax", "numpy.ndarray.flatten"},
                 Alias{"tf", "keras.layers.Flatten: it keeps the first axis, start_axis=1 here"}},
};

constinit const CompositeDef kRavel{
    .name = "ravel",
    .doc = "All elements of `x` in one axis, in row-major order. Shares memory where it can.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .compose = rule<raveled>(),
    .known_as = {Alias{"numpy", "ravel"}, Alias{"torch", "ravel"}, Alias{"jax", "numpy.ravel"},
                 Alias{"tf", "experimental.numpy.ravel"}},
};

Tensor flatten(const Tensor& x, int64_t start_axis, int64_t end_axis, Where where) {
  return compose(kFlatten, inputs(x), FlattenAttrs{start_axis, end_axis}, where);
}
Tensor ravel(const Tensor& x, Where where) { return compose(kRavel, inputs(x), kNoAttrs, where); }

}  // namespace weft
