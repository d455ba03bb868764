// Lists of cotangents and tangents, short and long.
#include "weft/control/rules.h"

#include "weft/ir/function.h"
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

namespace {

bool may_be(const Type& a, const Type& b) {
  return a.dtype == b.dtype && a.rank() == b.rank() && same(a.shape, b.shape) != Tri::kNo;
}

}  // namespace

Types branch_types(const FunctionsAttr& branches, const InferCtx& cx, TypeSpan operands) {
  const Types first = ir::result_types(*branches[0], operands);
  for (size_t i = 1; i < branches.size(); ++i) {
    const Types other = ir::result_types(*branches[i], operands);
    cx.require(other.size() == first.size(), "results", "branch ", i, " gives ", other.size(),
               " values, but branch 0 gives ", first.size());
    for (size_t k = 0; k < first.size(); ++k) {
      cx.require(may_be(first[k], other[k]), "results", "branch ", i, " gives ", other[k],
                 ", but branch 0 gives ", first[k]);
    }
  }
  return first;
}

void require_loop(const FunctionAttr& cond, const FunctionAttr& body, size_t carries,
                  const InferCtx& cx, TypeSpan in) {
  const Types goes_on = ir::result_types(*cond, in), next = ir::result_types(*body, in);
  cx.require(goes_on.size() == 1 && goes_on[0] == Type{DType::kBool, {}}, "cond",
             "the condition must give one bool");
  cx.require(next.size() == carries, "carries", "carries ", carries, " values, but the body gives ",
             next.size());
  for (size_t k = 0; k < carries; ++k) {
    cx.require(may_be(next[k], in[k]), "carries", "the loop carries ", in[k],
               ", but the body gives ", next[k]);
  }
}

}  // namespace weft
