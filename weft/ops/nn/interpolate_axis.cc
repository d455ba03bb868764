// interpolate.axis: one axis brought to another size by weighing 2 or 4 elements.
#include "weft/ops/nn/interpolate_axis.h"

#include <algorithm>
#include <cmath>

#include "weft/core/blend.h"
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Keys' cubic with a = -0.75, at a distance of 0 to 2.
double cubic(double x) {
  constexpr double a = -0.75;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

// Where a place lies in an axis of `size` elements.
double position(const InterpolateAxisAttrs& at, int64_t size, int64_t place) {
  const auto i = static_cast<double>(place);
  if (!at.align_corners) return (i + 0.5) * at.step - 0.5;
  if (at.places <= 1) return 0;
  return i * static_cast<double>(size - 1) / static_cast<double>(at.places - 1);
}

// The elements around each place, of which those outside are the outermost again.
Taps taps_of(const InterpolateAxisAttrs& at, int64_t size) {
  Taps out{.places = at.places, .elements = {}, .weights = {}};
  for (int t = 0; t < (at.cubic ? 4 : 2); ++t) {
    for (int64_t i = 0; i < at.places; ++i) {
      const double exact = position(at, size, i), here = at.cubic ? exact : std::max(exact, 0.0);
      const double from = std::floor(here), part = here - from;
      const auto first = static_cast<int64_t>(std::clamp(from, -4.0, static_cast<double>(size)));
      const int64_t element = first + t - (at.cubic ? 1 : 0);
      out.elements.push_back(std::clamp<int64_t>(element, 0, size - 1));
      out.weights.push_back(at.cubic ? cubic(std::abs(part - (t - 1))) : t == 0 ? 1 - part : part);
    }
  }
  return out;
}

Types axis_infer(const InterpolateAxisAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto axis = static_cast<size_t>(cx.axis(at.axis, in[0].shape));
  const Dim size = in[0].shape[axis];
  constexpr int64_t kMost = 1 << 24;
  cx.require((!size.is_known() || size.value() > 0) && 1 <= at.places && at.places <= kMost, "size",
             "an axis of size ", size, " is to have ", at.places,
             " places; it needs elements, and between 1 and ", kMost, " places");
  cx.require(std::isfinite(at.step) && at.step > 0, "step", "step is ", at.step,
             "; it must be positive and finite");
  Type out = in[0];
  out.shape[axis] = at.places;
  num_elements(out.shape);
  return {out};
}

void run(const InterpolateAxisAttrs& at, TensorSpan in, TensorSpan out) {
  const int64_t axis = normalized(at.axis, in[0].rank());
  const Tensor& result = out[0];
  native::blend(result, packed(in[0]), axis, taps_of(at, in[0].dim(axis).value()));
}

// One tap after the other adds its share to the elements it was read from.
Tensors transpose(const InterpolateAxisAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const int64_t axis = normalized(at.axis, x.rank());
  const Taps taps = taps_of(at, x.dim(axis).value());
  Shape line(x.shape().size(), Dim(1));
  line[static_cast<size_t>(axis)] = at.places;
  Tensor out = zeros(Shape(x.shape()), g[0].dtype(), cx.where);
  for (int64_t t = 0; t < taps.count(); ++t) {
    const auto begin = static_cast<size_t>(t * at.places), count = static_cast<size_t>(at.places);
    const auto elements = std::span(taps.elements).subspan(begin, count);
    const auto weights = std::span(taps.weights).subspan(begin, count);
    const Tensor from = Tensor::from_bytes(DType::kI64, line, std::as_bytes(elements));
    const Tensor weight = Tensor::from_bytes(DType::kF64, line, std::as_bytes(weights));
    const Tensor share = multiply(g[0], cast(weight, g[0].dtype(), cx.where), cx.where);
    out =
        scatter_add(out, broadcast_to(from, Shape(share.shape()), cx.where), share, axis, cx.where);
  }
  return {out};
}

}  // namespace

constinit const OpDef kInterpolateAxis{
    .name = "interpolate.axis",
    .module = "nn",
    .doc =
        "`x` with `places` places along `axis`, place i at `(i + 0.5) * step - 0.5` or with "
        "`align_corners` at `i * (size - 1) / (places - 1)`, each the sum of the elements around "
        "it, weighed and added in ascending order: 2 linearly or 4 by a cubic. What linear and "
        "cubic modes of `interpolate` are made of.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<InterpolateAxisAttrs>(),
    .laws = {Law{"size", "there are elements and places"},
             Law{"step", "the step is positive and finite"}},
    .infer = rule<axis_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
