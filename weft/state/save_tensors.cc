// save_tensors: writes values to a file when the graph runs.
#include "weft/base/error.h"
#include "weft/state/saving.h"

namespace weft {
namespace {

Types infer_save(const SavedValuesAttrs& at, const InferCtx& cx, TypeSpan in) {
  const SavedValues about = parse_saved_values(at.values);
  cx.require(about.size() + 1 == in.size(), "count", "has names for ", about.size(),
             " values, but there are ", in.size() - 1);
  for (size_t i = 0; i < about.size(); ++i) {
    cx.require_type(about[i].type.dtype == in[i + 1].dtype &&
                        same(about[i].type.shape, in[i + 1].shape) != Tri::kNo,
                    "type", "'", about[i].name, "' is to be ", about[i].type, " but the value is ",
                    in[i + 1]);
  }
  return {};
}

Tensors run(const SavedValuesAttrs& at, TensorSpan in, TypeSpan) {
  save_values(path_in(in[0]), parse_saved_values(at.values), in.subspan(1));
  return {};
}

Tensors batched(const SavedValuesAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "save_tensors", "batched", "a file holds one value, not those of a vmap");
}

}  // namespace

constinit const OpDef kSaveTensors{
    .name = "save_tensors",
    .doc = "Writes values to a file when the graph runs; the path is given as its bytes.",
    .inputs = {"path: integer", "values...?: any"},
    .outputs = {},
    .attrs = attrs_type<SavedValuesAttrs>(),
    .infer = rule<infer_save>(),
    .grad = derive::not_differentiable("it gives nothing"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kOutside,
};

}  // namespace weft
