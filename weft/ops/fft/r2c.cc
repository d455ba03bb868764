// fft.r2c: the first half of the Fourier transform of real numbers.
#include "weft/core/native.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/lengths.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace fft {
namespace {

struct RealAttrs {
  int64_t axis = -1;
  double scale = 1;
  static constexpr auto fields =
      fields_of(field("axis", &RealAttrs::axis, "the axis to transform"),
                field("scale", &RealAttrs::scale, "what results are multiplied by"));
};

Types r2c_infer(const RealAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto axis = static_cast<size_t>(cx.axis(at.axis, in[0].shape));
  require_length(cx, in[0].shape[axis]);
  Shape out = in[0].shape;
  out[axis] = floor_div(out[axis], 2) + Dim(1);
  return {{complex_of(compute_of(in[0].dtype)), out}};
}

void run(const RealAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  const DType wide = compute_of(in[0].dtype());
  const Tensor x = wide == in[0].dtype() ? in[0] : cast(in[0], wide);
  native::fft(result, x, normalized(at.axis, x.rank()), false, at.scale);
}

// c2r counts the elements twice that stand for two, so they are halved first.
Tensors transpose(const RealAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const int64_t n = x.dim(at.axis).value();
  const Tensor weights = half_weights(n, at.axis, x.rank(), real_of(g[0].dtype()), cx.where);
  const Tensor halved = divide(g[0], weights, cx.where);
  return {cast(c2r(halved, n, at.axis, at.scale, cx.where), x.dtype(), cx.where)};
}

}  // namespace

Tensor r2c(const Tensor& x, int64_t axis, double scale, Where where) {
  return apply(kFftR2c, inputs(x), RealAttrs{axis, scale}, where);
}

}  // namespace fft

constinit const OpDef kFftR2c{
    .name = "r2c",
    .module = "fft",
    .doc =
        "`scale * sum over j of x[j] exp(-2 pi i j k / n)` of real numbers along `axis`, for k up "
        "to "
        "n / 2: the others are conjugates of these. What `rfft` is made of. Half floats are "
        "computed in float32 and give complex64.",
    .inputs = {"x: floating"},
    .outputs = {"out: complex"},
    .attrs = attrs_type<fft::RealAttrs>(),
    .laws = {Law{"length", "the axis has at least one element"}},
    .infer = rule<fft::r2c_infer>(),
    .grad = derive::linear<fft::transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<fft::run>(),
    .known_as = {},
};

}  // namespace weft
