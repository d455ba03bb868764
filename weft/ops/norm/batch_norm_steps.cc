// The passes of batch_norm over its input: row kernels on [batch, channels, space], where each row
// is one channel of one example.
#include "weft/op/apply.h"
#include "weft/ops/norm/batch_norm.h"
#include "weft/ops/norm/rows_batch.h"

namespace weft {
namespace {

constexpr std::string_view kWhy = "it is a step of nn.batch_norm, which is differentiated as one";

// The type of one value per row.
Type value_type(const Type& rows) {
  Type out = rows;
  out.shape.back() = 1;
  return out;
}

// Inputs behind the first broadcast to it.
Type rows_type(const InferCtx& cx, TypeSpan in) {
  cx.require(!in[0].shape.empty(), "rank", "x has rank 0; it needs an axis of space");
  for (size_t i = 1; i < in.size(); ++i) {
    const Shape all = cx.broadcast(in[0].shape, in[i].shape);
    cx.require(same(all, in[0].shape) != Tri::kNo, "rows", "input ", i, " has shape ", in[i].shape,
               ", which does not broadcast to that of x, ", in[0].shape);
  }
  return in[0];
}
Types rows_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) { return {rows_type(cx, in)}; }
Types values_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  const Type value = value_type(rows_type(cx, in));
  return {value, value};
}

// The row stays in cache between the mean and the squares: the input is read once.
void moments_meaning(const Expr* in, Expr* out) {
  const Expr length = cast(Expr::row_length(), in[0].dtype());
  out[0] = row_sum(in[0]) / length;
  out[1] = row_sum(square(in[0] - out[0]));
}

// x, mean, scale, shift
void scaled_meaning(const Expr* in, Expr* out) { out[0] = (in[0] - in[1]) * in[2] + in[3]; }

// x, g, mean
void sums_meaning(const Expr* in, Expr* out) {
  out[0] = row_sum(in[1]);
  out[1] = row_sum(in[1] * (in[0] - in[2]));
}

// x, g, mean, scale, mean of g, slope
void dx_meaning(const Expr* in, Expr* out) {
  out[0] = in[3] * (in[1] - in[4] - (in[0] - in[2]) * in[5]);
}

}  // namespace

constinit const OpDef kBatchNormMoments{
    .name = "batch_norm.moments",
    .module = "nn",
    .doc = "The mean of each row, and the sum of the squares of what its elements differ from it.",
    .inputs = {"x: floating"},
    .outputs = {"mean: like x", "squares: like x"},
    .laws = {Law{"rank", "`x` has an axis of space"}},
    .infer = rule<values_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::broadcasting(),
    .kernel = kernel::row(1, 2, moments_meaning),
};

constinit const OpDef kBatchNormScaled{
    .name = "batch_norm.scaled",
    .module = "nn",
    .doc = "`(x - mean) * scale + shift`, with a value of each for a row.",
    .inputs = {"x: floating", "mean: like x", "scale: like x", "shift: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis of space"},
             Law{"rows", "the other inputs broadcast to the shape of `x`"}},
    .infer = rule<rows_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::rule<rows_batched<kBatchNormScaled>>(),
    .kernel = kernel::row(4, 1, scaled_meaning, 0b1110),
};

constinit const OpDef kBatchNormSums{
    .name = "batch_norm.sums",
    .module = "nn",
    .doc = "For each row the sum of `g`, and that of `g * (x - mean)`.",
    .inputs = {"x: floating", "g: like x", "mean: like x"},
    .outputs = {"total: like x", "along: like x"},
    .laws = {Law{"rank", "`x` has an axis of space"},
             Law{"rows", "the other inputs broadcast to the shape of `x`"}},
    .infer = rule<values_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::rule<rows_batched<kBatchNormSums>>(),
    .kernel = kernel::row(3, 2, sums_meaning, 0b100),
};

constinit const OpDef kBatchNormDx{
    .name = "batch_norm.dx",
    .module = "nn",
    .doc = "`scale * (g - mean_g - (x - mean) * slope)`, with a value of the others for a row.",
    .inputs = {"x: floating", "g: like x", "mean: like x", "scale: like x", "mean_g: like x",
               "slope: like x"},
    .outputs = {"out: like x"},
    .laws = {Law{"rank", "`x` has an axis of space"},
             Law{"rows", "the other inputs broadcast to the shape of `x`"}},
    .infer = rule<rows_infer>(),
    .grad = derive::missing(kWhy),
    .batch = batch::rule<rows_batched<kBatchNormDx>>(),
    .kernel = kernel::row(6, 1, dx_meaning, 0b111100),
};

}  // namespace weft
