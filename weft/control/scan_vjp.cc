// The reverse pass of scan: a scan the other way.
//
// The order of its sums is that of the steps backwards: what all steps read gets the terms of the
// last step first, one by one, behind what later uses of it gave.
#include <algorithm>

#include "weft/control/loop.h"
#include "weft/control/rules.h"
#include "weft/control/scan.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/trace/quiet.h"

namespace weft {
namespace {

// One step of the reverse pass. Carries: the cotangents of what was carried, then the sums for what
// all steps read. Rows: what the step was given, then the cotangents of what it gave.
struct ReverseStep {
  const ScanLoopAttrs& at;
  ScanParts parts;
  Flags carried;  // which carries have cotangents
  Flags rows;     // which rows are wanted
  Flags consts;   // which constants are wanted
  Flags given;    // all of them, as the body's parameters
  Flags begun;    // the body's parameters whose sums have begun when the step's turn comes

  ReverseStep(const ScanLoopAttrs& attrs, const GradCtx& cx, TensorSpan saved_cotangents)
      : at(attrs), parts(attrs, cx.inputs.size()) {
    const Flags wanted = wanted_flags(cx);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const bool is_carry = i < parts.carries;
      const bool flag = is_carry ? is_differentiable(cx.inputs[i].dtype()) : wanted[i];
      given.push_back(flag);
      const bool is_row = !is_carry && i < parts.carries + parts.rows;
      begun.push_back(flag && !is_row && (!is_carry || saved_cotangents[i].defined()));
      (is_carry ? carried : i < parts.carries + parts.rows ? rows : consts).push_back(flag);
    }
  }

  // The step backwards through `f`, which takes and gives what the body does.
  FunctionAttr function(const FunctionAttr& f, TypeSpan step) const {
    const auto body = [&](TensorSpan all) { return backwards(f, all, step); };
    return derived(f, key("reverse_step"), step, parameters(*f), body);
  }
  // Whether an example took part in the step, of what its step backwards is given.
  FunctionAttr test(const FunctionAttr& takes_part, TypeSpan step) const {
    const auto body = [&](TensorSpan all) {
      return ir::inlined(*quiet(takes_part), taken(all).arguments, Where());
    };
    return derived(takes_part, key("reverse_test"), step, parameters(*takes_part), body);
  }
  // Was what was carried into the steps differentiated itself? That comes before their own uses.
  bool is_followed(size_t carry) const { return begun[carry]; }

 private:
  std::string key(std::string_view kind) const {
    return derived_key(kind, given) + derived_key("+", begun);
  }
  Flags followed() const { return Flags(begun.begin(), begun.begin() + at.carries); }
  static size_t count(const Flags& flags) {
    return static_cast<size_t>(std::count(flags.begin(), flags.end(), true));
  }

  // In the symbols of `f`, whose parameters are the body's.
  std::vector<Type> parameters(const ir::Function& f) const {
    std::vector<Type> out;
    const std::vector<Type> own = body_types(f);
    const Types results = ir::result_types(*at.body, Types(own.begin(), own.end()));
    const auto put = [&](size_t first, const Flags& flags) {
      for (size_t i = 0; i < flags.size(); ++i) {
        if (flags[i]) out.push_back(own[first + i]);
      }
    };
    const size_t first_const = parts.carries + parts.rows;
    put(0, carried);
    put(first_const, consts);
    put(0, Flags(first_const, true));
    for (size_t k = 0; k < parts.outputs; ++k) {
      if (has_cotangent(k)) out.push_back(results[parts.carries + k]);
    }
    put(0, followed());
    put(first_const, Flags(parts.consts, true));
    return out;
  }
  bool has_cotangent(size_t row) const {
    return is_differentiable(at.body->result_type(parts.carries + row).dtype);
  }

