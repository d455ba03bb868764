// fft.rfft2: the Fourier transform of real numbers along two axes.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_rfft2(const PlaneAttrs& at, TensorSpan in) {
  return {half_grid(InferCtx{"rfft2"}, in[0], grid_of(at))};
}

}  // namespace

Tensor rfft2(const Tensor& x, std::optional<Ints> s, const Ints& axes, const std::string& norm,
             Where where) {
  return compose(kFftRfft2, inputs(x), PlaneAttrs{std::move(s), axes, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftRfft2{
    .name = "rfft2",
    .module = "fft",
    .doc =
        "The Fourier transform of real numbers along two axes: `rfft` along the last of them, "
        "`fft` along the other.",
    .inputs = {"x: floating"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::PlaneAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_rfft2>(),
    .known_as = {Alias{"numpy", "fft.rfft2"}, Alias{"torch", "fft.rfft2"},
                 Alias{"jax", "numpy.fft.rfft2"}, Alias{"tf", "signal.rfft2d"}},
};

}  // namespace weft
