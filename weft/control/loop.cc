// Loops over batches: examples that are done are left as they are.
#include "weft/control/loop.h"

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {

Tensor loop_row(const Tensor& x, int64_t i) {
  return x.view(x.shape().subspan(1), x.strides().subspan(1), i * x.strides()[0]);
}

std::vector<Type> body_types(const ir::Function& body) {
  std::vector<Type> out;
  for (size_t i = 0; i < body.parameter_count(); ++i) out.push_back(body.parameter_type(i));
  return out;
}

FunctionAttr lanes_step(const FunctionAttr& takes_part, const FunctionAttr& body,
                        const FunctionAttr& idle, TypeSpan types, Dim size) {
  const FunctionAttr tests = vmap_of(takes_part, Flags(types.size(), true), types, size);
  Types batch(types.begin(), types.end());
  for (Type& type : batch) type.shape.insert(0, size);
  // What is made holds both functions, so none of them leaves its address to another one.
  const std::string key = text("lanes:", static_cast<const void*>(body.get()), ',',
                               static_cast<const void*>(idle.get()));
  return derived(tests, key, batch, body_types(*tests), [&](TensorSpan given) {
    SwitchAttrs attrs;
    attrs.branches = {idle, body};
    Tensors operands{cast(ir::inlined(*tests, given, Where())[0], DType::kI64)};
    for (const Tensor& t : given) operands.push_back(t);
    return apply_prepared(kSwitchLanes, operands, &attrs, Where());
  });
}

BatchedLoop::BatchedLoop(const WhileAttrs& at, const BatchCtx& cx) {
  Types types;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    inputs.push_back(cx.with_batch_axis(i));
    types.push_back(inputs[i].type());
    types[i].shape.erase(0);
  }
  const FunctionAttr tests = vmap_of(at.cond, Flags(types.size(), true), types, cx.size);
  cond = derived(tests, "any", types_of(inputs), body_types(*tests), [&](TensorSpan given) {
    return Tensors{any(ir::inlined(*tests, given, Where())[0])};
  });
  const auto carries = static_cast<size_t>(at.carries);
  const FunctionAttr stays =
      derived(at.body, "stays", types, body_types(*at.body),
              [&](TensorSpan given) { return Tensors(given.first(carries)); });
  body = lanes_step(at.cond, at.body, stays, types, cx.size);
}

}  // namespace weft
