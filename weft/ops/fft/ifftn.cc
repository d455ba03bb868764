// fft.ifftn: the inverse of fftn.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_ifftn(const GridAttrs& at, TensorSpan in) {
  return {complex_grid(InferCtx{"ifftn"}, in[0], at, Direction::kInverse)};
}

}  // namespace

Tensor ifftn(const Tensor& x, std::optional<Ints> s, std::optional<Ints> axes,
             const std::string& norm, Where where) {
  return compose(kFftIfftn, inputs(x), GridAttrs{std::move(s), std::move(axes), norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIfftn{
    .name = "ifftn",
    .module = "fft",
    .doc = "The inverse of `fftn`: `ifft` along each of the axes.",
    .inputs = {"x: inexact"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::GridAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"},
             Law{"count", "as many lengths as axes"}},
    .compose = rule<fft::compose_ifftn>(),
    .known_as = {Alias{"numpy", "fft.ifftn"}, Alias{"torch", "fft.ifftn"},
                 Alias{"jax", "numpy.fft.ifftn"}},
};

}  // namespace weft
