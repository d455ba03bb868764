// rot90: a plane turned by quarter turns, as a view.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct Rot90Attrs {
  int64_t k = 1;
  Ints axes{0, 1};
  static constexpr auto fields = fields_of(
      field("k", &Rot90Attrs::k, "how many quarter turns"),
      field("axes", &Rot90Attrs::axes, "the plane; turns go from the first to the second"));
};

Tensors composed(const Rot90Attrs& at, TensorSpan in) {
  const InferCtx cx{"rot90"};
  const Tensor& x = in[0];
  cx.require(at.axes.size() == 2, "plane", "axes ", at.axes, " has ", at.axes.size(),
             " entries; a plane has two");
  cx.axes(at.axes, x.shape());
  const int64_t first = cx.axis(at.axes[0], x.shape()), second = cx.axis(at.axes[1], x.shape());
  switch (((at.k % 4) + 4) % 4) {
    case 1: return {swapaxes(flip(x, Ints{second}), first, second)};
    case 2: return {flip(x, Ints{first, second})};
    case 3: return {flip(swapaxes(x, first, second), Ints{second})};
    default: return {x};
  }
}

}  // namespace

constinit const CompositeDef kRot90{
    .name = "rot90",
    .doc = "The plane of two `axes` turned by `k` quarter turns. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<Rot90Attrs>(),
    .laws = {Law{"plane", "two axes are named"}, Law{"axis_twice", "no axis is named twice"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "rot90"}, Alias{"torch", "rot90"}, Alias{"jax", "numpy.rot90"},
                 Alias{"tf", "image.rot90"}},
};

Tensor rot90(const Tensor& x, int64_t k, const Ints& axes, Where where) {
  return compose(kRot90, inputs(x), Rot90Attrs{k, axes}, where);
}

}  // namespace weft
