// cdist: the distances between two sets of points.
#include "weft/op/context.h"
#include "weft/ops/nn/cdist_sums.h"
#include "weft/ops/nn/nn.h"

namespace weft {
namespace {

struct CdistAttrs {
  double p = 2;
  static constexpr auto fields =
      fields_of(field("p", &CdistAttrs::p, "the order of the norm: 0, 1, 2, inf or any p >= 0"));
};

// A power of two that keeps squares of numbers up to `greatest` from overflow and underflow.
Tensor scale_for(const Tensor& greatest) {
  const double large = greatest.dtype() == DType::kF64 ? 0x1p500 : 0x1p60;
  const Tensor up = scalar_like(greatest, large), down = scalar_like(greatest, 1 / large);
  const Tensor otherwise = where(greatest < down, up, 1.0);
  return where(greatest > up, down, otherwise);
}

// What euclidean computes, of tensors that nothing differentiates or records: with the same bits,
// but neither a scale of 1 nor the care for the gradient takes time.
Tensor plain_euclidean(const Tensor& a, const Tensor& b, const Tensor& scale) {
  if (scale.item() == 1) return sqrt(cdist_squares(a, b, Where::here()));
  return sqrt(cdist_squares(a * scale, b * scale, Where::here())) / scale;
}

// The gradient between equal points is 0, not NaN.
Tensor euclidean(const Tensor& a, const Tensor& b) {
  const auto greatest = [](const Tensor& x) { return max(abs(stop_gradient(x))); };
  if (num_elements(a.shape()) == Dim(0) || num_elements(b.shape()) == Dim(0)) {
    return cdist_squares(a, b, Where::here());
  }
  const Tensor greatest_b = greatest(b), scale = scale_for(maximum(greatest(a), greatest_b));
  if (a.is_concrete() && b.is_concrete() && !context.is_special) {
    return plain_euclidean(a, b, scale);
  }
  const Tensor scaled_b = b * scale;
  const Tensor squares = cdist_squares(a * scale, scaled_b, Where::here());
  const Tensor zero = equal(squares, 0.0);
  return where(zero, 0.0, sqrt(where(zero, 1.0, squares))) / scale;
}

// Both with the axes in front that they broadcast to.
Tensors aligned(const InferCtx& cx, const Tensor& a, const Tensor& b) {
  const auto front = [](const Tensor& x) {
    return x.shape().first(static_cast<size_t>(x.rank()) - 2);
  };
  const Shape batch = cx.broadcast(front(a), front(b));
  Tensors out;
  for (const Tensor* x : {&a, &b}) {
    Shape shape = batch;
    shape.push_back(x->dim(-2));
    shape.push_back(x->dim(-1));
    out.push_back(broadcast_to(*x, shape));
  }
  return out;
}

Tensors composed(const CdistAttrs& at, TensorSpan in) {
  const InferCtx cx{"cdist"};
  const DType dtype = in[0].dtype(), inner = compute_of(dtype);
  const Tensor a = cast(in[0], inner), b = cast(in[1], inner);
  cx.require(at.p >= 0, "p", "p is ", at.p, "; it must be at least 0");
  cx.require(a.rank() >= 2 && b.rank() >= 2, "rank", "the points have shapes ", a.shape(), " and ",
             b.shape(), "; they must be [.., points, coordinates]");
  cx.require(decide_same(a.dim(-1), b.dim(-1)) != Tri::kNo, "coordinates", "the points have ",
             a.dim(-1), " and ", b.dim(-1), " coordinates; they must have as many");
  if (at.p != 2) {
    const Tensor columns = expand_dims(b, -3);
    return {cast(norm(expand_dims(a, -2) - columns, Ints{-1}, at.p), dtype)};
  }
  const Tensors points = aligned(cx, a, b);
  return {cast(euclidean(points[0], points[1]), dtype)};
}

}  // namespace

constinit const CompositeDef kCdist{
    .name = "cdist",
    .module = "nn",
    .doc =
        "The p-norm of the difference of each point of `a` [.., n, coordinates] and each of `b` "
        "[.., m, coordinates]: [.., n, m]; axes in front broadcast. Computed from the differences, "
        "so that distances of close points are exact; the gradient between equal points is 0.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<CdistAttrs>(),
    .laws = {Law{"p", "`p` is at least 0"}, Law{"rank", "there are points with coordinates"},
             Law{"coordinates", "both have as many coordinates"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"torch", "cdist"}, Alias{"scipy", "spatial.distance.cdist"}},
};

namespace nn {

Tensor cdist(const Tensor& a, const Tensor& b, double p, Where where) {
  return compose(kCdist, inputs(a, b), CdistAttrs{p}, where);
}

}  // namespace nn
}  // namespace weft
