// fft.ihfft: the inverse of hfft.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"
#include "weft/ops/math/math.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_ihfft(const LineAttrs& at, TensorSpan in) {
  const Tensor x = as_real("ihfft", in[0]);
  return {conj(half_line(x, line_of(InferCtx{"ihfft"}, x, at, Direction::kInverse)))};
}

}  // namespace

Tensor ihfft(const Tensor& x, std::optional<int64_t> n, int64_t axis, const std::string& norm,
             Where where) {
  return compose(kFftIhfft, inputs(x), LineAttrs{n, axis, norm}, where);
}

}  // namespace fft

constinit const CompositeDef kFftIhfft{
    .name = "ihfft",
    .module = "fft",
    .doc = "The inverse of `hfft`: `n / 2 + 1` complex numbers of n real ones along `axis`.",
    .inputs = {"x: floating"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::LineAttrs>(),
    .laws = {Law{"length", "the length is at least 1"},
             Law{"norm", "norm is backward, ortho or forward"}},
    .compose = rule<fft::compose_ihfft>(),
    .known_as = {Alias{"numpy", "fft.ihfft"}, Alias{"torch", "fft.ihfft"},
                 Alias{"jax", "numpy.fft.ihfft"}},
};

}  // namespace weft
