// fft.hfft: the Fourier transform of numbers that are conjugate in pairs.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_hfft(const LineAttrs& at, TensorSpan in) {
  const InferCtx cx{"hfft"};
  const Tensor x = as_complex(in[0]);
  const int64_t length = at.n ? *at.n : 2 * (x.dim(cx.axis(at.axis, x.shape())).value() - 1);
  return {real_line(conj(x), line_of(cx, x, at, Direction::kForward, length))};
}

}  // namespace

Tensor hfft(const Tensor& x, std::optional<int64_t> n, int64_t axis, const std::string& norm,
            Where where) {
  return compose(kFftHfft, inputs(x), LineAttrs{n, axis, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftHfft{
    .name = "hfft",
    .module = "fft",
    .doc =
        "The Fourier transform of a signal whose second half are the conjugates of the first, "
        "which is given: `n` real numbers along `axis`, `2 (m - 1)` of m elements if `n` is "
        "left out.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::LineAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"}},
    .compose = rule<fft::compose_hfft>(),
    .known_as = {Alias{"numpy", "fft.hfft"}, Alias{"torch", "fft.hfft"},
                 Alias{"jax", "numpy.fft.hfft"}},
};

}  // namespace weft
