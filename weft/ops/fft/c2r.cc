// fft.c2r: real numbers from the first half of their Fourier transform.
#include "weft/core/native.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace fft {
namespace {

struct HalfAttrs {
  int64_t n = 0;
  int64_t axis = -1;
  double scale = 1;
  static constexpr auto fields =
      fields_of(field("n", &HalfAttrs::n, "how many numbers come out", kRequired),
                field("axis", &HalfAttrs::axis, "the axis to transform"),
                field("scale", &HalfAttrs::scale, "what results are multiplied by"));
};

Types c2r_infer(const HalfAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto axis = static_cast<size_t>(cx.axis(at.axis, in[0].shape));
  require_length(cx, at.n);
  const Dim given = in[0].shape[axis], wanted = at.n / 2 + 1;
  cx.require(same(given, wanted) != Tri::kNo, "half", "axis ", at.axis, " has ", given,
             " elements, but ", at.n, " numbers come of ", wanted);
  Shape out = in[0].shape;
  out[axis] = at.n;
  return {{real_of(in[0].dtype), out}};
}

void run(const HalfAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::fft(result, in[0], normalized(at.axis, in[0].rank()), true, at.scale);
}

// Elements that stand for two of the whole transform count twice.
Tensors transpose(const HalfAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor half = r2c(g[0], at.axis, at.scale, cx.where);
  const DType dtype = real_of(half.dtype());
  return {multiply(half, half_weights(at.n, at.axis, half.rank(), dtype, cx.where), cx.where)};
}

}  // namespace

Tensor c2r(const Tensor& x, int64_t n, int64_t axis, double scale, Where where) {
  return apply(kFftC2r, inputs(x), HalfAttrs{n, axis, scale}, where);
}

}  // namespace fft

constinit const OpDef kFftC2r{
    .name = "c2r",
    .module = "fft",
    .doc =
        "`scale * sum over k of x[k] exp(2 pi i j k / n)` along `axis`, where the elements of x "
        "beyond n / 2 are the conjugates of those given, so that the sum is real: what `irfft` is "
        "made of. Imaginary parts that this makes 0 (of element 0, and of n / 2 if n is even) are "
        "not read.",
    .inputs = {"x: complex"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<fft::HalfAttrs>(),
    .laws = {Law{"length", "n is at least 1"}, Law{"half", "the axis has n / 2 + 1 elements"}},
    .infer = rule<fft::c2r_infer>(),
    .grad = derive::linear<fft::transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<fft::run>(),
    .known_as = {},
};

}  // namespace weft
