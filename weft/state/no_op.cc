// no_op: gives nothing; it stands for all that runs before it.
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_nothing(const NoAttrs&, const InferCtx&, TypeSpan) { return {}; }
Tensors run(const NoAttrs&, TensorSpan, TypeSpan) { return {}; }
Tensors batched(const NoAttrs&, const BatchCtx&) { return {}; }

}  // namespace

constinit const OpDef kNoOp{
    .name = "no_op",
    .doc = "Gives nothing: it stands for all that runs before it, as `group` makes it.",
    .inputs = {},
    .outputs = {},
    .infer = rule<infer_nothing>(),
    .grad = derive::not_differentiable("it gives nothing"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kOutside,
};

}  // namespace weft
