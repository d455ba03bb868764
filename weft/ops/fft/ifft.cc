// fft.ifft: the inverse of fft.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_ifft(const LineAttrs& at, TensorSpan in) {
  const Tensor x = as_complex(in[0]);
  const Line line = line_of(InferCtx{"ifft"}, x, at, Direction::kInverse);
  return {complex_line(x, line, Direction::kInverse)};
}

}  // namespace

Tensor ifft(const Tensor& x, std::optional<int64_t> n, int64_t axis, const std::string& norm,
            Where where) {
  return compose(kFftIfft, inputs(x), LineAttrs{n, axis, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIfft{
    .name = "ifft",
    .module = "fft",
    .doc = "The inverse of `fft`: `sum over k of x[k] exp(2 pi i j k / n) / n` along `axis`.",
    .inputs = {"x: inexact"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::LineAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"}},
    .compose = rule<fft::compose_ifft>(),
    .known_as = {Alias{"numpy", "fft.ifft"}, Alias{"torch", "fft.ifft"},
                 Alias{"jax", "numpy.fft.ifft"}, Alias{"tf", "signal.ifft"}},
};

}  // namespace weft
