// cdist.push: the differences of points along a direction for each; what moves a squared distance.
#include "weft/core/native.h"
#include "weft/ops/nn/cdist_sums.h"

namespace weft {
namespace {

using namespace cdist_sums;

Types push_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  check_points(cx, in[1], in[2]);
  check_first(cx, in[0], in[1], in[1].shape.back());
  Type out = in[1];
  out.shape.back() = in[2].shape[in[2].shape.size() - 2];
  return {out};
}

void run(const NoAttrs&, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::sum_differences(as_batch(result), as_batch(in[0]), as_batch(in[1]), as_batch(in[2]));
}

// gu = sum over j of g (a - b); ga = u sum over j of g; gb = -g^T u.
Tensors pulled(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  const Where line = cx.where;
  const Tensor &u = cx.inputs[0], &a = cx.inputs[1], &b = cx.inputs[2];
  Tensors out(3);
  if (cx.wanted[0]) out[0] = cdist_pull(g[0], a, b, line);
  if (cx.wanted[1]) out[1] = multiply(u, row_total(g[0], line), line);
  if (cx.wanted[2]) out[2] = negative(matmul(transposed(g[0], line), u, line), line);
  return out;
}

// du (a - b) + u (da - db), each summed over k.
Tensors pushed(const NoAttrs&, const GradCtx& cx, TensorSpan d) {
  const Where line = cx.where;
  const Tensor &u = cx.inputs[0], &a = cx.inputs[1], &b = cx.inputs[2];
  Tensor total;
  if (d[0].defined()) total = cdist_push(d[0], a, b, line);
  if (d[2].defined()) {
    total = sum_of(total, negative(matmul(u, transposed(d[2], line), line), line));
  }
  if (d[1].defined()) {
    const Tensor moved = row_total(multiply(u, d[1], line), line);
    total = sum_of(
        total, total.defined() ? moved : broadcast_to(moved, Shape(cx.outputs[0].shape()), line));
  }
  return {total};
}

}  // namespace

constinit const OpDef kCdistPush{
    .name = "cdist.push",
    .module = "nn",
    .doc =
        "Of each pair of points the sum over `k` of `u[i, k] (a[i, k] - b[j, k])`: [.., n, m]. "
        "Half "
        "of what a squared distance changes by if `a` moves by `u`.",
    .inputs = {"u: floating", "a: like u", "b: like u"},
    .outputs = {"out: like u"},
    .laws = {Law{"points", "the sets of points differ only in how many there are"},
             Law{"first", "u has the shape of a"}},
    .infer = rule<push_infer>(),
    .grad = derive::rules<pulled, pushed>().reading(7, false),
    .batch = batch::same_shape(),
    .kernel = kernel::native<run>(),
};

Tensor cdist_push(const Tensor& u, const Tensor& a, const Tensor& b, Where where) {
  return apply(kCdistPush, inputs(u, a, b), NoAttrs(), where);
}

}  // namespace weft
