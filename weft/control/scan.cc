// scan: a loop over the rows of its inputs that carries values along.
#include "weft/control/scan.h"
#include "weft/control/loop.h"
#include "weft/control/rules.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/op/saving.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/trace/quiet.h"

namespace weft {
namespace {

void require_lanes(const ScanLoopAttrs& at, const InferCtx& cx, TypeSpan step) {
  if (at.lanes.empty()) return;
  cx.require(at.lanes.size() == 2, "lanes", "has ", at.lanes.size(),
             " functions for the examples of a batch; they are a test and a step");
  const Types test = ir::result_types(*at.lanes[0], step);
  cx.require(test.size() == 1 && test[0] == Type{DType::kBool, {}}, "lanes",
             "the test of an example must give one bool");
  branch_types({at.body, at.lanes[1]}, cx, step);
}

Types infer_scan(const ScanLoopAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto count = static_cast<int64_t>(in.size());
  cx.require(
      at.carries >= 0 && at.rows >= 0 && at.carries <= count && at.rows <= count - at.carries,
      "parts", "carries ", at.carries, " and goes through ", at.rows, " of ", count, " inputs");
  cx.require(at.body->results.size() >= static_cast<size_t>(at.carries), "carries", "carries ",
             at.carries, " values, but the body gives ", at.body->results.size());
  const ScanParts parts(at, in.size());
  for (size_t i = 0; i < parts.rows; ++i) {
    const Type& xs = in[parts.carries + i];
    cx.require(xs.rank() > 0, "rows", "an input to go through has rank 0 and no rows");
    cx.same_size(xs.shape[0], in[parts.carries].shape[0], "length", "the inputs' numbers of rows");
  }
  cx.require(at.rows > 0 || at.length.size() == 1, "length",
             "with nothing to go through it needs a length");
  const Dim length = length_of(at, in);
  const Types step = step_types(at, in), results = ir::result_types(*at.body, step);
  require_lanes(at, cx, step);
  Types out;
  for (size_t k = 0; k < results.size(); ++k) {
    out.push_back(k < parts.carries ? in[k] : stacked(results[k], length));
  }
  for (size_t k = 0; at.saves && k < parts.carries; ++k) out.push_back(stacked(in[k], length));
  return out;
}

std::optional<AnyAttrs> saving(const SavingCall& call) {
  ScanLoopAttrs at = *static_cast<const ScanLoopAttrs*>(call.attrs);
  if (at.saves) return {};
  at.saves = true;
  return std::optional<AnyAttrs>(std::in_place, kScan.attrs, &at);
}

// Values and tangents side by side, in the order of a scan.
Tensors jvp(const ScanLoopAttrs& at, const GradCtx& cx, TensorSpan tangents) {
  const ScanParts parts(at, cx.inputs.size());
  WithTangents pairs(cx, tangents, parts.carries);
  const size_t carries = pairs.add(0, parts.carries);
  const size_t rows = pairs.add(parts.carries, parts.carries + parts.rows);
  pairs.add(parts.carries + parts.rows, cx.inputs.size());
  const Types step = step_types(at, types_of(cx.inputs));
  const ir::Function& body = *at.body;
  // The step forwards by `f`, which takes and gives what the body does.
  const auto forward_step = [&](const FunctionAttr& f, TensorSpan given) {
    const FunctionAttr forward = jvp_of(f, pairs.active(), step);
    const Tensors both = ir::inlined(*forward, pairs.values_and_tangents(given), Where());
    Tensors out;
    const size_t results = body.results.size();
    const auto give = [&](size_t first, size_t last) {
      for (size_t k = first; k < last; ++k) out.push_back(both[k]);
      for (size_t k = 0, next = results; k < results; ++k) {
        if (!is_differentiable(body.result_type(k).dtype)) continue;
        if (k >= first && k < last) out.push_back(both[next]);
        ++next;
      }
    };
    give(0, parts.carries);
    give(parts.carries, results);
    return out;
  };
  const auto made = [&](const FunctionAttr& f, std::string_view kind, const auto& of_given) {
    return derived(f, derived_key(kind, pairs.active()), step, pairs.parameters(*f),
                   [&](TensorSpan given) { return of_given(f, given); });
  };
  ScanLoopAttrs attrs = at;
  attrs.body = made(at.body, "forward_step", forward_step);
  if (!at.lanes.empty()) {
    const auto test = [&](const FunctionAttr& takes_part, TensorSpan given) {
      return ir::inlined(*quiet(takes_part), pairs.values(given), Where());
    };
    attrs.lanes = {made(at.lanes[0], "forward_test", test),
                   made(at.lanes[1], "forward_step", forward_step)};
  }
  attrs.carries = static_cast<int64_t>(carries);
  attrs.rows = static_cast<int64_t>(rows);
  const Tensors out = apply_prepared(kScan, pairs.inputs(), &attrs, cx.where);

  // Values come first in each part, their tangents behind them.
  Tensors result;
  size_t next = 0;
  const auto take = [&](size_t first, size_t n) {
    next += n;
    for (size_t k = first; k < first + n; ++k) {
      const bool has_one = is_differentiable(cx.outputs[k].dtype());
      result.push_back(has_one ? out[next++] : Tensor());
    }
  };
  take(0, parts.carries);
  take(parts.carries, parts.outputs);
  if (at.saves) take(parts.carries + parts.outputs, parts.carries);
  return result;
}

Tensors batched(const ScanLoopAttrs& at, const BatchCtx& cx) {
  const ScanParts parts(at, cx.inputs.size());
  Tensors in;
  Flags flags;
  Types types;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    const bool is_carry = i < parts.carries, is_row = !is_carry && i < parts.carries + parts.rows;
    flags.push_back(is_carry || cx.batched[i] || !at.lanes.empty());
    Tensor t = flags[i] ? cx.with_batch_axis(i) : cx.inputs[i];
    Type type = t.type();
    if (flags[i]) type.shape.erase(0);
    types.push_back(type);
    if (is_row && flags[i]) t = moveaxis(t, Ints{0}, Ints{1}, cx.where);
    in.push_back(t);
  }
  ScanLoopAttrs attrs = at;
  const Types step = step_types(at, types);
  attrs.body = at.lanes.empty() ? vmap_of(at.body, flags, step, cx.size)
                                : lanes_step(at.lanes[0], at.body, at.lanes[1], step, cx.size);
  attrs.lanes.clear();
  Tensors out = apply_prepared(kScan, in, &attrs, cx.where);
  for (size_t k = parts.carries; k < out.size(); ++k) {
    out[k] = moveaxis(out[k], Ints{1}, Ints{0}, cx.where);
  }
  return out;
}

}  // namespace

constinit const OpDef kScan{
    .name = "scan",
    .doc = "Goes through the rows of its inputs, step by step, and carries values along.",
    .inputs = {"operands...?: any"},
    .outputs = {"results: any"},
    .attrs = attrs_type<ScanLoopAttrs>(),
    .infer = rule<infer_scan>(),
    .grad = derive::rules<scan_vjp, jvp>().saving_by(saving).going_on(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run_scan_loop>(),
};

}  // namespace weft
