// searchsorted: where values would go in a sorted tensor.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/decide_shapes.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

struct SearchAttrs {
  std::string side = "left";
  static constexpr auto fields = fields_of(
      field("side", &SearchAttrs::side, "'left': before what is equal, or 'right': after it"));
};

Types search_infer(const SearchAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape &sorted = in[0].shape, &values = in[1].shape;
  const bool is_side = at.side == "left" || at.side == "right";
  cx.require(is_side, "side", "side is '", at.side, "'; it must be 'left' or 'right'");
  bool fits = sorted.size() == 1 || (!sorted.empty() && sorted.size() == values.size());
  for (size_t i = 0; fits && sorted.size() > 1 && i + 1 < sorted.size(); ++i) {
    fits = same(sorted[i], values[i]) != Tri::kNo;
  }
  cx.require(fits, "shape", "sorted has shape ", sorted, " but values have shape ", values,
             "; sorted has rank 1, or they may differ only on the last axis");
  return {{DType::kI64, values}};
}

void run(const SearchAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  native::search_rows(result, packed(in[0]), packed(in[1]), at.side == "right");
}

// Values alone may have more axes in front; rows that are batched keep theirs.
Tensors batched(const SearchAttrs& at, const BatchCtx& cx) {
  const int64_t own_rank = cx.inputs[0].rank() - (cx.batched[0] ? 1 : 0);
  if (!cx.batched[0] && own_rank == 1) {
    return {apply(kSearchSorted, inputs(cx.inputs[0], cx.inputs[1]), at, cx.where)};
  }
  const Tensor sorted = cx.with_batch_axis(0);
  Tensor values = cx.with_batch_axis(1);
  const Shape shape(values.shape());
  if (own_rank == 1) {
    values = reshape(values, Shape{cx.size, num_elements(ShapeView(shape).subspan(1))}, cx.where);
  }
  return {reshape(apply(kSearchSorted, inputs(sorted, values), at, cx.where), shape, cx.where)};
}

Tensors compose_searchsorted(const SearchAttrs& at, TensorSpan in) {
  const InferCtx cx{"searchsorted"};
  Tensor sorted = in[0];
  for (const Tensor& x : in.first(2)) {
    cx.require_type(!is_complex(x.dtype()), "dtype", "an input has dtype ", x.dtype(),
                    ", but must be ordered; cast it first");
  }
  search_infer(at, cx, Types{sorted.type(), in[1].type()});
  if (in.size() > 2) {
    cx.require(decide_same(in[2].shape(), sorted.shape()) != Tri::kNo, "sorter",
               "sorter has shape ", in[2].shape(), " but sorted has shape ", sorted.shape(),
               "; they must be equal");
    sorted = gather(sorted, in[2], -1);
  }
  return {apply(kSearchSorted, inputs(sorted, in[1]), at, Where::here())};
}

}  // namespace

constinit const OpDef kSearchSorted{
    .name = "searchsorted.indices",
    .doc = "Where values would go in rows that are sorted: what `searchsorted` is made of.",
    .inputs = {"sorted: ordered", "values: like sorted"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<SearchAttrs>(),
    .laws = {Law{"side", "the side is 'left' or 'right'"},
             Law{"shape", "sorted has rank 1, or the first axes of values"}},
    .infer = rule<search_infer>(),
    .grad = derive::not_differentiable("indices are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
};

constinit const CompositeDef kSearchsorted{
    .name = "searchsorted",
    .doc =
        "For each of `values` the index at which it would go into `sorted` (ascending along its "
        "last axis) to keep it sorted: before what is equal, or after it for `side='right'`. "
        "`sorter` are indices that sort it. Rows of several axes are searched each for its own "
        "values. NaN counts as the greatest.",
    .inputs = {"sorted: ordered", "values: ordered", "sorter?: integer"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<SearchAttrs>(),
    .laws = {Law{"side", "the side is 'left' or 'right'"},
             Law{"shape", "sorted has rank 1, or the first axes of values"},
             Law{"sorter", "one index for each element"}, Law{"dtype", "inputs are ordered"}},
    .compose = rule<compose_searchsorted>(),
    .known_as = {Alias{"numpy", "searchsorted"}, Alias{"torch", "searchsorted"},
                 Alias{"jax", "numpy.searchsorted"}, Alias{"tf", "searchsorted"},
                 Alias{"torch", "bucketize: ours takes the boundaries first and the values second"},
                 Alias{"numpy",
                       "digitize: ours takes the bins first and the values second; right=False is "
                       "side=\"right\""}},
};

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right, Where where) {
  return compose(kSearchsorted, inputs(sorted, values), SearchAttrs{right ? "right" : "left"},
                 where);
}

}  // namespace weft
