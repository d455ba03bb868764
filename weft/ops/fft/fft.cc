// fft.fft: the discrete Fourier transform along an axis.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_fft(const LineAttrs& at, TensorSpan in) {
  const Tensor x = as_complex(in[0]);
  const Line line = line_of(InferCtx{"fft"}, x, at, Direction::kForward);
  return {complex_line(x, line, Direction::kForward)};
}

}  // namespace

Tensor fft(const Tensor& x, std::optional<int64_t> n, int64_t axis, const std::string& norm,
           Where where) {
  return compose(kFftFft, inputs(x), LineAttrs{n, axis, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftFft{
    .name = "fft",
    .module = "fft",
    .doc =
        "The discrete Fourier transform `sum over j of x[j] exp(-2 pi i j k / n)` along `axis`. "
        "Real numbers become complex; of those `rfft` gives half in half the time. Any length; "
        "float32 and float64 are computed as such, half floats in float32.",
    .inputs = {"x: inexact"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::LineAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"}},
    .compose = rule<fft::compose_fft>(),
    .known_as = {Alias{"numpy", "fft.fft"}, Alias{"torch", "fft.fft"},
                 Alias{"jax", "numpy.fft.fft"}, Alias{"tf", "signal.fft"}},
};

}  // namespace weft
