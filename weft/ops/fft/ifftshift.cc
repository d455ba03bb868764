// fft.ifftshift: the inverse of fftshift.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/shifts.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_ifftshift(const ShiftAttrs& at, TensorSpan in) {
  return {shifted(InferCtx{"ifftshift"}, in[0], at, true)};
}

}  // namespace

Tensor ifftshift(const Tensor& x, std::optional<Ints> axes, Where where) {
  return compose(kFftIfftshift, inputs(x), ShiftAttrs{std::move(axes)}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIfftshift{
    .name = "ifftshift",
    .module = "fft",
    .doc = "The inverse of `fftshift`: element n / 2 moves to 0 along each of `axes`.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<fft::ShiftAttrs>(),
    .compose = rule<fft::compose_ifftshift>(),
    .known_as = {Alias{"numpy", "fft.ifftshift"}, Alias{"torch", "fft.ifftshift"},
                 Alias{"jax", "numpy.fft.ifftshift"}, Alias{"tf", "signal.ifftshift"}},
};

}  // namespace weft
