// random.shuffle: the slices along an axis in random order.
#include "weft/op/apply.h"
#include "weft/ops/random/random.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

struct ShuffleAttrs {
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("axis", &ShuffleAttrs::axis, "the axis along which slices change places"));
};

Tensors compose_shuffle(const ShuffleAttrs& at, TensorSpan in) {
  const InferCtx cx{"shuffle"};
  const Tensor& x = in[1];
  const int64_t axis = cx.axis(at.axis, x.shape());
  words_of_key(cx.op, in[0]);
  return {take(x, permutation(in[0], x.dim(axis)), axis)};
}

}  // namespace

Tensor shuffle(const Tensor& key, const Tensor& x, int64_t axis, Where where) {
  return compose(kShuffle, inputs(key, x), ShuffleAttrs{axis}, where);
}

}  // namespace random

constinit const CompositeDef kShuffle{
    .name = "shuffle",
    .module = "random",
    .doc =
        "The slices of `x` along `axis` in random order: `take(x, permutation(key, n), axis)`. "
        "Every order is equally likely; slices are moved whole.",
    .inputs = {"key: key", "x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<random::ShuffleAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}},
    .compose = rule<random::compose_shuffle>(),
    .known_as = {Alias{"numpy", "random.shuffle"},
                 Alias{"tf", "random.experimental.stateless_shuffle"},
                 Alias{"jax", "random.permutation"}},
};

}  // namespace weft
