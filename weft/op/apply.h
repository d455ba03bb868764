// apply: the one door. Every op happens here, in every mode, for built-ins and user-defined ops
// alike.
#pragma once

#include "weft/base/where.h"
#include "weft/op/op.h"

namespace weft {

Tensors apply_all(const OpDef& op, TensorSpan in, const void* attrs, Where where);
Tensor apply_one(const OpDef& op, TensorSpan in, const void* attrs, Where where);

// The only output of an op with one output.
template <class A>
Tensor apply(const OpDef& op, TensorSpan in, const A& attrs, Where where) {
  return apply_one(op, in, &attrs, where);
}
template <class A>
Tensors apply_all(const OpDef& op, TensorSpan in, const A& attrs, Where where)
  requires(!std::is_convertible_v<const A&, const void*>)
{
  return apply_all(op, in, static_cast<const void*>(&attrs), where);
}

// An op on inputs that are prepared already: for rules, whose values have the right dtypes.
Tensors apply_prepared(const OpDef& op, TensorSpan in, const void* attrs, Where where);

// Runs a composite; errors name it and the user's line.
Tensors compose_all(const CompositeDef& op, TensorSpan in, const void* attrs, Where where);
template <class A>
Tensor compose(const CompositeDef& op, TensorSpan in, const A& attrs, Where where) {
  return std::move(compose_all(op, in, &attrs, where)[0]);
}

// The types an op gives for inputs of these types; raises the op's laws.
Types infer_types(const OpDef& op, TypeSpan in, const void* attrs);

// Computes concrete, prepared inputs now (defined by eager/: the link-time symbols of the door).
Tensors eager_compute(const OpDef& op, TensorSpan in, const void* attrs);
// The fast path: an elementwise op on contiguous inputs of one type. Undefined if the inputs are
// not that simple.
Tensor eager_fast(const OpDef& op, TensorSpan in);
// The same for a fused backward op, which may have several outputs; false, and nothing done, if
// not. `spare` is a handle to the cotangent, in[0], that the caller is done with: if there is no
// other, it is taken, and its memory takes the gradient.
bool eager_backward_fast(const OpDef& op, TensorSpan in, Tensors& out, Tensor* spare = nullptr);
// An op of KernelKind::kUpdate on concrete, prepared inputs. Values of which `in` has the only
// handle are given up: their memory takes the results. If it raises, nothing was done.
Tensors eager_update(const OpDef& op, Tensors& in);
// sum += term in the memory of `sum`, if nobody else can see it and both are of one simple type;
// false, and nothing done, if not.
bool eager_add_to(const Tensor& sum, const Tensor& term);

}  // namespace weft
