// The row kernels of attention: scores of a block of keys to weights, forwards and backwards.
#include "weft/op/apply.h"
#include "weft/ops/attention/attention.h"
#include "weft/ops/norm/rows_batch.h"

namespace weft {
namespace {

constexpr std::string_view kWhy =
    "it is a step of nn.flash_attention, which is differentiated as one";

// Scores [queries, keys]; the others broadcast to them.
Type scores_type(const InferCtx& cx, TypeSpan in) {
  cx.require(!in[0].shape.empty(), "rank", "scores have rank 0; they need an axis of keys");
  for (size_t i = 1; i < in.size(); ++i) {
    const Shape all = cx.broadcast(in[0].shape, in[i].shape);
    cx.require(same(all, in[0].shape) != Tri::kNo, "rows", "input ", i, " has shape ", in[i].shape,
               ", which does not broadcast to that of the scores, ", in[0].shape);
  }
  return in[0];
}

Types step_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Type row = scores_type(cx, in);
  Type value = row;
  value.shape.back() = 1;
  return {row, value, value, value};
}
Types weights_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Type row = scores_type(cx, in);
  return {row, row};
}

Expr infinity(Expr like) { return Expr::constant(like.dtype(), -__builtin_inf()); }

// What exponents are counted from: 0 where there is nothing to attend to.
Expr origin(Expr greatest) {
  return where(greatest == infinity(greatest), Expr::constant(greatest.dtype(), 0), greatest);
}

// scores, mask, the greatest score and the sum so far
void step_meaning(const Expr* in, Expr* out) {
  const Expr score = in[0] + in[1];
  const Expr greatest = maximum(in[2], row_max(score)), from = origin(greatest);
  const Expr weight = exp(score - from), shrink = exp(in[2] - from);
  out[0] = weight;
  out[1] = greatest;
  out[2] = in[3] * shrink + row_sum(weight);
  out[3] = shrink;
}

// scores, mask, cotangents of the weights, logsumexp, delta
void weights_meaning(const Expr* in, Expr* out) {
  out[0] = exp(in[0] + in[1] - origin(in[3]));
  out[1] = out[0] * (in[2] - in[4]);
}

}  // namespace

constinit const OpDef kFlashStep{
    .name = "flash_attention.step",
    .module = "nn",
    .doc =
        "A block of scores, with its mask added, to weights `exp(score - greatest)`; the greatest "
        "score and the sum of the weights so far go on, and `shrink` is what earlier ones are to "
        "be multiplied by.",
    .inputs = {"scores: floating", "mask: like scores", "greatest: like scores",
               "total: like scores"},
    .outputs = {"weights: like scores", "greatest: like scores", "total: like scores",
                "shrink: like scores"},
    .laws = {Law{"rank", "scores have an axis of keys"},
             Law{"rows", "the other inputs broadcast to the scores"}},
    .infer = rule<step_infer>(),
    .grad = derive::not_differentiable(kWhy),
    .batch = batch::rule<rows_batched<kFlashStep>>(),
    .kernel = kernel::row(4, 4, step_meaning, 0b1100),
};

constinit const OpDef kFlashWeights{
    .name = "flash_attention.weights",
    .module = "nn",
    .doc =
        "The weights `exp(score + mask - lse)` of a block again, and the cotangents of its scores, "
        "`weight * (g - delta)`.",
    .inputs = {"scores: floating", "mask: like scores", "g: like scores", "lse: like scores",
               "delta: like scores"},
    .outputs = {"weights: like scores", "dscores: like scores"},
    .laws = {Law{"rank", "scores have an axis of keys"},
             Law{"rows", "the other inputs broadcast to the scores"}},
    .infer = rule<weights_infer>(),
    .grad = derive::not_differentiable(kWhy),
    .batch = batch::rule<rows_batched<kFlashWeights>>(),
    .kernel = kernel::row(5, 2, weights_meaning, 0b11000),
};

}  // namespace weft
