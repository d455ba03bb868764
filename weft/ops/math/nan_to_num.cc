// nan_to_num: numbers in the place of NaN and the infinities.
#include <limits>
#include <optional>

#include "weft/op/apply.h"
#include "weft/op/promote.h"
#include "weft/ops/math/complex_parts.h"
#include "weft/ops/math/nan_replaced.h"

namespace weft {
namespace {

struct NanToNumAttrs {
  double nan = 0;
  std::optional<double> posinf, neginf;
  static constexpr auto fields =
      fields_of(field("nan", &NanToNumAttrs::nan, "what takes the place of NaN"),
                field("posinf", &NanToNumAttrs::posinf,
                      "what takes the place of inf; the greatest number of the dtype if left out"),
                field("neginf", &NanToNumAttrs::neginf,
                      "what takes the place of -inf; the least number of the dtype if left out"));
};

double greatest(DType dtype) {
  if (dtype == DType::kF16) return 65504;
  if (dtype == DType::kBF16) return 0x1.fep127;
  if (dtype == DType::kF32) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

Tensor replaced(const NanToNumAttrs& at, const Tensor& x) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto given = [&](std::string_view name, double value) {
    return strong_scalar("nan_to_num", name, value, x.dtype());
  };
  const Tensor end = given("end", greatest(x.dtype())), number = given("nan", at.nan);
  Tensor out = nan_replaced_each(x, number, end);
  if (at.posinf) {
    const Tensor above = given("posinf", *at.posinf);
    out = where(x == inf, above, out);
  }
  if (at.neginf) {
    const Tensor below = given("neginf", *at.neginf);
    out = where(x == -inf, below, out);
  }
  return out;
}

Tensors composed(const NanToNumAttrs& at, TensorSpan in) {
  const Tensor& x = in[0];
  if (is_floating(x.dtype())) return {replaced(at, x)};
  if (!is_complex(x.dtype())) return {x};
  // The sum would lose the sign of a real part that is -0.
  const Tensor beside = replaced(at, imag(x));
  const Tensor joined = complex_of(replaced(at, real(x)), beside, x.dtype());
  return {where(isfinite(x), x, joined)};
}

}  // namespace

constinit const CompositeDef kNanToNum{
    .name = "nan_to_num",
    .doc =
        "`x` with NaN replaced by `nan`, and the infinities by `posinf` and `neginf` or else by "
        "the ends of the dtype; integers and bools as they are, the parts of complex numbers each "
        "by itself. The gradient is 0 where something was replaced.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<NanToNumAttrs>(),
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "nan_to_num"}, Alias{"torch", "nan_to_num"},
                 Alias{"jax", "numpy.nan_to_num"}},
};

Tensor nan_to_num(const Tensor& x, double nan, std::optional<double> posinf,
                  std::optional<double> neginf, Where where) {
  return compose(kNanToNum, inputs(x), NanToNumAttrs{nan, posinf, neginf}, where);
}

}  // namespace weft
