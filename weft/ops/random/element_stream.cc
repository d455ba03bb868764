// What ops with a stream of numbers for each element share.
#include "weft/ops/random/element_stream.h"

#include "weft/op/apply.h"

namespace weft::random {

void require_lead(const InferCtx& cx, ShapeView key, ShapeView parameters) {
  require_key(cx, key);
  bool fits = key.size() <= parameters.size() + 1;
  for (size_t i = 0; fits && i + 1 < key.size(); ++i) {
    fits = same(key[i], parameters[i]) != Tri::kNo;
  }
  cx.require(fits, "lead", "the keys have shape ", key, " but the parameters have shape ",
             parameters, "; the parameters begin with the axes of the keys");
}

Tensors lead_batched(const OpDef& op, const void* attrs, const BatchCtx& cx) {
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) in.push_back(cx.with_batch_axis(i));
  return apply_all(op, TensorSpan(in.data(), in.size()), attrs, cx.where);
}

}  // namespace weft::random
