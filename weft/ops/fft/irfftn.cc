// fft.irfftn: the inverse of rfftn.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_irfftn(const GridAttrs& at, TensorSpan in) {
  return {real_grid(InferCtx{"irfftn"}, in[0], at)};
}

}  // namespace

Tensor irfftn(const Tensor& x, std::optional<Ints> s, std::optional<Ints> axes,
              const std::string& norm, Where where) {
  return compose(kFftIrfftn, inputs(x), GridAttrs{std::move(s), std::move(axes), norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIrfftn{
    .name = "irfftn",
    .module = "fft",
    .doc = "The inverse of `rfftn`: `ifft` along all axes but the last, then `irfft` along that.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::GridAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_irfftn>(),
    .known_as = {Alias{"numpy", "fft.irfftn"}, Alias{"torch", "fft.irfftn"},
                 Alias{"jax", "numpy.fft.irfftn"}},
};

}  // namespace weft
