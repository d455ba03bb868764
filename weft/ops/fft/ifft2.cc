// fft.ifft2: the inverse of fft2.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_ifft2(const PlaneAttrs& at, TensorSpan in) {
  return {complex_grid(InferCtx{"ifft2"}, in[0], grid_of(at), Direction::kInverse)};
}

}  // namespace

Tensor ifft2(const Tensor& x, std::optional<Ints> s, const Ints& axes, const std::string& norm,
             Where where) {
  return compose(kFftIfft2, inputs(x), PlaneAttrs{std::move(s), axes, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIfft2{
    .name = "ifft2",
    .module = "fft",
    .doc = "The inverse of `fft2`: `ifft` along both axes.",
    .inputs = {"x: inexact"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::PlaneAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_ifft2>(),
    .known_as = {Alias{"numpy", "fft.ifft2"}, Alias{"torch", "fft.ifft2"},
                 Alias{"jax", "numpy.fft.ifft2"}, Alias{"tf", "signal.ifft2d"}},
};

}  // namespace weft
