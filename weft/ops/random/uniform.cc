// random.uniform: draws from an interval.
#include <limits>

#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"
#include "weft/ops/reduce/check_values.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace random {
namespace {

// As many random bits as the dtype's significand has, so that all draws are equally likely and none
// rounds to 1.
Expr unit_meaning(const Expr* in, DType dtype) {
  const Block<Expr> block = philox_here(in[0], in[1]);
  const auto u32 = [](uint64_t x) { return Expr::constant_bits(DType::kU32, x); };
  if (dtype != DType::kF64) {
    const int bits = dtype == DType::kF16 ? 11 : dtype == DType::kBF16 ? 8 : 24;
    const Expr top = shift_right(block.words[0], u32(static_cast<uint64_t>(32 - bits)));
    const double unit = 1.0 / static_cast<double>(1 << bits);
    return cast(cast(top, DType::kI32), DType::kF32) * Expr::constant(DType::kF32, unit);
  }
  // 27 and 26 bits: both parts convert exactly, and their sum has 53 bits.
  const auto part = [&](Expr word, uint64_t drop) {
    return cast(cast(shift_right(word, u32(drop)), DType::kI32), DType::kF64);
  };
  return part(block.words[0], 5) * Expr::constant(DType::kF64, 0x1p-27) +
         part(block.words[1], 6) * Expr::constant(DType::kF64, 0x1p-53);
}

void require_interval(const InferCtx& cx, TensorSpan ends, const Ints&) {
  if (ends[0].numel() == 0 || ends[1].numel() == 0) return;
  const Tensor width = cast(ends[1] - ends[0], DType::kF64);
  const double least = min(width).item(), greatest = max(width).item();
  cx.require(least >= 0 && greatest <= std::numeric_limits<double>::max(), "interval",
             "high - low goes from ", least, " to ", greatest,
             "; low is at most high, and the distance is finite");
}

// The scaled draw may round up to `high`; that one becomes `low`.
Tensors compose_uniform(const FillAttrs& at, TensorSpan in) {
  const InferCtx cx{"uniform"};
  fill_infer(at, cx, {});
  cx.require_type(is_floating(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be floating");
  const KeyWords words = words_of_key(cx.op, in[0]);
  const Tensor unit = apply(kUnitDraws, inputs(words.first, words.second), at, Where::here());
  if (in.size() < 2) return {unit};
  const auto bound = [&](const Tensor& given) {
    return computed_if_known(TensorSpan(&given, 1), [&] { return cast(given, at.dtype); });
  };
  const Tensor low = in[1].defined() ? bound(in[1]) : Tensor::scalar(at.dtype, 0);
  const Tensor high = in.size() > 2 ? bound(in[2]) : Tensor::scalar(at.dtype, 1);
  const Tensor scaled = low + unit * (high - low);
  const Tensor out = where(scaled < high, scaled, low);
  cx.require(decide_same(out.shape(), at.shape) != Tri::kNo, "bounds", "low has shape ",
             low.shape(), " and high has shape ", high.shape(), ", which do not broadcast to ",
             at.shape);
  return {checked(kUniformInterval, out, {low, high})};
}

}  // namespace

Tensor uniform(const Tensor& key, const Shape& shape, DType dtype, const Tensor& low,
               const Tensor& high, Where where) {
  return compose(kUniform, inputs(key, low, high), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const ValueCheck kUniformInterval{"uniform", "interval", random::require_interval};

constinit const OpDef kUnitDraws{
    .name = "unit_draws",
    .module = "random",
    .doc =
        "Draws from [0, 1), evenly spaced by the dtype's precision there (24 bits for float32, 53 "
        "for float64), from the two words of a key: what `uniform` is made of.",
    .inputs = {"key0: key", "key1: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("keys are integers"),
    .batch = batch::rule<each_filled<kUnitDraws>>(),
    .kernel = kernel::fill(2, random::unit_meaning),
};

constinit const CompositeDef kUniform{
    .name = "uniform",
    .module = "random",
    .doc =
        "Draws from [low, high), by default [0, 1). A draw depends on the key and its position "
        "only (Philox4x32-10); differentiable in `low` and `high`.",
    .inputs = {"key: key", "low?: floating", "high?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"bounds", "low and high broadcast"},
             Law{"interval", "low is at most high, and finitely far"}},
    .compose = rule<random::compose_uniform>(),
    .known_as = {Alias{"numpy", "random.uniform"}, Alias{"torch", "rand"},
                 Alias{"jax", "random.uniform"}, Alias{"tf", "random.stateless_uniform"}},
};

}  // namespace weft
