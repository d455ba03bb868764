// switch_lanes: a batch whose examples take different branches; each branch runs on its own.
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/control/switch_rules.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/ops/shape/index_at.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types unbatched(Types types) {
  for (Type& type : types) type.shape.erase(0);
  return types;
}

Types infer_lanes(const SwitchAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(!at.branches.empty(), "branches", "needs at least one branch");
  for (const Type& type : in) {
    cx.require(type.rank() > 0, "batch", "an input of shape ", type.shape, " has no batch axis");
  }
  require_saves(at, in.size() - 1, cx);
  Types out = branch_types(at.branches, cx, unbatched(Types(in.begin() + 1, in.end())));
  for (Type& type : out) type.shape.insert(0, in[0].shape[0]);
  return out;
}

// The examples that take branch `wanted`.
std::vector<int64_t> lanes_of(const std::vector<int64_t>& index, int64_t wanted, int64_t count) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < index.size(); ++i) {
    if (branch_taken(index[i], count) == wanted) out.push_back(static_cast<int64_t>(i));
  }
  return out;
}

Tensor index_tensor(const std::vector<int64_t>& lanes) {
  return Tensor::from_bytes(DType::kI64, Shape{static_cast<int64_t>(lanes.size())},
                            std::as_bytes(std::span(lanes)));
}

// What a branch gives for that many examples. One that reads nothing gives the same for all.
Tensors branch_on(const FunctionAttr& branch, TensorSpan operands, TypeSpan types, int64_t count) {
  if (!operands.empty()) {
    return ir::run(*vmap_of(branch, Flags(operands.size(), true), types, Dim(count)), operands);
  }
  Tensors out = ir::run(*branch, operands);
  for (Tensor& t : out) {
    Shape shape(t.shape());
    shape.insert(0, count);
    t = broadcast_to(t, shape);
  }
  return out;
}

Tensors run(const SwitchAttrs& at, TensorSpan in, TypeSpan out) {
  const std::vector<int64_t> index = cast(in[0], DType::kI64).to_vector<int64_t>();
  const auto count = static_cast<int64_t>(at.branches.size());
  const Types types = unbatched(types_of(in.subspan(1)));
  Tensors results;
  for (const Type& type : out) results.push_back(zeros(type.shape, type.dtype));
  for (int64_t branch = 0; branch < count; ++branch) {
    const std::vector<int64_t> lanes = lanes_of(index, branch, count);
    if (lanes.empty()) continue;
    const bool takes_all = lanes.size() == index.size();
    const Tensor where = index_tensor(lanes);
    Tensors operands;
    for (const Tensor& t : in.subspan(1)) operands.push_back(takes_all ? t : take(t, where, 0));
    const Tensors values = branch_on(at.branches[static_cast<size_t>(branch)], operands, types,
                                     static_cast<int64_t>(lanes.size()));
    for (size_t k = 0; k < values.size(); ++k) {
      results[k] = takes_all ? values[k]
                             : set_at(results[k], values[k], Tensors{where},
                                      IndexAtAttrs{.axes = {0}}, Where());
    }
  }
  return results;
}

std::optional<AnyAttrs> saving(const SavingCall& call) {
  return switch_saving(kSwitchLanes, call,
                       unbatched(Types(call.types.begin() + 1, call.types.end())));
}

Tensors vjp(const SwitchAttrs& at, const GradCtx& cx, TensorSpan g) {
  return switch_vjp(kSwitchLanes, at, cx, unbatched(types_of(cx.inputs.subspan(1))), g);
}

Tensors jvp(const SwitchAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  return switch_jvp(kSwitchLanes, at, cx, unbatched(types_of(cx.inputs.subspan(1))), tangents);
}

// Two batch axes are one of all their examples.
Tensors batched(const SwitchAttrs& at, const BatchCtx& cx) {
  const Dim inner = cx.with_batch_axis(0).shape()[1];
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    const Tensor t = cx.with_batch_axis(i);
    Shape shape(t.shape());
    shape.erase(0);
    shape[0] = cx.size * inner;
    in.push_back(reshape(t, shape, cx.where));
  }
  Tensors out = apply_prepared(kSwitchLanes, in, &at, cx.where);
  for (Tensor& t : out) {
    Shape shape(t.shape());
    shape[0] = inner;
    shape.insert(0, cx.size);
    t = reshape(t, shape, cx.where);
  }
  return out;
}

}  // namespace

constinit const OpDef kSwitchLanes{
    .name = "switch_lanes",
    .doc =
        "`switch` for a batch whose examples take different branches: every input has the batch "
        "axis in front, and a branch runs only if some example takes it, on those alone.",
    .inputs = {"index: integer", "operands...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<SwitchAttrs>(),
    .infer = rule<infer_lanes>(),
    .grad = derive::rules<vjp, jvp>().saving_by(saving).going_on().except(
        0, "it is the number of a branch"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

}  // namespace weft
