// identity: its input, as a node of its own.
#include "weft/op/apply.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Tensors transpose(const NoAttrs&, const GradCtx&, TensorSpan g) { return {g[0]}; }

}  // namespace

constinit const OpDef kIdentity{
    .name = "identity",
    .doc = "Its input: a name for a value, or a node that waits for others.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::linear<transpose>(),
    .batch = batch::same_shape(),
    .kernel = kernel::identity(),
};

}  // namespace weft
