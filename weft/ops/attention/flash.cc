// flash_attention: softmax(q k^T * scale + mask) v, block by block, without the matrix of weights.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/math/sum_of.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types flash_infer(const FlashAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape &q = in[0].shape, &k = in[1].shape, &v = in[2].shape;
  cx.require(q.size() == 5 && k.size() == 4 && v.size() == 4, "rank", "q, k and v have shapes ", q,
             ", ", k, " and ", v, "; they must have 5, 4 and 4 axes");
  const auto equal_at = [&](const Shape& a, size_t i, const Shape& b, size_t j) {
    return same(a[i], b[j]) != Tri::kNo;
  };
  cx.require(equal_at(q, 0, k, 0) && equal_at(q, 1, k, 1) && equal_at(q, 4, k, 3) &&
                 equal_at(k, 0, v, 0) && equal_at(k, 1, v, 1) && equal_at(k, 2, v, 2),
             "shape", "q, k and v have shapes ", q, ", ", k, " and ", v,
             "; they must be [batch, heads, groups, queries, features], [batch, heads, keys, "
             "features] and [batch, heads, keys, ..]");
  const Shape scores{q[0], q[1], q[2], q[3], k[2]};
  if (in.size() > 3) {
    cx.require(
        in[3].shape.size() == 5 && same(cx.broadcast(scores, in[3].shape), scores) != Tri::kNo,
        "mask", "the mask has shape ", in[3].shape, ", which has not 5 axes that broadcast to ",
        scores);
  }
  Shape out = q, lse = q;
  out.back() = v[3];
  lse.back() = 1;
  return {{in[0].dtype, out}, {in[0].dtype, lse}};
}

void run(const FlashAttrs& at, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const auto ready = [&](size_t i) { return packed(cast(in[i], wide)); };
  const Tensor mask = in.size() > 3 ? cast(in[3], wide) : Tensor();
  const Tensor out = output_in(wide, results[0]), greatest = output_in(wide, results[1]);
  const Tensor total = Tensor::empty(wide, results[1].shape());
  if (in[1].dim(2) == Dim(0)) {
    fill(out, 0);
    fill(total, 0);
    fill(greatest, -__builtin_inf());
  } else if (total.numel() > 0) {
    native::attention(out, greatest, total, ready(0), ready(1), ready(2), mask,
                      {at.scale_of(in[0].dim(-1).value()), at.causal});
  }
  store(results[0], out);
  store(results[1], greatest + log(total));
}

// delta = sum(g * out) less the cotangent of lse: what the cotangents of the weights are counted
// from.
Tensors vjp(const FlashAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor &q = cx.inputs[0], &out = cx.outputs[0], &lse = cx.outputs[1];
  const bool masked = cx.inputs.size() > 3;
  const Tensor go = g[0].defined() ? g[0] : zeros(Shape(out.shape()), out.dtype(), cx.where);
  Tensor delta = row_total(multiply_no_nan(out, go, cx.where), cx.where);
  if (g[1].defined()) delta = delta - g[1];
  const Tensor stats = concat(inputs(lse, delta), -1, cx.where);
  Tensors in{q, cx.inputs[1], cx.inputs[2], go, stats};
  if (masked) in.push_back(cx.inputs[3]);
  Tensors all = apply_all(kFlashVjp, in, at, cx.where);
  if (!masked) return all;
  all.push_back(Tensor());
  if (cx.wanted[3]) {
    const PlainAttention plain(at, q, cx.inputs[1], cx.inputs[2], cx.inputs[3], cx.where);
    const Tensor gp = matmul(go, transposed(plain.v, cx.where), cx.where);
    const Tensor slope = gp - delta;
    all[3] = plain.probabilities(lse) * slope;
  }
  return all;
}

Tensors jvp(const FlashAttrs& at, const GradCtx& cx, TensorSpan t) {
  const bool masked = cx.inputs.size() > 3;
  const PlainAttention plain(at, cx.inputs[0], cx.inputs[1], cx.inputs[2],
                             masked ? cx.inputs[3] : Tensor(), cx.where);
  const Tensor weights = plain.probabilities(cx.outputs[1]);
  Tensor scores, out, lse;
  if (t[0].defined()) {
    const Tensor keys = transposed(plain.k, cx.where);
    scores = matmul(scaled(t[0], at, cx.where), keys, cx.where);
  }
  if (t[1].defined()) {
    scores = sum_of(scores, matmul(plain.q, transposed(expand_dims(t[1], 2), cx.where), cx.where));
  }
  if (masked) scores = sum_of(scores, t[3]);
  if (scores.defined()) {
    const Tensor turned = multiply_no_nan(broadcast_to(scores, Shape(weights.shape())), weights);
    lse = row_total(turned, cx.where);
    out = matmul(turned - weights * lse, plain.v, cx.where);
  }
  if (t[2].defined()) {
    out = sum_of(out, matmul(weights, expand_dims(t[2], 2), cx.where));
  }
  return {out, lse};
}

Tensors batched(const FlashAttrs& at, const BatchCtx& cx) {
  return flash_batched(kFlash, 3, at, cx);
}

}  // namespace

constinit const OpDef kFlash{
    .name = "flash_attention",
    .module = "nn",
    .doc =
        "`softmax(q k^T * scale + mask) v` for queries [batch, heads, groups, queries, features], "
        "and keys and values [batch, heads, keys, features] that all groups of a head share; and "
        "the logsumexp of the scores. Memory is linear in queries and keys: keys are taken in "
        "blocks of 256 in ascending order; weights are counted from the greatest score so far, "
        "sums of earlier blocks multiplied by `exp(old - new)` before the block's are added. "
        "Weights whose exponent is less than that of the least normal number are 0. A query that "
        "sees no key gives 0. "
        "scaled_dot_product_attention is the one to call.",
    .inputs = {"q: floating", "k: like q", "v: like q", "mask?: like q"},
    .outputs = {"out: like q", "lse: like q"},
    .attrs = attrs_type<FlashAttrs>(),
    .laws = {Law{"rank", "q, k and v have 5, 4 and 4 axes"},
             Law{"shape", "batch, heads, features and keys are those of each other"},
             Law{"mask", "the mask has 5 axes and broadcasts to the scores"}},
    .infer = rule<flash_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
