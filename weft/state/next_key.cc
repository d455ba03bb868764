// next_key: a draw of the default generator, each time the graph runs.
#include "weft/base/error.h"
#include "weft/ops/random/key.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Types infer_key(const NoAttrs&, const InferCtx&, TypeSpan) { return {{DType::kU32, {2}}}; }
Tensors run(const NoAttrs&, TensorSpan, TypeSpan) { return {random::next_key().words()}; }
Tensors batched(const NoAttrs&, const BatchCtx&) {
  fail(Code::kInternal, "next_key", "batched", "draws have no inputs that could be batched");
}

}  // namespace

constinit const OpDef kNextKey{
    .name = "next_key",
    .doc = "A fresh key of the default generator, each time the graph runs.",
    .inputs = {},
    .outputs = {"key: any"},
    .infer = rule<infer_key>(),
    .grad = derive::not_differentiable("a key is no number"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kDraws,
};

}  // namespace weft
