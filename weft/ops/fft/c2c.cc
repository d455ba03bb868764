// fft.c2c: the discrete Fourier transform of complex numbers.
#include "weft/core/native.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"

namespace weft {
namespace fft {
namespace {

struct ComplexAttrs {
  int64_t axis = -1;
  bool inverse = false;
  double scale = 1;
  static constexpr auto fields =
      fields_of(field("axis", &ComplexAttrs::axis, "the axis to transform"),
                field("inverse", &ComplexAttrs::inverse, "with the positive exponent"),
                field("scale", &ComplexAttrs::scale, "what results are multiplied by"));
};

Types c2c_infer(const ComplexAttrs& at, const InferCtx& cx, TypeSpan in) {
  const int64_t axis = cx.axis(at.axis, in[0].shape);
  require_length(cx, in[0].shape[static_cast<size_t>(axis)]);
  return {in[0]};
}

void run(const ComplexAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::fft(result, in[0], normalized(at.axis, in[0].rank()), at.inverse, at.scale);
}

// The matrix is symmetric, so its adjoint is its conjugate.
Tensors transpose(const ComplexAttrs& at, const GradCtx& cx, TensorSpan g) {
  return {c2c(g[0], at.axis, !at.inverse, at.scale, cx.where)};
}

}  // namespace

Tensor c2c(const Tensor& x, int64_t axis, bool inverse, double scale, Where where) {
  return apply(kFftC2c, inputs(x), ComplexAttrs{axis, inverse, scale}, where);
}

}  // namespace fft

constinit const OpDef kFftC2c{
    .name = "c2c",
    .module = "fft",
    .doc =
        "`scale * sum over j of x[j] exp(-2 pi i j k / n)` along `axis`, with `inverse` the other "
        "sign: what `fft` and `ifft` are made of. Any length n, in time n log n: products of "
        "small primes by Stockham's mixed-radix transform, others by Bluestein's convolution.",
    .inputs = {"x: complex"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<fft::ComplexAttrs>(),
    .laws = {Law{"length", "the axis has at least one element"}},
    .infer = rule<fft::c2c_infer>(),
    .grad = derive::linear<fft::transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<fft::run>(),
    .known_as = {},
};

}  // namespace weft
