// flash_attention.vjp: the cotangents of queries, keys and values, with weights computed again.
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

// q, k, v, g, stats, mask?
Types vjp_infer(const FlashAttrs&, const InferCtx& cx, TypeSpan in) {
  const Shape &q = in[0].shape, &k = in[1].shape, &v = in[2].shape;
  cx.require(q.size() == 5 && k.size() == 4 && v.size() == 4, "rank", "q, k and v have shapes ", q,
             ", ", k, " and ", v, "; they must have 5, 4 and 4 axes");
  Shape g = q, stats = q;
  g.back() = v[3];
  stats.back() = 2;
  cx.require(same(in[3].shape, g) != Tri::kNo && same(in[4].shape, stats) != Tri::kNo, "shape",
             "g and stats have shapes ", in[3].shape, " and ", in[4].shape, "; they must be ", g,
             " and ", stats);
  const Shape scores{q[0], q[1], q[2], q[3], k[2]};
  if (in.size() > 5) {
    cx.require(
        in[5].shape.size() == 5 && same(cx.broadcast(scores, in[5].shape), scores) != Tri::kNo,
        "mask", "the mask has shape ", in[5].shape, ", which has not 5 axes that broadcast to ",
        scores);
  }
  return {in[0], in[1], in[2]};
}

void run(const FlashAttrs& at, TensorSpan in, TensorSpan results) {
  const DType wide = compute_of(in[0].dtype());
  const auto ready = [&](size_t i) { return packed(cast(in[i], wide)); };
  const Tensor mask = in.size() > 5 ? cast(in[5], wide) : Tensor();
  Tensors out;
  for (const Tensor& result : results) out.push_back(output_in(wide, result));
  const bool is_empty = in[0].dim(2) == Dim(0) || in[0].dim(3) == Dim(0) || in[1].dim(2) == Dim(0);
  if (is_empty) {
    for (const Tensor& each : out) fill(each, 0);
  } else {
    native::attention_vjp(out[0], out[1], out[2], ready(0), ready(1), ready(2), mask, ready(3),
                          ready(4), {at.scale_of(in[0].dim(-1).value()), at.causal});
  }
  for (size_t k = 0; k < out.size(); ++k) store(results[k], out[k]);
}

// The op on whole matrices: P the weights, E = g v^T - delta, S = P E the cotangents of the scores.
// Queries are times the scale; the op's dq is that of such queries times the scale again.
struct Plain {
  PlainAttention attention;
  Tensor g, lse, delta, p, e, s;
  Where where;

  Plain(const FlashAttrs& at, const GradCtx& cx)
      : attention(at, cx.inputs[0], cx.inputs[1], cx.inputs[2],
                  cx.inputs.size() > 5 ? cx.inputs[5] : Tensor(), cx.where),
        g(cx.inputs[3]),
        where(cx.where) {
    const Tensors columns = split(cx.inputs[4], Ints{1, 1}, -1, where);
    lse = columns[0], delta = columns[1];
    p = attention.probabilities(lse);
    e = matmul(g, transposed(attention.v, where), where) - delta;
    s = p * e;
  }
  Tensor times(const Tensor& a, const Tensor& b) const { return matmul(a, b, where); }
  Tensor flip(const Tensor& x) const { return transposed(x, where); }
  Tensor keys(const Tensor& x) const { return expand_dims(x, 2, where); }  // with groups
};

