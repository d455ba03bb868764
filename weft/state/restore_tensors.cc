// restore_tensors: reads values from a file when the graph runs.
#include "weft/base/error.h"
#include "weft/state/saving.h"

namespace weft {
namespace {

Types infer_restore(const SavedValuesAttrs& at, const InferCtx&, TypeSpan) {
  Types out;
  for (const SavedValue& one : parse_saved_values(at.values)) out.push_back(one.type);
  return out;
}

Tensors run(const SavedValuesAttrs& at, TensorSpan in, TypeSpan) {
  return restore_values(path_in(in[0]), parse_saved_values(at.values));
}

Tensors batched(const SavedValuesAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "restore_tensors", "batched", "a file holds one value, not those of a vmap");
}

}  // namespace

constinit const OpDef kRestoreTensors{
    .name = "restore_tensors",
    .doc = "Reads values from a file when the graph runs; the path is given as its bytes.",
    .inputs = {"path: integer"},
    .outputs = {"out...: any"},
    .attrs = attrs_type<SavedValuesAttrs>(),
    .infer = rule<infer_restore>(),
    .grad = derive::not_differentiable("the values come from a file"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kOutside,
};

}  // namespace weft