  // What a step backwards is given; the arguments are those of the step itself.
  struct Taken {
    TensorSpan cotangents, sums, row_cotangents, saved;
    Tensors arguments;
  };
  Taken taken(TensorSpan all) const {
    const auto take = [&](size_t n) {
      const TensorSpan out = all.first(n);
      all = all.subspan(n);
      return out;
    };
    Taken out;
    out.cotangents = take(count(carried));
    out.sums = take(count(consts));
    out.arguments = Tensors(take(parts.carries + parts.rows));
    size_t given_rows = 0;
    for (size_t k = 0; k < parts.outputs; ++k) given_rows += has_cotangent(k) ? 1 : 0;
    out.row_cotangents = take(given_rows);
    out.saved = take(count(followed()));
    for (const Tensor& t : take(parts.consts)) out.arguments.push_back(t);
    return out;
  }

  Tensors backwards(const FunctionAttr& f, TensorSpan all, TypeSpan step) const {
    const Taken in = taken(all);
    Tensors arguments = in.arguments;
    size_t next_carry = 0;
    for (size_t k = 0; k < parts.carries; ++k) {
      if (is_differentiable(at.body->result_type(k).dtype)) {
        arguments.push_back(in.cotangents[next_carry++]);
      }
    }
    for (const Tensor& t : in.row_cotangents) arguments.push_back(t);
    for (const Tensor& t : in.saved) arguments.push_back(t);
    for (const Tensor& t : in.sums) arguments.push_back(t);
    const Tensors back = ir::inlined(*vjp_of(f, given, step, begun), arguments, Where());
    Tensors out, rows_out;
    size_t k = 0;
    for (size_t i = 0; i < count(carried); ++i, ++k) out.push_back(back[k]);
    for (size_t i = 0; i < count(rows); ++i, ++k) rows_out.push_back(back[k]);
    for (size_t i = 0; i < count(consts); ++i, ++k) out.push_back(back[k]);
    for (const Tensor& t : rows_out) out.push_back(t);
    return out;
  }
};

}  // namespace

Tensors scan_vjp(const ScanLoopAttrs& at, const GradCtx& cx, TensorSpan g) {
  WEFT_ASSERT(at.saves, "a recorded scan gives what its VJP needs");
  const ScanParts parts(at, cx.inputs.size());
  const size_t first_saved = parts.carries + parts.outputs;
  const ReverseStep reverse(at, cx, g.subspan(first_saved));
  const auto filled = [&](size_t k) {
    return g[k].defined() ? g[k]
                          : zeros(Shape(cx.outputs[k].shape()), cx.outputs[k].dtype(), cx.where);
  };
  Tensors in;
  for (size_t i = 0; i < parts.carries; ++i) {
    if (reverse.carried[i]) in.push_back(filled(i));
  }
  for (size_t i = 0; i < parts.consts; ++i) {
    const size_t at_input = parts.carries + parts.rows + i;
    if (reverse.consts[i]) in.push_back(sum_or_zeros(cx, at_input));
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
    if (reverse.is_followed(i)) in.push_back(g[first_saved + i]);
  }
  attrs.rows = static_cast<int64_t>(in.size()) - attrs.carries;
  for (size_t i = 0; i < parts.consts; ++i) {
    in.push_back(cx.inputs[parts.carries + parts.rows + i]);
  }
  const Types step = step_types(at, types_of(cx.inputs));
  attrs.body = reverse.function(at.body, step);
  if (!at.lanes.empty()) {
    attrs.lanes = {reverse.test(at.lanes[0], step), reverse.function(at.lanes[1], step)};
  }
  attrs.length = at.length;
  attrs.reverse = !at.reverse;
  const Tensors out = apply_prepared(kScan, in, &attrs, cx.where);

  Tensors result;
  size_t carry = 0, row_out = static_cast<size_t>(attrs.carries);
  for (size_t i = 0; i < parts.carries; ++i) {
    const Tensor cotangent = reverse.carried[i] ? out[carry++] : Tensor();
    result.push_back(cx.wanted[i] ? added_to_sum(cx, i, cotangent) : Tensor());
  }
  for (size_t i = 0; i < parts.rows; ++i) {
    const Tensor cotangent = reverse.rows[i] ? out[row_out++] : Tensor();
    result.push_back(added_to_sum(cx, parts.carries + i, cotangent));
  }
  for (size_t i = 0; i < parts.consts; ++i) {
    result.push_back(reverse.consts[i] ? out[carry++] : Tensor());
  }
  return result;
}

}  // namespace weft
