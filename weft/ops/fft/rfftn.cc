// fft.rfftn: the Fourier transform of real numbers along several axes.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_rfftn(const GridAttrs& at, TensorSpan in) {
  return {half_grid(InferCtx{"rfftn"}, in[0], at)};
}

}  // namespace

Tensor rfftn(const Tensor& x, std::optional<Ints> s, std::optional<Ints> axes,
             const std::string& norm, Where where) {
  return compose(kFftRfftn, inputs(x), GridAttrs{std::move(s), std::move(axes), norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftRfftn{
    .name = "rfftn",
    .module = "fft",
    .doc =
        "The Fourier transform of real numbers along several axes: `rfft` along the last of "
        "them, `fft` along the others.",
    .inputs = {"x: floating"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::GridAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_rfftn>(),
    .known_as = {Alias{"numpy", "fft.rfftn"}, Alias{"torch", "fft.rfftn"},
                 Alias{"jax", "numpy.fft.rfftn"}},
};

}  // namespace weft
