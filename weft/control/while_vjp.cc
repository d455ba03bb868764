// while.vjp: the reverse pass of a loop, segment by segment from what was kept of it.
//
// Its own derivatives go through a formula of scans over all steps.
#include <algorithm>

#include "weft/control/loop.h"
#include "weft/control/rules.h"
#include "weft/control/while.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/composed.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/trace/quiet.h"
#include "weft/transform/vjp.h"

namespace weft {
namespace {

extern const OpDef kWhileVjp;

Types infer_vjp(const WhileVjpAttrs& at, const InferCtx& cx, TypeSpan in) {
  const size_t count = at.body->parameter_count();
  cx.require(at.carries >= 0 && static_cast<size_t>(at.carries) <= count, "carries", "carries ",
             at.carries, " of ", count, " values");
  cx.require(at.wanted.size() == count, "wanted", "there are ", at.wanted.size(), " flags for ",
             count, " values");
  const WhileVjpParts parts(at, in.size());
  cx.require(in.size() == parts.count(), "inputs", "takes ", parts.count(), " inputs, but got ",
             in.size());
  Types out;
  for (size_t i = 0; i < parts.wanted.size(); ++i) {
    if (parts.wanted[i]) out.push_back(in[parts.inputs() + i]);
  }
  return out;
}

// The loop as a scan over its marks, of which the steps get a row and make no use.
ScanLoopAttrs marked_scan(const WhileVjpAttrs& at, TypeSpan types) {
  const auto carries = static_cast<size_t>(at.carries);
  const auto marked = [&](const FunctionAttr& f, const std::string& kind, const auto& body) {
    std::vector<Type> parameters = body_types(*f);
    parameters.insert(parameters.begin() + at.carries, Type{DType::kBool, {}});
    return derived(f, kind, types, parameters, [&](TensorSpan all) {
      Tensors in(all.first(carries));
      for (const Tensor& t : all.subspan(carries + 1)) in.push_back(t);
      return body(in);
    });
  };
  const auto inlined = [](const FunctionAttr& f) {
    return [&f](TensorSpan in) { return ir::inlined(*f, in, Where()); };
  };
  const auto stays = [&](TensorSpan in) { return Tensors(in.first(carries)); };
  ScanLoopAttrs out;
  out.carries = at.carries;
  out.rows = 1;
  out.body = marked(at.body, "marked_step", inlined(at.body));
  out.lanes = {marked(at.cond, "marked_test", inlined(at.cond)),
               marked(at.body, "marked_stay", stays)};
  return out;
}

// The same by ordinary ops: a scan over all steps, pulled back by its own rule.
Tensors formula(const WhileVjpAttrs& at, const GradCtx& cx, TensorSpan) {
  const WhileVjpParts parts(at, cx.inputs.size());
  const TensorSpan given = cx.inputs.subspan(parts.inputs(), parts.carries + parts.consts);
  const Tensor& marks = cx.inputs[parts.marks()];
  const ScanLoopAttrs attrs = marked_scan(at, types_of(given));
  Tensors in(given.first(parts.carries));
  in.push_back(marks);
  for (const Tensor& t : given.subspan(parts.carries)) in.push_back(t);
  Flags wanted;
  for (size_t i = 0; i < parts.wanted.size(); ++i) {
    if (i == parts.carries) wanted.push_back(false);
    wanted.push_back(parts.wanted[i]);
  }
  if (parts.wanted.size() == parts.carries) wanted.push_back(false);
  Tensors leaves;
  for (size_t i = 0; i < in.size(); ++i) {
    if (wanted[i]) leaves.push_back(in[i]);
  }
  const auto call = [&](TensorSpan values) {
    Tensors all(in);
    size_t next = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (wanted[i]) all[i] = values[next++];
    }
    return apply_prepared(kScan, all, &attrs, cx.where);
  };
  const Linearization linear(call, leaves, cx.where, "while");
  Tensors cotangents;
  size_t next = 0;
  for (size_t k = 0; k < parts.carries; ++k) {
    cotangents.push_back(parts.carried[k] ? cx.inputs[next++] : Tensor());
  }
  Tensors sums;
  if (parts.sums > 0) {  // the last of what is wanted
    sums.resize(leaves.size() - parts.sums);
    for (const Tensor& t : cx.inputs.subspan(parts.first_sum())) sums.push_back(t);
  }
  return with_zeros(linear.pull_onto(sums, cotangents, true), leaves, cx.where);
}

// The marks of one example, all of which have the same: of none in a batch that is empty, whose
// marks still tell the number of steps.
Tensor marks_of_one(const Tensor& marks, Where where) {
  const Index first{{.kind = IndexItem::Kind::kRange, .start = 0, .stop = 1, .step = 1}};
  return any(slice(marks, first, where), Ints{0}, /*keepdims=*/false, where);
}

Tensors batched(const WhileVjpAttrs& at, const BatchCtx& cx) {
  const WhileVjpParts parts(at, cx.inputs.size());
  // The loop as it ran: over the whole batch, with the examples that were done left alone.
  WhileAttrs loop_attrs;
  loop_attrs.cond = at.cond;
  loop_attrs.body = at.body;
  loop_attrs.carries = at.carries;
  Tensors given;
  InlineVector<bool, 8> flags;
  for (size_t i = parts.inputs(); i < parts.first_sum(); ++i) {
    given.push_back(cx.inputs[i]);
    flags.push_back(cx.batched[i]);
  }
  const BatchedLoop loop(loop_attrs, BatchCtx{given, flags, cx.size, cx.where});
  WhileVjpAttrs attrs = at;
  attrs.cond = loop.cond;
  attrs.body = loop.body;
  Tensors in;
  for (size_t i = 0; i < parts.cotangents; ++i) in.push_back(cx.with_batch_axis(i));
  const Tensor& marks = cx.inputs[parts.marks()];
  in.push_back(cx.batched[parts.marks()] ? marks_of_one(marks, cx.where) : marks);
  for (size_t k = 0; k < parts.carries; ++k) {
    in.push_back(moveaxis(cx.with_batch_axis(parts.kept() + k), Ints{0}, Ints{1}, cx.where));
  }
  for (const Tensor& t : loop.inputs) in.push_back(t);
  for (size_t i = parts.first_sum(); i < parts.count(); ++i) in.push_back(cx.with_batch_axis(i));
  return apply_prepared(kWhileVjp, in, &attrs, cx.where);
}

constinit const OpDef kWhileVjp{
    .name = "while.vjp",
    .doc = "The reverse pass of `while`, with the steps between what was kept computed again.",
    .inputs = {"operands...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<WhileVjpAttrs>(),
    .infer = rule<infer_vjp>(),
    .grad = derive::composed<formula>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run_while_vjp>(),
};

}  // namespace

const OpDef& while_vjp_op() { return kWhileVjp; }

Tensors while_vjp(const WhileAttrs& at, const GradCtx& cx, TensorSpan cotangents,
                  TensorSpan saved) {
  const Flags wanted = wanted_flags(cx);
  WhileVjpAttrs attrs;
  attrs.cond = quiet(at.cond);
  attrs.body = quiet(at.body);
  attrs.carries = at.carries;
  for (const bool flag : wanted) attrs.wanted.push_back(flag ? 1 : 0);
  Tensors in(cotangents);
  for (const Tensor& t : saved) in.push_back(t);
  for (const Tensor& t : cx.inputs) in.push_back(t);
  const Flags begun = begun_flags(cx, carries_of(at));
  const bool any = std::ranges::count(begun, true) > 0;
  for (size_t i = carries_of(at); any && i < wanted.size(); ++i) {
    if (wanted[i]) in.push_back(sum_or_zeros(cx, i));
  }
  Tensors out = spread(apply_prepared(kWhileVjp, in, &attrs, cx.where), wanted);
  for (size_t i = 0; i < carries_of(at); ++i) out[i] = added_to_sum(cx, i, out[i]);
  return out;
}

}  // namespace weft
