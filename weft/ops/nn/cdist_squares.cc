// cdist.squares: the squared distances between two sets of points.
#include "weft/core/native.h"
#include "weft/ops/nn/cdist_sums.h"

namespace weft {
namespace {

using namespace cdist_sums;

Types squares_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  check_points(cx, in[0], in[1]);
  Type out = in[0];
  out.shape.back() = in[1].shape[in[1].shape.size() - 2];
  return {out};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::sum_differences(as_batch(result), Tensor(), as_batch(in[0]), as_batch(in[1]));
}

// ga = 2 sum over j of g (a - b), and gb the same from the other side.
Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Tensor &a = cx.inputs[0], &b = cx.inputs[1];
  const Tensor twice = multiply(g[0], 2.0, cx.where);
  Tensors out(2);
  if (cx.wanted[0]) out[0] = cdist_pull(twice, a, b, cx.where);
  if (cx.wanted[1]) out[1] = cdist_pull(transposed(twice, cx.where), b, a, cx.where);
  return out;
}

// 2 sum over k of (da - db) (a - b).
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Tensor &a = cx.inputs[0], &b = cx.inputs[1];
  Tensor of_a, of_b;
  if (d[0].defined()) of_a = cdist_push(d[0], a, b, cx.where);
  if (d[1].defined()) of_b = transposed(cdist_push(d[1], b, a, cx.where), cx.where);
  return {multiply(sum_of(of_a, of_b), 2.0, cx.where)};
}

}  // namespace

constinit const OpDef kCdistSquares{
    .name = "cdist.squares",
    .module = "nn",
    .doc =
        "The squared distances of each point of `a` [.., n, coordinates] from each of `b` "
        "[.., m, coordinates]: [.., n, m], summed from the differences. What `cdist` is made of.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .laws = {Law{"points", "the sets of points differ only in how many there are"}},
    .infer = rule<squares_infer>(),
    .grad = derive::rules<pulled, pushed>().reading(3, false),
    .batch = batch::same_shape(),
    .kernel = kernel::native<run>(),
};

Tensor cdist_squares(const Tensor& a, const Tensor& b, Where where) {
  return apply(kCdistSquares, inputs(a, b), NoAttrs(), where);
}

}  // namespace weft
