// random.categorical: indices with given log-probabilities.
#include <limits>

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace random {
namespace {

struct CategoricalAttrs {
  int64_t axis = -1;
  std::optional<Ints> shape;
  static constexpr auto fields = fields_of(
      field("axis", &CategoricalAttrs::axis, "the axis of the classes"),
      field("shape", &CategoricalAttrs::shape,
            "the shape of the result, to which that of logits without its axis broadcasts; that "
            "itself if left out"));
};

// Requires that each row along the axis has a class that can be drawn.
void require_rows(const InferCtx& cx, TensorSpan logits, const Ints& axis) {
  if (logits[0].numel() == 0) return;
  const double least = min(max(cast(logits[0], compute_of(logits[0].dtype())), axis)).item();
  cx.require(least > -std::numeric_limits<double>::infinity(), "logits",
             "the greatest logit of a row is ", least,
             "; each row has one above -inf, and none is NaN");
}

// The greatest of logits + Gumbel draws. Half floats draw in float32: ties would favour the first.
Tensors compose_categorical(const CategoricalAttrs& at, TensorSpan in) {
  const InferCtx cx{"categorical"};
  cx.require_type(kind_of(in[1].dtype()) == Kind::kFloating, "dtype", "logits have dtype ",
                  in[1].dtype(), ", but must be floating; cast them first");
  const int64_t axis = cx.axis(at.axis, in[1].shape());
  require_elements(cx, in[1].shape(), Ints{axis});
  Ints order;
  for (int64_t i = 0; i < in[1].rank(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  const Tensor given = checked(kCategoricalLogits, in[1], {}, {axis - in[1].rank()});
  const Tensor logits = permute_dims(cast(given, compute_of(given.dtype())), order);
  Shape rows(logits.shape().first(static_cast<size_t>(logits.rank() - 1)));
  if (at.shape) {
    const Shape wanted(at.shape->begin(), at.shape->end());
    fill_infer({wanted, DType::kF32}, cx, {});
    cx.require(decide_same(cx.broadcast(wanted, rows), wanted) != Tri::kNo, "shape",
               "logits without axis ", at.axis, " have shape ", rows,
               ", which does not broadcast to ", wanted);
    rows = wanted;
  }
  rows.push_back(logits.dim(-1));
  words_of_key(cx.op, in[0]);
  return {argmax(logits + gumbel(in[0], rows, logits.dtype()), -1)};
}

}  // namespace

Tensor categorical(const Tensor& key, const Tensor& logits, int64_t axis, std::optional<Ints> shape,
                   Where where) {
  return compose(kCategorical, inputs(key, logits), CategoricalAttrs{axis, std::move(shape)},
                 where);
}

}  // namespace random

constinit const ValueCheck kCategoricalLogits{"categorical", "logits", random::require_rows};

constinit const CompositeDef kCategorical{
    .name = "categorical",
    .module = "random",
    .doc =
        "Indices along `axis`, index `i` with probability `softmax(logits)[i]`: where `logits` "
        "plus "
        "Gumbel draws are greatest. Logits need not be normalised; -inf is never drawn; a row that "
        "is "
        "all -inf, or has a NaN, raises.",
    .inputs = {"key: key", "logits: floating"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<random::CategoricalAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"dtype", "logits are floating"},
             Law{"empty", "there are classes"},
             Law{"logits", "each row has one above -inf, and no NaN"},
             Law{"shape", "logits broadcast to the shape"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_categorical>(),
    .known_as = {Alias{"jax", "random.categorical"}, Alias{"tf", "random.stateless_categorical"},
                 Alias{"torch",
                       "multinomial: ours takes logits, the logarithms of its probabilities, and "
                       "draws with replacement"}},
};

}  // namespace weft
