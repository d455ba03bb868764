// scan: a loop over the rows of its inputs that carries values along.
//
// The order of sums in its reverse pass is that of the steps backwards: what all steps read gets
// the contribution of the last step first.
#include <algorithm>

#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/control/scan.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/op/saving.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

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
  const Types results = ir::result_types(*at.body, step_types(at, in));
  Types out;
  for (size_t k = 0; k < results.size(); ++k) {
    out.push_back(k < parts.carries ? in[k] : stacked(results[k], length));
  }
  for (size_t k = 0; at.saves && k < parts.carries; ++k) out.push_back(stacked(in[k], length));
  return out;
}

Tensors scan(ScanLoopAttrs attrs, TensorSpan in, Where where) {
  return apply_prepared(kScan, in, &attrs, where);
}

std::optional<AnyAttrs> saving(const SavingCall& call) {
  ScanLoopAttrs at = *static_cast<const ScanLoopAttrs*>(call.attrs);
  if (at.saves) return {};
  at.saves = true;
  return std::optional<AnyAttrs>(std::in_place, kScan.attrs, &at);
}

// One step of the reverse pass. Carries: the cotangents of what was carried, then the sums for what
// all steps read. Rows: what the step was given, then the cotangents of what it gave.
struct ReverseStep {
  const ScanLoopAttrs& at;
  ScanParts parts;
  Flags carried;  // which carries have cotangents
  Flags rows;     // which rows are wanted
  Flags consts;   // which constants are wanted
  Flags given;    // all of them, as the body's parameters

  ReverseStep(const ScanLoopAttrs& attrs, const GradCtx& cx)
      : at(attrs), parts(attrs, cx.inputs.size()) {
    const Flags wanted = wanted_flags(cx);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const bool is_carry = i < parts.carries;
      const bool flag = is_carry ? is_differentiable(cx.inputs[i].dtype()) : wanted[i];
      given.push_back(flag);
      (is_carry ? carried : i < parts.carries + parts.rows ? rows : consts).push_back(flag);
    }
  }

  FunctionAttr function(TypeSpan types) const {
    const Types step = step_types(at, types);
    Types parameters, results = ir::result_types(*at.body, step);
    const auto put = [&](const Type& type) { parameters.push_back(type); };
    const ir::Function& body = *at.body;
    for (size_t i = 0; i < parts.carries; ++i) {
      if (carried[i]) put(body.parameter_type(i));
    }
    for (size_t i = 0; i < parts.consts; ++i) {
      if (consts[i]) put(body.parameter_type(parts.carries + parts.rows + i));
    }
    for (size_t i = 0; i < parts.carries + parts.rows; ++i) put(body.parameter_type(i));
    for (size_t k = 0; k < parts.outputs; ++k) {
      const Type& type = body.result_type(parts.carries + k);
      if (is_differentiable(type.dtype)) put(type);
    }
    for (size_t i = 0; i < parts.carries; ++i) {
      if (carried[i]) put(body.parameter_type(i));  // of what was saved of the carry
    }
    for (size_t i = 0; i < parts.consts; ++i) {
      put(body.parameter_type(parts.carries + parts.rows + i));
    }
    const auto step_body = [&](TensorSpan all) { return backwards(all, step); };
    return derived(at.body, derived_key("reverse_step", given), step, parameters, step_body);
  }

 private:
  static size_t count(const Flags& flags) {
    return static_cast<size_t>(std::count(flags.begin(), flags.end(), true));
  }

  Tensors backwards(TensorSpan all, TypeSpan step) const {
    size_t next = 0;
    const auto take = [&](size_t n) {
      const TensorSpan out = all.subspan(next, n);
      next += n;
      return out;
    };
    const TensorSpan cotangents = take(count(carried)), sums = take(count(consts));
    Tensors arguments(take(parts.carries + parts.rows));
    size_t given_rows = 0;
    for (size_t k = 0; k < parts.outputs; ++k) {
      given_rows += is_differentiable(at.body->result_type(parts.carries + k).dtype) ? 1 : 0;
    }
    const TensorSpan row_cotangents = take(given_rows), saved = take(count(carried));
    for (const Tensor& t : take(parts.consts)) arguments.push_back(t);
    size_t next_carry = 0;
    for (size_t k = 0; k < parts.carries; ++k) {
      if (is_differentiable(at.body->result_type(k).dtype)) {
        arguments.push_back(cotangents[next_carry++]);
      }
    }
    for (const Tensor& t : row_cotangents) arguments.push_back(t);
    const Tensors back = ir::inlined(*vjp_of(at.body, given, step), arguments, Where());
    Tensors out, rows_out;
    size_t k = 0;
    for (size_t i = 0; i < count(carried); ++i, ++k) out.push_back(add(back[k], saved[i]));
    for (size_t i = 0; i < count(rows); ++i, ++k) rows_out.push_back(back[k]);
    for (size_t i = 0; i < count(consts); ++i, ++k) out.push_back(add(sums[i], back[k]));
    for (const Tensor& t : rows_out) out.push_back(t);
    return out;
  }
};

