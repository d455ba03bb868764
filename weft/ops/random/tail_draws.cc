// random.tail_draws: how far a draw is from the nearer end of (0, 1).
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

// (31 bits of `high`, 32 of `low`, a half) * 2^-32 in (0, 1/2): rounded, but never to 0.
Expr fraction(Expr high, Expr low, DType dtype) {
  const auto value = [&](Expr word, DType integer) { return cast(cast(word, integer), dtype); };
  const auto number = [&](double x) { return Expr::constant(dtype, x); };
  const Expr rest = value(low, DType::kI64) + number(0.5);
  return fma(value(high, DType::kI32), number(0x1p-32), rest * number(0x1p-64));
}

Expr meaning(const Expr* in, DType dtype) {
  const Tail draw = tail_here(in[0], in[1], compute_of(dtype));
  return where(draw.is_low, -draw.tail, draw.tail);
}

}  // namespace

Tail tail_here(Expr key0, Expr key1, DType dtype) {
  const auto u32 = [](uint32_t x) { return Expr::constant_bits(DType::kU32, x); };
  const Block<Expr> block = philox_here(key0, key1);
  const Expr high = block.words[0] & u32(0x7fffffffu), low = block.words[1];
  return {fraction(high, low, dtype), fraction(high ^ u32(0x7fffffffu), ~low, dtype),
          block.words[0] >= u32(0x80000000u)};
}

Tensor tails(std::string_view op, const FillAttrs& at, const Tensor& key) {
  const InferCtx cx{op};
  fill_infer(at, cx, {});
  cx.require_type(is_floating(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be floating");
  const KeyWords words = words_of_key(op, key);
  const FillAttrs wide{at.shape, compute_of(at.dtype)};
  return apply(kTailDraws, inputs(words.first, words.second), wide, Where::here());
}

Tensor exponential_of(const Tensor& t) {
  const Tensor distance = abs(t);
  const Tensor above = log1p(-distance), below = log(distance);
  return -where(t < 0.0, below, above);
}

Tensor located(std::string_view op, const FillAttrs& at, const Tensor& draws, TensorSpan in,
               size_t first) {
  const InferCtx cx{op};
  const auto given = [&](size_t i) { return i < in.size() && in[i].defined(); };
  Tensor out = draws;
  if (given(first + 1)) out = out * cast(in[first + 1], out.dtype());
  if (given(first)) out = cast(in[first], out.dtype()) + out;
  cx.require(decide_same(out.shape(), at.shape) != Tri::kNo, "parameters",
             "the parameters do not broadcast to ", at.shape, ", but to ", out.shape());
  return cast(out, at.dtype);
}

}  // namespace random

constinit const OpDef kTailDraws{
    .name = "tail_draws",
    .module = "random",
    .doc =
        "Uniform draws from (0, 1) as their distance from the nearer end, at most 1/2 and never 0, "
        "negative for those from the end at 0: both tails have the dtype's full precision. From "
        "the two words of a key; what `exponential`, `gumbel` and others are made of.",
    .inputs = {"key0: key", "key1: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("keys are integers"),
    .batch = batch::rule<each_filled<kTailDraws>>(),
    .kernel = kernel::fill(2, random::meaning),
};

}  // namespace weft
