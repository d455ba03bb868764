// cdist.pull: the weighted sum of the differences from a point to all points of another set.
#include "weft/core/native.h"
#include "weft/ops/nn/cdist_sums.h"

namespace weft {
namespace {

using namespace cdist_sums;

Types pull_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  check_points(cx, in[1], in[2]);
  check_first(cx, in[0], in[1], in[2].shape[in[2].shape.size() - 2]);
  return {in[1]};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::weigh_differences(as_batch(result), as_batch(in[0]), as_batch(in[1]), as_batch(in[2]));
}

// gw = sum over k of g (a - b); ga = g sum over j of w; gb = -w^T g.
Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where line = cx.where;
  const Tensor &w = cx.inputs[0], &a = cx.inputs[1], &b = cx.inputs[2];
  Tensors out(3);
  if (cx.wanted[0]) out[0] = cdist_push(g[0], a, b, line);
  if (cx.wanted[1]) out[1] = multiply(g[0], row_total(w, line), line);
  if (cx.wanted[2]) out[2] = negative(matmul(transposed(w, line), g[0], line), line);
  return out;
}

// dw (a - b) + w (da - db), each summed over j.
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where line = cx.where;
  const Tensor &w = cx.inputs[0], &a = cx.inputs[1], &b = cx.inputs[2];
  Tensor total;
  if (d[0].defined()) total = cdist_pull(d[0], a, b, line);
  if (d[1].defined()) total = sum_of(total, multiply(d[1], row_total(w, line), line));
  if (d[2].defined()) total = sum_of(total, negative(matmul(w, d[2], line), line));
  return {total};
}

}  // namespace

constinit const OpDef kCdistPull{
    .name = "cdist.pull",
    .module = "nn",
    .doc =
        "Of each point of `a` the sum over `j` of `w[i, j] (a[i, k] - b[j, k])`, in ascending "
        "order "
        "of `j`: the shape of `a`. A weight of 0 adds nothing, not even an infinity. Half of the "
        "gradient of squared distances.",
    .inputs = {"w: floating", "a: like w", "b: like w"},
    .outputs = {"out: like w"},
    .laws = {Law{"points", "the sets of points differ only in how many there are"},
             Law{"first", "w has a weight for each pair of points"}},
    .infer = rule<pull_infer>(),
    .grad = derive::rules<pulled, pushed>().reading(7, false),
    .batch = batch::same_shape(),
    .kernel = kernel::native<run>(),
};

Tensor cdist_pull(const Tensor& w, const Tensor& a, const Tensor& b, Where where) {
  return apply(kCdistPull, inputs(w, a, b), NoAttrs(), where);
}

}  // namespace weft