Tensors vjp(const FlashAttrs& at, const GradCtx& cx, TensorSpan cotangents) {
  const Plain x(at, cx);
  const PlainAttention& own = x.attention;
  const Tensor a = scaled(cotangents[0], at, cx.where);  // of dq; b and c are those of dk and dv
  const Tensor b = cotangents[1].defined() ? x.keys(cotangents[1]) : Tensor();
  const Tensor c = cotangents[2].defined() ? x.keys(cotangents[2]) : Tensor();
  Tensor by_s, by_p;
  if (a.defined()) by_s = x.times(a, x.flip(own.k));
  if (b.defined()) by_s = sum_of(by_s, x.times(own.q, x.flip(b)));
  if (c.defined()) by_p = x.times(x.g, x.flip(c));
  if (by_s.defined()) by_p = sum_of(by_p, by_s * x.e);
  const Tensor by_scores = by_p * x.p;
  const auto rows = [&](const Tensor& t) { return row_total(t, cx.where); };
  Tensor dq = x.times(by_scores, own.k), dk = x.times(x.flip(by_scores), own.q), dv, dg;
  if (b.defined()) dq = dq + x.times(x.s, b);
  if (a.defined()) dk = dk + x.times(x.flip(x.s), a);
  Tensor by_lse = -rows(by_scores), by_delta = zeros(Shape(by_lse.shape()), by_lse.dtype());
  if (by_s.defined()) {
    const Tensor by_e = by_s * x.p;
    dv = own.over_groups(x.times(x.flip(by_e), x.g));
    dg = x.times(by_e, own.v);
    by_delta = -rows(by_e);
  }
  if (c.defined()) dg = sum_of(dg, x.times(x.p, c));
  Tensors out{scaled(dq, at, cx.where), own.over_groups(dk), dv, dg,
              concat(inputs(by_lse, by_delta), -1, cx.where)};
  if (cx.inputs.size() > 5) out.push_back(by_scores);
  return out;
}

// A missing tangent is 0.
Tensors jvp(const FlashAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Plain x(at, cx);
  const PlainAttention& own = x.attention;
  const auto given = [&](size_t i) {
    if (t[i].defined()) return t[i];
    return zeros(Shape(cx.inputs[i].shape()), cx.inputs[i].dtype(), cx.where);
  };
  const Tensor q = scaled(given(0), at, cx.where), k = x.keys(given(1)), v = x.keys(given(2)),
               g = given(3);
  const Tensors columns = split(given(4), Ints{1, 1}, -1, cx.where);
  const Tensor by_k = x.times(own.q, x.flip(k));
  Tensor scores = x.times(q, x.flip(own.k)) + by_k - columns[0];
  if (t.size() > 5 && t[5].defined()) scores = scores + t[5];
  const Tensor p = x.p * scores;
  const Tensor by_v = x.times(x.g, x.flip(v));
  const Tensor e = x.times(g, x.flip(own.v)) + by_v - columns[1];
  const Tensor by_e = x.p * e, s = p * x.e + by_e;
  const Tensor dq_by_k = x.times(x.s, k), dq = x.times(s, own.k) + dq_by_k;
  const Tensor dk_by_q = x.times(x.flip(x.s), q), dk = x.times(x.flip(s), own.q) + dk_by_q;
  const Tensor dv_by_g = x.times(x.flip(x.p), g), dv = x.times(x.flip(p), x.g) + dv_by_g;
  return {scaled(dq, at, cx.where), own.over_groups(dk), own.over_groups(dv)};
}

Tensors batched(const FlashAttrs& at, const BatchCtx& cx) {
  return flash_batched(kFlashVjp, 5, at, cx);
}

}  // namespace

constinit const OpDef kFlashVjp{
    .name = "flash_attention.vjp",
    .module = "nn",
    .doc =
        "From the cotangent `g` of flash_attention's result and `stats`, the logsumexp of each "
        "query's scores and delta, the sum of `g * out`: the cotangents of q, k and v. Weights are "
        "computed again, in blocks of 128 queries and 128 keys; the cotangent of a query is summed "
        "over blocks of keys, those of keys and values over groups and blocks of queries, all in "
        "ascending order.",
    .inputs = {"q: floating", "k: like q", "v: like q", "g: like q", "stats: like q",
               "mask?: like q"},
    .outputs = {"dq: like q", "dk: like q", "dv: like q"},
    .attrs = attrs_type<FlashAttrs>(),
    .laws = {Law{"rank", "q, k and v have 5, 4 and 4 axes"},
             Law{"shape", "g has the shape of the result, stats two numbers for each query"},
             Law{"mask", "the mask has 5 axes and broadcasts to the scores"}},
    .infer = rule<vjp_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
};

}  // namespace weft
