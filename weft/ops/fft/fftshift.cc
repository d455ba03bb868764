// fft.fftshift: frequency 0 moved to the middle.
#include "weft/ops/fft/fft.h"
#include "weft/ops/fft/shifts.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace fft {

Tensor shifted(const InferCtx& cx, const Tensor& x, const ShiftAttrs& at, bool back) {
  Ints axes;
  for (int64_t i = 0; i < x.rank() && !at.axes; ++i) axes.push_back(i);
  if (at.axes) axes = cx.axes(*at.axes, x.shape());
  Tensor out = x;
  for (int64_t axis : axes) {
    const int64_t n = x.dim(axis).value(), first = back ? n / 2 : n - n / 2;
    if (n < 2) continue;
    const Tensors parts = split(out, Ints{first, n - first}, axis);
    out = concat(Tensors{parts[1], parts[0]}, axis);
  }
  return out;
}

namespace {

Tensors compose_fftshift(const ShiftAttrs& at, TensorSpan in) {
  return {shifted(InferCtx{"fftshift"}, in[0], at, false)};
}

}  // namespace

Tensor fftshift(const Tensor& x, std::optional<Ints> axes, Where where) {
  return compose(kFftFftshift, inputs(x), ShiftAttrs{std::move(axes)}, where);
}

}  // namespace fft

constinit const CompositeDef kFftFftshift{
    .name = "fftshift",
    .module = "fft",
    .doc =
        "The elements of a transform in the order of their frequencies, 0 in the middle: element 0 "
        "moves to n / 2 along each of `axes`.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<fft::ShiftAttrs>(),
    .compose = rule<fft::compose_fftshift>(),
    .known_as = {Alias{"numpy", "fft.fftshift"}, Alias{"torch", "fft.fftshift"},
                 Alias{"jax", "numpy.fft.fftshift"}, Alias{"tf", "signal.fftshift"}},
};

}  // namespace weft
