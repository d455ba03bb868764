// tile: the tensor laid side by side with itself along its axes.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct TileAttrs {
  Shape repetitions;
  static constexpr auto fields =
      fields_of(field("repetitions", &TileAttrs::repetitions,
                      "how often along each axis, the last one last", kRequired));
};

// [n, m] by (r, s): as [1, n, 1, m] repeated to [r, n, s, m], which is one copy.
Tensors composed(const TileAttrs& at, TensorSpan in) {
  const InferCtx cx{"tile"};
  Shape shape(in[0].shape());
  Shape times = at.repetitions;
  while (shape.size() < times.size()) shape.insert(0, 1);
  while (times.size() < shape.size()) times.insert(0, 1);
  Shape apart, wide, out;
  for (size_t i = 0; i < shape.size(); ++i) {
    cx.require(!times[i].is_known() || times[i].value() >= 0, "negative", "repetitions ",
               at.repetitions, " has a negative number; they are at least 0");
    apart.push_back(1), apart.push_back(shape[i]);
    wide.push_back(times[i]), wide.push_back(shape[i]);
    out.push_back(shape[i] * times[i]);
  }
  cx.require(rank_of(wide) <= kMaxRank, "rank", "a tensor of shape ", shape, " has rank ",
             shape.size(), "; at most ", kMaxRank / 2, " axes can be repeated");
  return {reshape(broadcast_to(reshape(in[0], apart), wide), out)};
}

}  // namespace

constinit const CompositeDef kTile{
    .name = "tile",
    .doc =
        "The tensor repeated `repetitions[i]` times along axis `i`. Fewer repetitions than axes "
        "are for the last axes; more of them make new axes in front.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<TileAttrs>(),
    .laws = {Law{"negative", "repetitions are at least 0"}, Law{"rank", "the rank is at most 16"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "tile"}, Alias{"torch", "tile"}, Alias{"jax", "numpy.tile"},
                 Alias{"tf", "tile"}},
};

Tensor tile(const Tensor& x, const Ints& repetitions, Where where) {
  return compose(kTile, inputs(x), TileAttrs{Shape(repetitions.begin(), repetitions.end())}, where);
}

}  // namespace weft