Tensors vjp(const ScanLoopAttrs& at, const GradCtx& cx, TensorSpan g) {
  WEFT_ASSERT(at.saves, "a recorded scan gives what its VJP needs");
  const ReverseStep reverse(at, cx);
  const ScanParts& parts = reverse.parts;
  const auto filled = [&](size_t k) {
    return g[k].defined() ? g[k]
                          : zeros(Shape(cx.outputs[k].shape()), cx.outputs[k].dtype(), cx.where);
  };
  const size_t first_saved = parts.carries + parts.outputs;
  Tensors in;
  for (size_t i = 0; i < parts.carries; ++i) {
    if (reverse.carried[i]) in.push_back(filled(i));
  }
  for (size_t i = 0; i < parts.consts; ++i) {
    const Tensor& t = cx.inputs[parts.carries + parts.rows + i];
    if (reverse.consts[i]) in.push_back(zeros(Shape(t.shape()), t.dtype(), cx.where));
  }
  ScanLoopAttrs attrs;
  attrs.carries = static_cast<int64_t>(in.size());
  for (size_t i = 0; i < parts.carries; ++i) in.push_back(cx.outputs[first_saved + i]);
  for (size_t i = 0; i < parts.rows; ++i) in.push_back(cx.inputs[parts.carries + i]);
  for (size_t k = 0; k < parts.outputs; ++k) {
    if (is_differentiable(cx.outputs[parts.carries + k].dtype())) {
      in.push_back(filled(parts.carries + k));
    }
  }
  for (size_t i = 0; i < parts.carries; ++i) {
    if (reverse.carried[i]) in.push_back(filled(first_saved + i));
  }
  attrs.rows = static_cast<int64_t>(in.size()) - attrs.carries;
  for (size_t i = 0; i < parts.consts; ++i) {
    in.push_back(cx.inputs[parts.carries + parts.rows + i]);
  }
  attrs.body = reverse.function(types_of(cx.inputs));
  attrs.length = at.length;
  attrs.reverse = !at.reverse;
  const Tensors out = scan(attrs, in, cx.where);

  Tensors result;
  size_t carry = 0, row_out = static_cast<size_t>(attrs.carries);
  for (size_t i = 0; i < parts.carries; ++i) {
    const Tensor cotangent = reverse.carried[i] ? out[carry++] : Tensor();
    result.push_back(cx.wanted[i] ? cotangent : Tensor());
  }
  for (size_t i = 0; i < parts.rows; ++i) {
    result.push_back(reverse.rows[i] ? out[row_out++] : Tensor());
  }
  for (size_t i = 0; i < parts.consts; ++i) {
    result.push_back(reverse.consts[i] ? out[carry++] : Tensor());
  }
  return result;
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
  const auto step_body = [&](TensorSpan given) {
    const FunctionAttr forward = jvp_of(at.body, pairs.active(), step);
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
  ScanLoopAttrs attrs = at;
  attrs.body = derived(at.body, derived_key("forward_step", pairs.active()), step,
                       pairs.parameters(body), step_body);
  attrs.carries = static_cast<int64_t>(carries);
  attrs.rows = static_cast<int64_t>(rows);
  const Tensors out = scan(attrs, pairs.inputs(), cx.where);

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
    flags.push_back(is_carry || cx.batched[i]);
    Tensor t = is_carry ? cx.with_batch_axis(i) : cx.inputs[i];
    Type type = t.type();
    if (flags[i]) type.shape.erase(0);
    types.push_back(type);
    if (is_row && cx.batched[i]) t = moveaxis(t, Ints{0}, Ints{1}, cx.where);
    in.push_back(t);
  }
  ScanLoopAttrs attrs = at;
  attrs.body = vmap_of(at.body, flags, step_types(at, types), cx.size);
  Tensors out = scan(attrs, in, cx.where);
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
    .grad = derive::rules<vjp, jvp>().saving_by(saving),
    .batch = batch::rule<batched>(),
    .kernel = kernel::run<run_scan_loop>(),
};

}  // namespace weft
