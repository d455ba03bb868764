// fft.rfftfreq: the frequencies of the elements of rfft.
#include "weft/ops/creation/creation.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/frequencies.h"

namespace weft {
namespace fft {
namespace {

Tensors compose_rfftfreq(const FrequencyAttrs& at, TensorSpan) {
  const DType dtype = require_frequencies(InferCtx{"rfftfreq"}, at);
  return {frequencies(arange(at.n / 2 + 1), at, dtype)};
}

}  // namespace

Tensor rfftfreq(int64_t n, double d, std::optional<DType> dtype, Where where) {
  return compose(kFftRfftfreq, {}, FrequencyAttrs{n, d, dtype}, where);
}

}  // namespace fft

constinit const CompositeDef kFftRfftfreq{
    .name = "rfftfreq",
    .module = "fft",
    .doc =
        "The frequencies of the elements of `rfft`, in cycles per unit of the spacing `d`: "
        "`[0, 1, .., n / 2] / (n d)`.",
    .inputs = {},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::FrequencyAttrs>(),
    .laws = {Law{"length", "the length is at least 1"}, Law{"dtype", "the dtype is floating"}},
    .compose = rule<fft::compose_rfftfreq>(),
    .known_as = {Alias{"numpy", "fft.rfftfreq"}, Alias{"torch", "fft.rfftfreq"},
                 Alias{"jax", "numpy.fft.rfftfreq"}},
};

}  // namespace weft
