// simplify: algebra that is exact for every value, with infinities, NaN and the zero's sign.
//
//   %a = multiply(%x, %one)     ->   return %x
//   return %a
//
// Left out because they are not: x + 0 (-0 + 0 is 0), x - x, x * 0, and all of it for complex
// numbers, whose products add up zeros times infinities.
#include "weft/compile/simplify.h"

#include <algorithm>
#include <cmath>

#include "weft/compile/passes.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/state/state.h"

namespace weft::compile {
namespace {

const ir::Node& node_of(const Rewrite& out, ir::NodeId id) { return out.from().graph.node(id); }
const Type& type_of(const Rewrite& out, ir::NodeId id) {
  return out.from().graph.value(node_of(out, id).outputs[0]).type;
}

// Input i stands for the result, if it is of the same type.
bool give_input(Rewrite& out, ir::NodeId id, size_t i) {
  const ir::ValueId input = out.at(node_of(out, id).inputs[i]);
  if (!(out.graph().value(input).type == type_of(out, id))) return false;
  out.replace(id, {input});
  return true;
}

// Is the input one constant number with the bits of `value`?
bool is_constant(const Rewrite& out, ir::ValueId old, double value) {
  const ir::Node* const maker = out.maker_of(out.at(old));
  if (maker == nullptr || maker->op != &kConstant) return false;
  const Tensor& t = static_cast<const ConstantAttrs*>(maker->attributes())->value;
  if (t.numel() != 1 || is_complex(t.dtype()) || t.dtype() == DType::kBool) return false;
  const double number = t.item();
  const bool has_sign = is_floating(t.dtype());
  return number == value && (!has_sign || std::signbit(number) == std::signbit(value));
}

template <const OpDef& kOp, size_t kNumber>
bool by_number(Rewrite& out, ir::NodeId id, double value) {
  const ir::Node& node = node_of(out, id);
  if (node.op != &kOp || !is_constant(out, node.inputs[kNumber], value)) return false;
  return give_input(out, id, 1 - kNumber);
}
bool times_one(Rewrite& out, ir::NodeId id) { return by_number<kMultiply, 1>(out, id, 1); }
bool one_times(Rewrite& out, ir::NodeId id) { return by_number<kMultiply, 0>(out, id, 1); }
bool over_one(Rewrite& out, ir::NodeId id) { return by_number<kDivide, 1>(out, id, 1); }
bool minus_zero(Rewrite& out, ir::NodeId id) { return by_number<kSubtract, 1>(out, id, 0.0); }
bool plus_minus_zero(Rewrite& out, ir::NodeId id) {
  return is_floating(type_of(out, id).dtype) && by_number<kAdd, 1>(out, id, -0.0);
}
bool integer_plus_zero(Rewrite& out, ir::NodeId id) {
  return !is_floating(type_of(out, id).dtype) && by_number<kAdd, 1>(out, id, 0);
}

// An op that is its own inverse; only if the type is that of the first input: not not 2.0 is True.
template <const OpDef& kOp>
bool twice(Rewrite& out, ir::NodeId id) {
  const ir::Node& node = node_of(out, id);
  if (node.op != &kOp) return false;
  const ir::Node* const before = out.maker_of(out.at(node.inputs[0]));
  if (before == nullptr || before->op != &kOp) return false;
  if (!(out.graph().value(before->inputs[0]).type == type_of(out, id))) return false;
  out.replace(id, {before->inputs[0]});
  return true;
}
// An op that the second time changes nothing.
template <const OpDef& kOp>
bool again(Rewrite& out, ir::NodeId id) {
  const ir::Node& node = node_of(out, id);
  if (node.op != &kOp) return false;
  const ir::Node* const before = out.maker_of(out.at(node.inputs[0]));
  return before != nullptr && before->op == &kOp && give_input(out, id, 0);
}

// An op that changes nothing because the type is what it was.
template <const OpDef& kOp>
bool to_the_same(Rewrite& out, ir::NodeId id) {
  return node_of(out, id).op == &kOp && give_input(out, id, 0);
}

bool reshape_of_reshape(Rewrite& out, ir::NodeId id) {
  const ir::Node& node = node_of(out, id);
  if (node.op != &kReshape) return false;
  const ir::Node* const before = out.maker_of(out.at(node.inputs[0]));
  if (before == nullptr || before->op != &kReshape) return false;
  // Of the whole shape: a -1 in it counts what its own input has.
  ShapeAttrs attrs;
  attrs.shape = type_of(out, id).shape;
  out.put(id, kReshape, {before->inputs[0]}, ir::keep(*kReshape.attrs, &attrs));
  return true;
}

Ints axes_of(const ir::Node& node, int64_t rank) {
  AnyAttrs attrs(*node.attrs);
  Ints axes = attrs.get<Ints>("axes");
  for (int64_t& axis : axes) axis = normalized(axis, rank);
  return axes;
}

bool permute_nothing(Rewrite& out, ir::NodeId id) {
  const ir::Node& node = node_of(out, id);
  if (node.op != &kPermuteDims) return false;
  const Ints axes = axes_of(node, type_of(out, id).rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != static_cast<int64_t>(i)) return false;
  }
  return give_input(out, id, 0);
}

bool permute_of_permute(Rewrite& out, ir::NodeId id) {
  const ir::Node& node = node_of(out, id);
  if (node.op != &kPermuteDims) return false;
  const ir::Node* const before = out.maker_of(out.at(node.inputs[0]));
  if (before == nullptr || before->op != &kPermuteDims) return false;
  const int64_t rank = type_of(out, id).rank();
  const Ints first = axes_of(*before, rank), second = axes_of(node, rank);
  Ints both;
  bool is_nothing = true;
  for (size_t i = 0; i < second.size(); ++i) {
    both.push_back(first[static_cast<size_t>(second[i])]);
    is_nothing = is_nothing && both[i] == static_cast<int64_t>(i);
  }
  if (is_nothing) {
    out.replace(id, {before->inputs[0]});
    return true;
  }
  AnyAttrs attrs(*node.attrs);
  attrs.get<Ints>("axes") = both;
  out.put(id, kPermuteDims, {before->inputs[0]}, ir::keep(*kPermuteDims.attrs, attrs.data()));
  return true;
}

constexpr Rewriting kTable[] = {
    {"x * 1 -> x", times_one},
    {"1 * x -> x", one_times},
    {"x / 1 -> x", over_one},
    {"x - 0 -> x", minus_zero},
    {"x + -0 -> x", plus_minus_zero},
    {"integer x + 0 -> x", integer_plus_zero},
    {"-(-x) -> x", twice<kNegative>},
    {"not not x -> x", twice<kLogicalNot>},
    {"abs(abs(x)) -> abs(x)", again<kAbs>},
    {"floor(floor(x)) -> floor(x)", again<kFloor>},
    {"identity(x) -> x", to_the_same<kIdentity>},
    {"cast to the dtype it has -> x", to_the_same<kCast>},
    {"reshape to the shape it has -> x", to_the_same<kReshape>},
    {"broadcast_to the shape it has -> x", to_the_same<kBroadcastTo>},
    {"reshape of a reshape -> one reshape", reshape_of_reshape},
    {"permute_dims of nothing -> x", permute_nothing},
    {"permute_dims twice -> once, or x", permute_of_permute},
};

}  // namespace

std::span<const Rewriting> rewritings() { return kTable; }

FunctionPtr simplify(const ir::Function& function) {
  Rewrite out(function);
  for (ir::NodeId id = 0; id < function.graph.nodes().size(); ++id) {
    const ir::Node& node = function.graph.node(id);
    // A node that waits for others is more than its value.
    const bool may_be = is_pure(node) && node.after.empty() && node.outputs.size() == 1;
    const bool done = may_be && std::ranges::any_of(kTable, [&](const Rewriting& rewriting) {
                        return rewriting.apply(out, id);
                      });
    if (!done) out.copy(id);
  }
  return out.finish();
}

}  // namespace weft::compile
