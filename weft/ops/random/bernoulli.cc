// random.bernoulli: true with a given probability.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/random.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace random {
namespace {

struct BernoulliAttrs {
  std::optional<Ints> shape;
  static constexpr auto fields = fields_of(
      field("shape", &BernoulliAttrs::shape, "the shape of the result; that of p if left out"));
};

void require_probabilities(const InferCtx& cx, TensorSpan p, const Ints&) {
  if (p[0].numel() == 0) return;
  const Tensor wide = cast(p[0], DType::kF64);
  const double least = min(wide).item(), greatest = max(wide).item();
  cx.require(least >= 0 && greatest <= 1, "p", "p goes from ", least, " to ", greatest,
             "; probabilities are between 0 and 1");
}

// Half floats are too coarse for probabilities: p = 0.001 would become 0 or 1/256.
Tensors compose_bernoulli(const BernoulliAttrs& at, TensorSpan in) {
  const InferCtx cx{"bernoulli"};
  Tensor p = in[1];
  cx.require_type(kind_of(p.dtype()) <= Kind::kFloating, "dtype", "p has dtype ", p.dtype(),
                  ", but must be floating; cast it first");
  const DType dtype = p.dtype() == DType::kF64 && !p.is_weak() ? DType::kF64 : DType::kF32;
  Shape shape(p.shape());
  if (at.shape) shape = Shape(at.shape->begin(), at.shape->end());
  fill_infer({shape, dtype}, cx, {});
  cx.require(decide_same(cx.broadcast(shape, p.shape()), shape) != Tri::kNo, "shape",
             "p has shape ", p.shape(), ", which does not broadcast to ", shape);
  const KeyWords words = words_of_key(cx.op, in[0]);
  p = checked(kBernoulliP, p);
  const Tensor unit =
      apply(kUnitDraws, inputs(words.first, words.second), FillAttrs{shape, dtype}, Where::here());
  return {unit < cast(p, dtype)};
}

}  // namespace

Tensor bernoulli(const Tensor& key, const Tensor& p, std::optional<Ints> shape, Where where) {
  return compose(kBernoulli, inputs(key, p), BernoulliAttrs{std::move(shape)}, where);
}

}  // namespace random

constinit const ValueCheck kBernoulliP{"bernoulli", "p", random::require_probabilities};

constinit const CompositeDef kBernoulli{
    .name = "bernoulli",
    .module = "random",
    .doc =
        "True with probability `p`, by a draw from [0, 1) of float32 (float64 where `p` is) that "
        "is below it: never for 0, always for 1.",
    .inputs = {"key: key", "p: floating"},
    .outputs = {"out: boolean"},
    .attrs = attrs_type<random::BernoulliAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"shape", "p broadcasts to the shape"},
             Law{"dtype", "p is floating"}, Law{"p", "probabilities are between 0 and 1"},
             Law{"negative", "sizes are at least 0"}},
    .compose = rule<random::compose_bernoulli>(),
    .known_as = {Alias{"torch", "bernoulli"}, Alias{"jax", "random.bernoulli"},
                 Alias{"numpy", "random.binomial"}},
};

}  // namespace weft
