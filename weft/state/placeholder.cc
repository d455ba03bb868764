// placeholder: a value that every run is given.
#include "weft/base/error.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_placeholder(const PlaceholderAttrs& at, const InferCtx&, TypeSpan) {
  return {{at.dtype, at.shape}};
}

Tensors run(const PlaceholderAttrs&, TensorSpan, TypeSpan) {
  fail(Code::kInvalid, "placeholder", "fed", "has no value; feed it: run(fetches, {x: value})");
}

Tensors batched(const PlaceholderAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "placeholder", "batched", "belongs to a graph, not to the examples of vmap");
}

}  // namespace

constinit const OpDef kPlaceholder{
    .name = "placeholder",
    .doc = "A value that every run of the graph is given.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<PlaceholderAttrs>(),
    .infer = rule<infer_placeholder>(),
    .grad = derive::not_differentiable("it comes from outside"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
