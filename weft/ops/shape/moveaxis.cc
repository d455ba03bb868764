// moveaxis and swapaxes: axes taken to other places, as a view.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct MoveAttrs {
  Ints source, destination;
  static constexpr auto fields = fields_of(
      field("source", &MoveAttrs::source, "the axis or axes to move", kRequired),
      field("destination", &MoveAttrs::destination, "where each of them goes", kRequired));
};

Tensors composed_move(const MoveAttrs& at, TensorSpan in) {
  const InferCtx cx{"moveaxis"};
  const ShapeView shape = in[0].shape();
  cx.require(at.source.size() == at.destination.size(), "count", "source ", at.source,
             " and destination ", at.destination, " name ", at.source.size(), " and ",
             at.destination.size(), " axes; they must be as many");
  cx.axes(at.source, shape);
  cx.axes(at.destination, shape);
  Ints order(shape.size(), -1);
  Ints moved;
  for (size_t i = 0; i < at.source.size(); ++i) {
    moved.push_back(normalized(at.source[i], rank_of(shape)));
    order[static_cast<size_t>(normalized(at.destination[i], rank_of(shape)))] = moved.back();
  }
  int64_t next = 0;
  for (int64_t& axis : order) {
    if (axis >= 0) continue;
    while (std::find(moved.begin(), moved.end(), next) != moved.end()) ++next;
    axis = next++;
  }
  return {permute_dims(in[0], order)};
}

struct SwapAttrs {
  int64_t axis1 = 0, axis2 = 0;
  static constexpr auto fields =
      fields_of(field("axis1", &SwapAttrs::axis1, "one axis", kRequired),
                field("axis2", &SwapAttrs::axis2, "the axis it changes places with", kRequired));
};

Tensors composed_swap(const SwapAttrs& at, TensorSpan in) {
  const InferCtx cx{"swapaxes"};
  const ShapeView shape = in[0].shape();
  Ints order;
  for (int64_t i = 0; i < rank_of(shape); ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(cx.axis(at.axis1, shape))],
            order[static_cast<size_t>(cx.axis(at.axis2, shape))]);
  return {permute_dims(in[0], order)};
}

}  // namespace

constinit const CompositeDef kMoveaxis{
    .name = "moveaxis",
    .doc = "The axes `source` moved to `destination`; the others keep their order. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<MoveAttrs>(),
    .laws = {Law{"count", "each axis to move has one place to go"},
             Law{"axis_twice", "no axis is named twice"}},
    .compose = rule<composed_move>(),
    .known_as = {Alias{"numpy", "moveaxis"}, Alias{"torch", "movedim"},
                 Alias{"jax", "numpy.moveaxis"}, Alias{"tf", "experimental.numpy.moveaxis"}},
};

constinit const CompositeDef kSwapaxes{
    .name = "swapaxes",
    .doc = "Two axes exchanged. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<SwapAttrs>(),
    .compose = rule<composed_swap>(),
    .known_as = {Alias{"numpy", "swapaxes"}, Alias{"torch", "transpose"},
                 Alias{"jax", "numpy.swapaxes"}, Alias{"tf", "experimental.numpy.swapaxes"}},
};

Tensor moveaxis(const Tensor& x, const Ints& source, const Ints& destination, Where where) {
  return compose(kMoveaxis, inputs(x), MoveAttrs{source, destination}, where);
}
Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2, Where where) {
  return compose(kSwapaxes, inputs(x), SwapAttrs{axis1, axis2}, where);
}

}  // namespace weft
