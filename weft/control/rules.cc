// Lists of cotangents and tangents, short and long.
#include "weft/control/rules.h"

#include "weft/ir/function.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"

namespace weft {

Flags wanted_flags(const GradCtx& cx, size_t first) {
  Flags out;
  for (size_t i = first; i < cx.inputs.size(); ++i) {
    out.push_back(cx.wanted[i] && is_differentiable(cx.inputs[i].dtype()));
  }
  return out;
}

Flags begun_flags(const GradCtx& cx, size_t first) {
  Flags out(cx.inputs.size() - first, false);
  for (size_t i = first; i < cx.sums.size(); ++i) out[i - first] = cx.sums[i].defined();
  return out;
}

Tensors begun_sums(const GradCtx& cx) { return defined_only(cx.sums); }

Tensor sum_or_zeros(const GradCtx& cx, size_t i) {
  if (i < cx.sums.size() && cx.sums[i].defined()) return cx.sums[i];
  return zeros(Shape(cx.inputs[i].shape()), cx.inputs[i].dtype(), cx.where);
}

Tensor added_to_sum(const GradCtx& cx, size_t i, const Tensor& term) {
  const bool is_begun = i < cx.sums.size() && cx.sums[i].defined();
  return is_begun && term.defined() ? add(cx.sums[i], term, cx.where) : term;
}

Ints places_of(const Flags& flags) {
  Ints out;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) out.push_back(static_cast<int64_t>(i));
  }
  return out;
}

Flags flags_of(const Ints& places, size_t count) {
  Flags out(count, false);
  for (const int64_t place : places) out[static_cast<size_t>(place)] = true;
  return out;
}

void require_places(const Ints& places, size_t count, const InferCtx& cx) {
  for (const int64_t place : places) {
    cx.require(0 <= place && place < static_cast<int64_t>(count), "wanted", "there is no input ",
               place, " among ", count);
  }
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

Tensors tangents_behind(TensorSpan all, TensorSpan outputs) {
  Tensors out;
  size_t next = outputs.size();
  for (const Tensor& t : outputs) {
    out.push_back(is_differentiable(t.dtype()) ? all[next++] : Tensor());
  }
  return out;
}

WithTangents::WithTangents(const GradCtx& cx, TensorSpan tangents, size_t carries)
    : cx_(cx), tangents_(tangents) {
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    active_.push_back(i < carries ? is_differentiable(cx.inputs[i].dtype())
                                  : tangents[i].defined());
  }
}

size_t WithTangents::add(size_t first, size_t last) {
  const size_t before = order_.size();
  for (size_t i = first; i < last; ++i) {
    order_.push_back(i);
    inputs_.push_back(cx_.inputs[i]);
  }
  for (size_t i = first; i < last; ++i) {
    if (!active_[i]) continue;
    const Type type = cx_.inputs[i].type();
    order_.push_back(active_.size() + i);
    inputs_.push_back(tangents_[i].defined() ? tangents_[i]
                                             : zeros(type.shape, type.dtype, cx_.where));
  }
  return order_.size() - before;
}

std::vector<Type> WithTangents::parameters(const ir::Function& body) const {
  std::vector<Type> out;
  for (const size_t place : order_) out.push_back(body.parameter_type(place % active_.size()));
  return out;
}

Tensors WithTangents::values(TensorSpan given) const {
  Tensors out(active_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] < active_.size()) out[order_[i]] = given[i];
  }
  return out;
}

Tensors WithTangents::values_and_tangents(TensorSpan given) const {
  // Parts come in the order of the inputs, and so do the tangents of each.
  Tensors out = values(given);
  for (size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] >= active_.size()) out.push_back(given[i]);
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
