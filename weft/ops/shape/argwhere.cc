// argwhere and nonzero: where elements are not zero. How many there are only the values say.
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// A size that values decide is a symbol whose name begins with "?"; see docs/design/data_shapes.md.
Types argwhere_infer(const NoAttrs&, const InferCtx&, TypeSpan in) {
  return {{DType::kI64, {Dim::symbol("?nonzero"), in[0].rank()}}};
}

Tensors run(const NoAttrs&, TensorSpan in, TypeSpan) {
  const Tensor found = native::nonzero(packed(cast(in[0], DType::kBool)));
  return {permuted_view(found, {1, 0})};
}

Tensors batched(const NoAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "argwhere", "batch",
       "how many elements are not zero differs between the examples of a vmap, so there is no "
       "common shape; use where(condition, a, b), or count_nonzero");
}

Tensors composed(const NoAttrs&, TensorSpan in) {
  InferCtx{"nonzero"}.require(in[0].rank() > 0, "rank",
                              "x has rank 0; it needs an axis, along which indices count");
  const Tensor places = argwhere(in[0]);
  Tensors out;
  for (int64_t axis = 0; axis < in[0].rank(); ++axis) {
    out.push_back(slice(
        places,
        {IndexItem{}, {.kind = IndexItem::Kind::kInteger, .start = axis, .stop = {}, .step = 1}}));
  }
  return out;
}

}  // namespace

constinit const OpDef kArgwhere{
    .name = "argwhere",
    .doc =
        "The indices of the elements of `x` that are not 0 (NaN is not 0), one row for each, in "
        "row-major order. How many rows there are depends on the values, so under vmap it raises.",
    .inputs = {"x: any"},
    .outputs = {"out: int64"},
    .infer = rule<argwhere_infer>(),
    .grad = derive::not_differentiable("indices are integers"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .known_as = {Alias{"numpy", "argwhere"}, Alias{"torch", "argwhere"},
                 Alias{"jax", "numpy.argwhere"}, Alias{"tf", "where"}},
};

constinit const CompositeDef kNonzero{
    .name = "nonzero",
    .doc =
        "The indices of the elements of `x` that are not 0, an int64 tensor for each axis, in "
        "row-major order: `x[nonzero(x)]` are those elements. How many there are depends on the "
        "values, so under vmap it raises.",
    .inputs = {"x: any"},
    .outputs = {"out...: int64"},
    .laws = {Law{"rank", "x has an axis"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "nonzero"},
                 Alias{"torch",
                       "nonzero: it gives one matrix, as our argwhere; ours gives a tuple"},
                 Alias{"jax", "numpy.nonzero"}, Alias{"tf", "where"}},
};

Tensor argwhere(const Tensor& x, Where where) {
  return apply(kArgwhere, inputs(x), kNoAttrs, where);
}
Tensors nonzero(const Tensor& x, Where where) {
  return compose_all(kNonzero, inputs(x), &kNoAttrs, where);
}

}  // namespace weft
