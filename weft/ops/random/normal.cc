// random.normal: draws from the normal distribution, by its inverse distribution function.
//
// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics
// 37 (1988): rational functions, relative error about 1e-16 in float64 (PPND16) and 1e-7 in float32
// (PPND7). 63 random bits and a sign reach 9 standard deviations on either side.
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/random/tail.h"

namespace weft {
namespace random {
namespace {

// Numerators and denominators of the three regions, constant term first.
struct Coefficients {
  std::span<const double> center_top, center_bottom, near_top, near_bottom, far_top, far_bottom;
};

constexpr double kCenterTop16[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                   1.9715909503065514427e3, 1.3731693765509461125e4,
                                   4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double kCenterBottom16[] = {1.0,
                                      4.2313330701600911252e1,
                                      6.8718700749205790830e2,
                                      5.3941960214247511077e3,
                                      2.1213794301586595867e4,
                                      3.9307895800092710610e4,
                                      2.8729085735721942674e4,
                                      5.2264952788528545610e3};
constexpr double kNearTop16[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kNearBottom16[] = {1.0,
                                    2.05319162663775882187e0,
                                    1.67638483018380384940e0,
                                    6.89767334985100004550e-1,
                                    1.48103976427480074590e-1,
                                    1.51986665636164571966e-2,
                                    5.47593808499534494600e-4,
                                    1.05075007164441684324e-9};
constexpr double kFarTop16[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kFarBottom16[] = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};
constexpr double kCenterTop7[] = {3.3871327179e0, 5.0434271938e1, 1.5929113202e2, 5.9109374720e1};
constexpr double kCenterBottom7[] = {1.0, 1.7895169469e1, 7.8757757664e1, 6.7187563600e1};
constexpr double kNearTop7[] = {1.4234372777e0, 2.7568153900e0, 1.3067284816e0, 1.7023821103e-1};
constexpr double kNearBottom7[] = {1.0, 7.3700164250e-1, 1.2021132975e-1};
constexpr double kFarTop7[] = {6.6579051150e0, 3.0812263860e0, 4.2868294337e-1, 1.7337203997e-2};
constexpr double kFarBottom7[] = {1.0, 2.4197894225e-1, 1.2258202635e-2};

Expr polynomial(std::span<const double> coefficients, Expr x) {
  Expr out = Expr::constant(x.dtype(), coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    out = fma(out, x, Expr::constant(x.dtype(), coefficients[i]));
  }
  return out;
}

// The magnitude of the normal quantile at `tail` (below 1/2), whose distance from 1/2 is `center`:
// both are given, so that neither loses digits.
Expr quantile(const Coefficients& k, Expr tail, Expr center) {
  const DType dtype = tail.dtype();
  const auto number = [&](double x) { return Expr::constant(dtype, x); };
  const Expr square_gap = number(0.180625) - center * center;
  const Expr middle =
      center * polynomial(k.center_top, square_gap) / polynomial(k.center_bottom, square_gap);
  const Expr r = sqrt(-log(tail));
  const Expr near = r - number(1.6), far = r - number(5.0);
  const Expr outer =
      where(r <= number(5.0), polynomial(k.near_top, near) / polynomial(k.near_bottom, near),
            polynomial(k.far_top, far) / polynomial(k.far_bottom, far));
  return where(center <= number(0.425), middle, outer);
}

Expr normal_meaning(const Expr* in, DType dtype) {
  const DType compute = compute_of(dtype);
  const Tail draw = tail_here(in[0], in[1], compute);
  constexpr Coefficients k16{kCenterTop16,  kCenterBottom16, kNearTop16,
                             kNearBottom16, kFarTop16,       kFarBottom16};
  constexpr Coefficients k7{kCenterTop7,  kCenterBottom7, kNearTop7,
                            kNearBottom7, kFarTop7,       kFarBottom7};
  const Expr magnitude = quantile(compute == DType::kF64 ? k16 : k7, draw.tail, draw.center);
  return where(draw.is_low, -magnitude, magnitude);
}

Tensors compose_normal(const FillAttrs& at, TensorSpan in) {
  const InferCtx cx{"normal"};
  fill_infer(at, cx, {});
  cx.require_type(is_floating(at.dtype), "dtype", "dtype is ", at.dtype, "; it must be floating");
  const KeyWords words = words_of_key(cx.op, in[0]);
  Tensor out = apply(kNormalDraws, inputs(words.first, words.second), at, Where::here());
  if (in.size() > 2) out = out * cast(in[2], at.dtype);
  if (in.size() > 1 && in[1].defined()) out = cast(in[1], at.dtype) + out;
  cx.require(decide_same(out.shape(), at.shape) != Tri::kNo, "parameters",
             "mean and std do not broadcast to ", at.shape, ", but to ", out.shape());
  return {out};
}

}  // namespace

Tensor normal(const Tensor& key, const Shape& shape, DType dtype, Where where) {
  return compose(kNormal, inputs(key), FillAttrs{shape, dtype}, where);
}

}  // namespace random

constinit const OpDef kNormalDraws{
    .name = "normal_draws",
    .module = "random",
    .doc =
        "Standard normal draws from the two words of a key, by the inverse of the distribution "
        "function: what `normal` is made of.",
    .inputs = {"key0: key", "key1: key"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("keys are integers"),
    .batch = batch::rule<each_filled<kNormalDraws>>(),
    .kernel = kernel::fill(2, random::normal_meaning),
};

constinit const CompositeDef kNormal{
    .name = "normal",
    .module = "random",
    .doc =
        "Draws from the normal distribution with `mean` (0) and `std` (1). A draw depends on the "
        "key and its position only (Philox4x32-10, then the inverse distribution function); "
        "differentiable in `mean` and `std`.",
    .inputs = {"key: key", "mean?: floating", "std?: floating"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"key", "a key has shape [2]"}, Law{"negative", "sizes are at least 0"},
             Law{"dtype", "the dtype is floating"}, Law{"parameters", "mean and std broadcast"}},
    .compose = rule<random::compose_normal>(),
    .known_as = {Alias{"numpy", "random.normal"}, Alias{"torch", "randn"},
                 Alias{"jax", "random.normal"}, Alias{"tf", "random.stateless_normal"}},
};

}  // namespace weft
