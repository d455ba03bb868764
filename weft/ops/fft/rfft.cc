// fft.rfft: the Fourier transform of real numbers.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_rfft(const LineAttrs& at, TensorSpan in) {
  const Tensor x = as_real("rfft", in[0]);
  return {half_line(x, line_of(InferCtx{"rfft"}, x, at, Direction::kForward))};
}

}  // namespace

Tensor rfft(const Tensor& x, std::optional<int64_t> n, int64_t axis, const std::string& norm,
            Where where) {
  return compose(kFftRfft, inputs(x), LineAttrs{n, axis, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftRfft{
    .name = "rfft",
    .module = "fft",
    .doc =
        "The Fourier transform of real numbers along `axis`, its first `n / 2 + 1` elements: "
        "the others are conjugates of these. `irfft` is its inverse.",
    .inputs = {"x: floating"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::LineAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"}},
    .compose = rule<fft::compose_rfft>(),
    .known_as = {Alias{"numpy", "fft.rfft"}, Alias{"torch", "fft.rfft"},
                 Alias{"jax", "numpy.fft.rfft"}, Alias{"tf", "signal.rfft"}},
};

}  // namespace weft
