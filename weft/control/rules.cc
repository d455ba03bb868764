// Lists of cotangents and tangents, short and long.
#include "weft/control/rules.h"

#include "weft/op/builtin.h"
#include "weft/op/record.h"

namespace weft {

Types types_of(TensorSpan tensors) {
  Types out;
  for (const Tensor& t : tensors) out.push_back(t.type());
  return out;
}

Flags wanted_flags(const GradCtx& cx, size_t first) {
  Flags out;
  for (size_t i = first; i < cx.inputs.size(); ++i) {
    out.push_back(cx.wanted[i] && is_differentiable(cx.inputs[i].dtype()));
  }
  return out;
}

Tensors filled_cotangents(const GradCtx& cx, TensorSpan cotangents) {
  Tensors out;
  for (size_t k = 0; k < cotangents.size(); ++k) {
    const Type type = cx.outputs[k].type();
    if (!is_differentiable(type.dtype)) continue;
    out.push_back(cotangents[k].defined() ? cotangents[k]
                                          : zeros(type.shape, type.dtype, cx.where));
  }
  return out;
}

Tensors spread(TensorSpan values, const Flags& flags, size_t first) {
  Tensors out(first);
  size_t next = 0;
  for (const bool flag : flags) out.push_back(flag ? values[next++] : Tensor());
  return out;
}

Flags active_flags(TensorSpan tangents, size_t first) {
  Flags out;
  for (size_t i = first; i < tangents.size(); ++i) out.push_back(tangents[i].defined());
  return out;
}

Tensors defined_only(TensorSpan tangents, size_t first) {
  Tensors out;
  for (size_t i = first; i < tangents.size(); ++i) {
    if (tangents[i].defined()) out.push_back(tangents[i]);
  }
  return out;
}

}  // namespace weft
