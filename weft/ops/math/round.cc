// round: the nearest number with some decimals.
#include <charconv>

#include "weft/base/text.h"
#include "weft/op/apply.h"
#include "weft/ops/math/complex_parts.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/round.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct RoundAttrs {
  int64_t decimals = 0;
  static constexpr auto fields =
      fields_of(field("decimals", &RoundAttrs::decimals,
                      "how many places behind the point are kept; negative ones are before it"));
};

// The greatest power of ten that the dtype holds.
int64_t most_places(DType dtype) {
  if (is_integer(dtype)) return 18;
  return real_of(compute_of(dtype)) == DType::kF64 ? 308 : 38;
}

// The double nearest to 10^places: read as text, for pow of the C library may be off by a bit.
double power_of_ten(int64_t places) {
  const std::string digits = text("1e", places);
  double out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

// Multiples of 10^places; of two equally near ones that with an even factor. Sums may wrap.
Tensor round_integers(const Tensor& x, int64_t places) {
  const DType wide = x.dtype() == DType::kU64 ? DType::kU64 : DType::kI64;
  int64_t unit = 1;
  for (int64_t i = 0; i < places; ++i) unit *= 10;
  const Tensor step = Tensor::scalar(wide, static_cast<double>(unit));
  const Tensor given = cast(x, wide), factor = floor_divide(given, step);
  const Tensor rest = given - factor * step, missing = step - rest;
  const Tensor is_odd = not_equal(bitwise_and(factor, 1), 0);
  const Tensor tie_up = logical_and(equal(rest, missing), is_odd);
  const Tensor up = logical_or(greater(rest, missing), tie_up);
  return cast((factor + cast(up, wide)) * step, x.dtype());
}

// What is too great to be scaled has no such decimals.
Expr meaning(Expr x, Expr up, Expr down) {
  const Expr scaled = x * up / down;
  return where(abs(scaled) < __builtin_inf(), round(scaled) * down / up, x);
}

Tensor round_floats(const Tensor& x, int64_t decimals) {
  const Tensor one = scalar_like(x, 1);
  const Tensor unit = scalar_like(x, power_of_ten(std::abs(decimals)));
  const bool is_behind = decimals > 0;
  const Tensor &up = is_behind ? unit : one, &down = is_behind ? one : unit;
  return apply(kRoundPlaces, inputs(x, up, down), kNoAttrs, Where{});
}

// Both parts, unless one of them is not finite.
Tensor round_complex(const Tensor& x, int64_t decimals) {
  const Tensor is_number = isfinite(x), finite = where(is_number, x, scalar_like(x, 0));
  const Tensor beside = round_floats(imag(finite), decimals);
  const Tensor parts = complex_of(round_floats(real(finite), decimals), beside, x.dtype());
  return where(is_number, parts, stop_gradient(x));
}

Tensors composed(const RoundAttrs& at, TensorSpan in) {
  const Tensor& x = in[0];
  if (at.decimals == 0) return {round(x)};
  const InferCtx cx{"round"};
  const int64_t most = most_places(x.dtype());
  if (is_integer(x.dtype())) {
    cx.require(-most <= at.decimals, "decimals", "decimals is ", at.decimals, "; for ", x.dtype(),
               " it is at least ", -most);
    return {at.decimals > 0 ? x : round_integers(x, -at.decimals)};
  }
  cx.require(-most <= at.decimals && at.decimals <= most, "decimals", "decimals is ", at.decimals,
             "; for ", x.dtype(), " it goes from ", -most, " to ", most);
  if (is_complex(x.dtype())) return {round_complex(x, at.decimals)};
  return {cast(round_floats(cast(x, compute_of(x.dtype())), at.decimals), x.dtype())};
}

}  // namespace

constinit const OpDef kRoundPlaces{
    .name = "round.places",
    .doc =
        "`round(x * up / down) * down / up`, where one of them is a power of ten and the other 1; "
        "`x` where that is infinite. What `round` is made of. The derivative with respect to `x` "
        "is "
        "0.",
    .inputs = {"x: floating", "up: like x", "down: like x"},
    .outputs = {"out: like x"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto x, auto, auto, auto) { return decltype(x)(0.0); },
                             [](auto, auto up, auto, auto out) { return -out / up; },
                             [](auto, auto, auto down, auto out) { return out / down; }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

constinit const CompositeDef kRoundTo{
    .name = "round",
    .doc =
        "The nearest number with `decimals` places behind the point (0: the nearest integer), of "
        "two equally near ones the even one (elementwise), in the dtype of `x`: `round(x * "
        "10^decimals) / 10^decimals`. With negative `decimals` the last places before the point "
        "become 0, of integers, too. Infinities and zeros stay as they are. The derivative is 0. "
        "Of a complex number both parts are rounded; with decimals, one that is not finite stays "
        "as "
        "it is.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<RoundAttrs>(),
    .laws = {Law{"decimals",
                 "the dtype holds 10^decimals, or it is of integers and decimals are positive"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "round"}, Alias{"torch", "round"}, Alias{"jax", "numpy.round"},
                 Alias{"tf", "round: it has no decimals"}},
};

Tensor round_to(const Tensor& x, int64_t decimals, Where where) {
  return compose(kRoundTo, inputs(x), RoundAttrs{decimals}, where);
}

}  // namespace weft
