// fft.fftfreq: the frequencies of a transform's elements.
#include "weft/ops/creation/creation.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/frequencies.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace fft {

DType require_frequencies(const InferCtx& cx, const FrequencyAttrs& at) {
  cx.require(at.n >= 1, "length", "the length of the transform is ", at.n,
             "; it must be at least 1");
  const DType dtype = at.dtype.value_or(DType::kF32);
  cx.require_type(is_floating(dtype), "dtype", "dtype is ", dtype, "; it must be floating");
  return dtype;
}

Tensor frequencies(const Tensor& counts, const FrequencyAttrs& at, DType dtype) {
  const Tensor cycles = divide(cast(counts, DType::kF64), static_cast<double>(at.n) * at.d);
  return cast(cycles, dtype);
}

namespace {

Tensors compose_fftfreq(const FrequencyAttrs& at, TensorSpan) {
  const DType dtype = require_frequencies(InferCtx{"fftfreq"}, at);
  const int64_t positive = at.n - at.n / 2;
  const Tensor counts = concat(Tensors{arange(positive), arange(positive - at.n, 0)}, 0);
  return {frequencies(counts, at, dtype)};
}

}  // namespace

Tensor fftfreq(int64_t n, double d, std::optional<DType> dtype, Where where) {
  return compose(kFftFftfreq, {}, FrequencyAttrs{n, d, dtype}, where);
}

}  // namespace fft

constinit const CompositeDef kFftFftfreq{
    .name = "fftfreq",
    .module = "fft",
    .doc =
        "The frequencies of the elements of `fft`, in cycles per unit of the spacing `d`: "
        "`[0, 1, .., -2, -1] / (n d)`.",
    .inputs = {},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::FrequencyAttrs>(),
    .laws = {Law{"length", "the length is at least 1"}, Law{"dtype", "the dtype is floating"}},
    .compose = rule<fft::compose_fftfreq>(),
    .known_as = {Alias{"numpy", "fft.fftfreq"}, Alias{"torch", "fft.fftfreq"},
                 Alias{"jax", "numpy.fft.fftfreq"}},
};

}  // namespace weft
