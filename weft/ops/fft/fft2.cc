// fft.fft2: the Fourier transform along two axes.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_fft2(const PlaneAttrs& at, TensorSpan in) {
  return {complex_grid(InferCtx{"fft2"}, in[0], grid_of(at), Direction::kForward)};
}

}  // namespace

Tensor fft2(const Tensor& x, std::optional<Ints> s, const Ints& axes, const std::string& norm,
            Where where) {
  return compose(kFftFft2, inputs(x), PlaneAttrs{std::move(s), axes, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftFft2{
    .name = "fft2",
    .module = "fft",
    .doc = "The Fourier transform along two axes: `fft` along both.",
    .inputs = {"x: inexact"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::PlaneAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_fft2>(),
    .known_as = {Alias{"numpy", "fft.fft2"}, Alias{"torch", "fft.fft2"},
                 Alias{"jax", "numpy.fft.fft2"}, Alias{"tf", "signal.fft2d"}},
};

}  // namespace weft
