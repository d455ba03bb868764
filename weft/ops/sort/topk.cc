// topk: the greatest or least elements along an axis, and where they are.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/along_rows.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

struct TopKAttrs {
  int64_t k = 1;
  int64_t axis = -1;
  bool largest = true;
  bool sorted = true;
  static constexpr auto fields = fields_of(
      field("k", &TopKAttrs::k, "how many elements", kRequired),
      field("axis", &TopKAttrs::axis, "the axis to search along"),
      field("largest", &TopKAttrs::largest, "the greatest, or else the least"),
      field("sorted", &TopKAttrs::sorted, "the first is the greatest (or least); always true"));
};

Types indices_infer(const TopKAttrs& at, const InferCtx& cx, TypeSpan in) {
  Shape out = in[0].shape;
  const auto axis = static_cast<size_t>(cx.axis(at.axis, out));
  const bool fits = !out[axis].is_known() || at.k <= out[axis].value();
  cx.require(at.k >= 0 && fits, "k", "k is ", at.k, ", but axis ", at.axis, " of shape ", out,
             " has size ", out[axis], "; k goes from 0 to that");
  out[axis] = at.k;
  return {{DType::kI64, out}};
}

void run(const TopKAttrs& at, TensorSpan in, TensorSpan out) {
  const int64_t axis = normalized(at.axis, in[0].rank());
  along_rows(in[0], axis, out[0], [&](const Tensor& top, const Tensor& rows) {
    native::top_rows(top, rows, at.largest);
  });
}

Tensors compose_topk(const TopKAttrs& at, TensorSpan in) {
  indices_infer(at, InferCtx{"topk"}, Types{in[0].type()});
  const Tensor indices = apply(kTopKIndices, inputs(in[0]), at, Where::here());
  return {gather(in[0], indices, at.axis), indices};
}

}  // namespace

constinit const OpDef kTopKIndices{
    .name = "topk.indices",
    .doc = "Where the `k` greatest (or least) elements along `axis` are: what `topk` is made of.",
    .inputs = {"x: ordered"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<TopKAttrs>(),
    .laws = {Law{"k", "there are k elements"}},
    .infer = rule<indices_infer>(),
    .grad = derive::not_differentiable("the order is piecewise constant"),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
};

constinit const CompositeDef kTopK{
    .name = "topk",
    .doc =
        "The `k` greatest (or least) elements along `axis` and their indices, the first of them "
        "first. Of equal elements the earlier comes first; NaN counts as the greatest. The "
        "gradient goes to the elements that were chosen.",
    .inputs = {"x: ordered"},
    .outputs = {"values: like x", "indices: int64"},
    .attrs = attrs_type<TopKAttrs>(),
    .laws = {Law{"k", "there are k elements"}},
    .compose = rule<compose_topk>(),
    .known_as = {Alias{"torch", "topk"}, Alias{"jax", "lax.top_k"}, Alias{"tf", "math.top_k"},
                 Alias{"numpy",
                       "partition: it gives all elements with k of them in place, ours the k "
                       "greatest and their indices"}},
};

TopK topk(const Tensor& x, int64_t k, int64_t axis, bool largest, Where where) {
  const TopKAttrs attrs{k, axis, largest};
  Tensors out = compose_all(kTopK, inputs(x), &attrs, where);
  return {out[0], out[1]};
}

}  // namespace weft
