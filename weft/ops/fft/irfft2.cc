// fft.irfft2: the inverse of rfft2.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_irfft2(const PlaneAttrs& at, TensorSpan in) {
  return {real_grid(InferCtx{"irfft2"}, in[0], grid_of(at))};
}

}  // namespace

Tensor irfft2(const Tensor& x, std::optional<Ints> s, const Ints& axes, const std::string& norm,
              Where where) {
  return compose(kFftIrfft2, inputs(x), PlaneAttrs{std::move(s), axes, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIrfft2{
    .name = "irfft2",
    .module = "fft",
    .doc = "The inverse of `rfft2`: `ifft` along the first axis, then `irfft` along the second.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::PlaneAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_irfft2>(),
    .known_as = {Alias{"numpy", "fft.irfft2"}, Alias{"torch", "fft.irfft2"},
                 Alias{"jax", "numpy.fft.irfft2"}, Alias{"tf", "signal.irfft2d"}},
};

}  // namespace weft
