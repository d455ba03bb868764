// fft.fftn: the Fourier transform along several axes.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_fftn(const GridAttrs& at, TensorSpan in) {
  return {complex_grid(InferCtx{"fftn"}, in[0], at, Direction::kForward)};
}

}  // namespace

Tensor fftn(const Tensor& x, std::optional<Ints> s, std::optional<Ints> axes,
            const std::string& norm, Where where) {
  return compose(kFftFftn, inputs(x), GridAttrs{std::move(s), std::move(axes), norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftFftn{
    .name = "fftn",
    .module = "fft",
    .doc = "The Fourier transform along several axes: `fft` along each of them.",
    .inputs = {"x: inexact"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::GridAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_fftn>(),
    .known_as = {Alias{"numpy", "fft.fftn"}, Alias{"torch", "fft.fftn"},
                 Alias{"jax", "numpy.fft.fftn"}},
};

}  // namespace weft
