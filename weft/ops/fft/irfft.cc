// fft.irfft: the inverse of rfft.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_irfft(const LineAttrs& at, TensorSpan in) {
  const InferCtx cx{"irfft"};
  const Tensor x = as_complex(in[0]);
  const int64_t length = at.n ? *at.n : 2 * (x.dim(cx.axis(at.axis, x.shape())).value() - 1);
  return {real_line(x, line_of(cx, x, at, Direction::kInverse, length))};
}

}  // namespace

Tensor irfft(const Tensor& x, std::optional<int64_t> n, int64_t axis, const std::string& norm,
             Where where) {
  return compose(kFftIrfft, inputs(x), LineAttrs{n, axis, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIrfft{
    .name = "irfft",
    .module = "fft",
    .doc =
        "The inverse of `rfft`: `n` real numbers along `axis`, `2 (m - 1)` of m elements if `n` "
        "is left out (for an odd number it must be given). Imaginary parts that would make them "
        "complex are not read.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::LineAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"}},
    .compose = rule<fft::compose_irfft>(),
    .known_as = {Alias{"numpy", "fft.irfft"}, Alias{"torch", "fft.irfft"},
                 Alias{"jax", "numpy.fft.irfft"}, Alias{"tf", "signal.irfft"}},
};

}  // namespace weft
