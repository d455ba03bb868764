// take_along_axis, put_along_axis and index_select: names people know for reading and writing along
// one axis.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

struct AxisAttrs {
  int64_t axis = -1;
  static constexpr auto fields =
      fields_of(field("axis", &AxisAttrs::axis, "the axis to work along"));
};

Tensors taken(const AxisAttrs& at, TensorSpan in) { return {gather(in[0], in[1], at.axis)}; }

// As an update at indices of every axis: those of the others count from 0.
Tensors put(const AxisAttrs& at, TensorSpan in) {
  const InferCtx cx{"put_along_axis"};
  const Tensor& x = in[0];
  cx.require(x.rank() == in[1].rank(), "rank", "x has shape ", x.shape(),
             " but indices have shape ", in[1].shape(), "; their ranks must be equal");
  const int64_t along = cx.axis(at.axis, x.shape());
  Shape shape(x.shape());
  shape[static_cast<size_t>(along)] = in[1].dim(along);
  cx.require(decide_same(cx.broadcast(shape, in[1].shape()), shape) != Tri::kNo, "shape",
             "indices have shape ", in[1].shape(), " but x has shape ", x.shape(),
             "; on other axes than ", at.axis, " they must be equal, or 1");
  Tensors indices;
  Ints axes;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    Shape column(x.shape().size(), Dim(1));
    column[static_cast<size_t>(axis)] = x.dim(axis);
    indices.push_back(axis == along ? in[1] : reshape(arange(x.dim(axis).value()), column));
    axes.push_back(axis);
  }
  return {set_at(x, in[2], indices, {axes, 0}, Where{})};
}

struct SelectAttrs {
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &SelectAttrs::axis, "the axis to select from", kRequired));
};

Tensors selected(const SelectAttrs& at, TensorSpan in) {
  InferCtx{"index_select"}.require(in[1].rank() == 1, "rank", "indices have shape ", in[1].shape(),
                                   "; they must have rank 1 (take allows any)");
  return {take(in[0], in[1], at.axis)};
}

}  // namespace

constinit const CompositeDef kTakeAlongAxis{
    .name = "take_along_axis",
    .doc =
        "`out[i, j] = x[i, indices[i, j]]` for `axis=1`, and so for any rank and axis: `gather` by "
        "the name of the array API. Other axes broadcast.",
    .inputs = {"x: any", "indices: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .compose = rule<taken>(),
    .known_as = {Alias{"numpy", "take_along_axis"}, Alias{"torch", "take_along_dim"},
                 Alias{"jax", "numpy.take_along_axis"},
                 Alias{"tf", "experimental.numpy.take_along_axis"}},
};

constinit const CompositeDef kPutAlongAxis{
    .name = "put_along_axis",
    .doc =
        "A copy of `x` in which `[i, indices[i, j]]` is `values[i, j]` for `axis=1`, and so for "
        "any rank and axis. Other axes broadcast, and so does `values`. Where a place is named "
        "several times the last value stays.",
    .inputs = {"x: any", "indices: integer", "values: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<AxisAttrs>(),
    .laws = {Law{"rank", "x and indices have one rank"},
             Law{"shape", "indices differ from x only on the axis, or are 1"}},
    .compose = rule<put>(),
    .known_as = {Alias{"numpy", "put_along_axis"},
                 Alias{"torch", "scatter: ours takes the axis last, and broadcasts the other axes"},
                 Alias{"jax", "numpy.put_along_axis"}},
};

constinit const CompositeDef kIndexSelect{
    .name = "index_select",
    .doc = "The slices of `x` at `indices` along `axis`: `take` with a vector of indices.",
    .inputs = {"x: any", "indices: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<SelectAttrs>(),
    .laws = {Law{"rank", "indices have rank 1"}},
    .compose = rule<selected>(),
    .known_as = {Alias{"torch", "index_select"}, Alias{"numpy", "take"}, Alias{"tf", "gather"}},
};

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int64_t axis, Where where) {
  return compose(kTakeAlongAxis, inputs(x, indices), AxisAttrs{axis}, where);
}
Tensor put_along_axis(const Tensor& x, const Tensor& indices, const Tensor& values, int64_t axis,
                      Where where) {
  return compose(kPutAlongAxis, inputs(x, indices, values), AxisAttrs{axis}, where);
}
Tensor index_select(const Tensor& x, const Tensor& indices, int64_t axis, Where where) {
  return compose(kIndexSelect, inputs(x, indices), SelectAttrs{axis}, where);
}

}  // namespace weft
