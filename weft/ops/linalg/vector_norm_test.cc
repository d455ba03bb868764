// Samples of linalg.vector_norm; the op itself is norm, which has its own.
#include "weft/ops/linalg/matrix_reference.h"

using namespace weft::suite;

// Of all axes, or of the last one, or of the first two.
static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const auto ord = static_cast<long double>(at.get<double>("ord"));
  const auto axis = at.get<std::optional<Ints>>("axis");
  const bool last = axis && axis->size() == 1;
  std::vector<int64_t> shape = x.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!axis || (last ? d + 1 == shape.size() : d < 2)) shape[d] = 1;
  }
  Array out = like(x, shape);
  if (x.dtype == DType::kC64) out.dtype = DType::kF32;
  if (x.dtype == DType::kC128) out.dtype = DType::kF64;
  std::vector<std::vector<long double>> groups(out.values.size());
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::vector<int64_t> place = unravel(static_cast<int64_t>(i), x.shape);
    for (size_t d = 0; d < shape.size(); ++d) place[d] = shape[d] == 1 ? 0 : place[d];
    groups[static_cast<size_t>(ravel(place, shape))].push_back(
        std::abs(Complex(x.values[i].re, x.values[i].im)));
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    long double total = 0;
    for (long double a : groups[g]) {
      if (std::isinf(ord))
        total = total == 0 || (ord > 0 ? a > total : a < total) ? a : total;
      else
        total += ord == 0 ? (a != 0) : std::pow(a, ord);
    }
    out.values[g].re = std::isinf(ord) || ord == 0 ? total : std::pow(total, 1 / ord);
  }
  if (!at.get<bool>("keepdims")) {
    std::vector<int64_t> kept;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (axis && !(last ? d + 1 == shape.size() : d < 2)) kept.push_back(shape[d]);
    }
    out.shape = kept;
  }
  return {out};
}

WEFT_OP_TEST(linalg__vector_norm) {
  t.skip("zero", "what norm says of zeros and infinities is tested there");
  t.skip("special", "what norm says of zeros and infinities is tested there");
  t.sample({in({3, 4}, 0.5, 2)});
  t.sample({distinct({2, 3}, 0.5, 2)}, "axis=[-1], ord=inf");
  t.sample({distinct({2, 3}, 0.5, 2)}, "axis=[-1], ord=-inf, keepdims=true");
  t.sample({in({2, 3, 2}, 0.5, 2)}, "axis=[0, 1], ord=3");
  t.sample({in({2, 3}, 0.5, 2)}, "axis=[1], ord=-1.5");
  t.sample({in({2, 3}, 0.5, 2)}, "axis=[1], ord=1");
  t.large({in({300, 300})});
  t.reference(reference);
  t.tolerance(4, "sums of powers");
  t.error("ord", {in({3})}, "ord=nan",
          "vector_norm: the order is NaN; it must be a number or inf [vector_norm.ord]");
}
