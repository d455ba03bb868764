// The combinators on flat lists: trace the functions, then apply the op.
#include "weft/control/control.h"

#include <functional>

#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/control/switch_rules.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/decide_shapes.h"
#include "weft/op/record.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/trace/trace.h"

namespace weft {
namespace {

Tensors strong(TensorSpan in, Where where) {
  Tensors out;
  for (const Tensor& t : in) {
    if (!t.defined()) fail(Code::kType, "control", "value", "a value is undefined");
    out.push_back(t.is_weak() ? cast(t, t.dtype(), where) : t);
  }
  return out;
}

std::vector<TraceParameter> parameters_of(TensorSpan like, std::string_view name, Where where) {
  std::vector<TraceParameter> out;
  for (const Tensor& t : like) out.push_back({t.type(), std::string(name), where});
  return out;
}

// Of one dtype and shape, as far as sizes tell or the trace decides.
bool are_alike(const Type& a, const Type& b) {
  return a.dtype == b.dtype && decide_same(a.shape, b.shape) != Tri::kNo;
}

// What the functions give must be of the types that are carried.
void require_same(std::string_view who, std::string_view what, size_t i, const Type& before,
                  const Type& after) {
  if (are_alike(before, after)) return;
  fail(Code::kType, who, "type", "carried value ", i, " is ", before, " before and ", after,
       " after ", what, "; it must keep its dtype and shape: cast or reshape it");
}

// A number that is cut off to an integer would choose a branch that nobody meant.
void require_predicate(const Tensor& pred) {
  if (pred.rank() != 0) {
    fail(Code::kInvalid, "cond", "predicate", "the predicate has shape ", pred.shape(),
         "; it must be one value, of rank 0: reduce it with any or all");
  }
  if (pred.dtype() != DType::kBool && !is_integer(pred.dtype())) {
    fail(Code::kType, "cond", "predicate", "the predicate is of dtype ", pred.dtype(),
         "; it must be bool or an integer: compare it, as in x != 0");
  }
}

void require_index(const Tensor& index, std::string_view who) {
  if (index.rank() != 0) {
    fail(Code::kInvalid, who, "index", "the index has shape ", index.shape(),
         "; it must be one number, of rank 0");
  }
  if (!is_integer(index.dtype())) {
    fail(Code::kType, who, "index", "the index is of dtype ", index.dtype(),
         "; it must be an integer: cast it, or use cond for a choice of two");
  }
}

void require_bounds(const Tensor& lower, const Tensor& upper) {
  for (const Tensor& bound : {lower, upper}) {
    if (!bound.defined()) fail(Code::kType, "fori_loop", "bounds", "a bound is undefined");
  }
  const bool are_numbers = lower.rank() == 0 && upper.rank() == 0;
  if (are_numbers && is_integer(lower.dtype()) && is_integer(upper.dtype())) return;
  fail(Code::kType, "fori_loop", "bounds", "the bounds are ", lower.type(), " and ", upper.type(),
       "; they must be integers of rank 0");
}

// The next values of what a loop that counts carries: as many, and of the same types.
Tensors counted_step(FlatFunction body, const Tensor& i, TensorSpan carried) {
  Tensors in{i};
  for (const Tensor& t : carried) in.push_back(t);
  Tensors out = body(in);
  if (out.size() != carried.size()) {
    fail(Code::kInvalid, "fori_loop", "body", "the body gives ", out.size(), " values for ",
         carried.size(), " that are carried; it must give as many");
  }
  for (size_t k = 0; k < out.size(); ++k) {
    if (!out[k].defined()) {
      fail(Code::kType, "fori_loop", "body", "value ", k, " that the body gives is undefined");
    }
    require_same("fori_loop", "the body", k, carried[k].type(), out[k].type());
  }
  return out;
}

Tensors with_captured(TensorSpan operands, const Trace& trace, Where where) {
  Tensors in(operands);
  for (const Tensor& t : trace.captured_values(where)) in.push_back(t);
  return in;
}

// The operands of branches, each once: a value that is given twice, or read from outside as well,
// is one parameter, so that its uses in a branch make one sum.
struct Operands {
  Tensors once;
  std::vector<size_t> places;  // per operand: which of them it is

  explicit Operands(TensorSpan all) {
    for (const Tensor& t : all) {
      size_t i = 0;
      while (i < once.size() && once[i].node() != t.node()) ++i;
      if (i == once.size()) once.push_back(t);
      places.push_back(i);
    }
  }
  Tensors all_of(TensorSpan given) const {
    Tensors out;
    for (const size_t i : places) out.push_back(given[i]);
    return out;
  }
};

// The condition of a loop alone, without the values of what the body writes.
FunctionAttr condition_of(const Trace& trace) {
  const ir::Function& f = *trace.function;
  if (f.results.size() == 1) return trace.function;
  for (const ir::ValueId id : std::span(f.results).subspan(1)) {
    if (f.graph.value(id).maker == ir::kNone) continue;  // as it came in
    fail(Code::kInvalid, "while_loop", "cond",
         "the condition writes a Variable or draws; it may only read: do it in the body");
  }
  auto out = new_shared<ir::Function>();
  out->name = f.name;
  out->graph = f.graph;
  out->results = {f.results[0]};
  out->assumptions = f.assumptions;
  out->hints = f.hints;
  return out;
}

// A step whose written captures stand among the carried values: parameters [carry, written, rows,
// rest] and results [carry, written, rows].
FunctionAttr with_written_carried(const Trace& trace, size_t carries, size_t rows) {
  const ir::Function& step = *trace.function;
  const size_t written = step.results.size() - trace.result_count;
  std::vector<Type> parameters;
  const auto put = [&](size_t first, size_t n) {
    for (size_t i = first; i < first + n; ++i) parameters.push_back(step.parameter_type(i));
  };
  const size_t rest = step.parameter_count() - carries - rows - written;
  put(0, carries);
  put(carries + rows, written);
  put(carries, rows);
  put(carries + rows + written, rest);
  Types types;
  for (size_t i = 0; i < step.parameter_count(); ++i) types.push_back(step.parameter_type(i));
  return derived(trace.function, "written_carried", types, parameters, [&](TensorSpan all) {
    Tensors in(all.first(carries));
    for (const Tensor& t : all.subspan(carries + written, rows)) in.push_back(t);
    for (const Tensor& t : all.subspan(carries, written)) in.push_back(t);
    for (const Tensor& t : all.subspan(carries + written + rows)) in.push_back(t);
    const Tensors results = ir::inlined(step, in, Where());
    Tensors out(TensorSpan(results).first(carries));
    for (size_t k = trace.result_count; k < results.size(); ++k) out.push_back(results[k]);
    for (size_t k = carries; k < trace.result_count; ++k) out.push_back(results[k]);
    return out;
  });
}

}  // namespace

Tensors switch_flat(const Tensor& given, FlatFunctions branches, TensorSpan operands,
                    std::string_view who, Where where) {
  register_control_ops();
  if (branches.empty()) {
    fail(Code::kInvalid, who, "branches", "there are no branches; give at least one");
  }
  if (who != "cond") require_index(given, who);
  // Where nothing is transformed, it just runs. Else it is an op as in a graph.
  const Tensor plain = value_under(given);
  if (open_levels().empty() && plain.defined()) {
    const int64_t taken = branch_taken(plain.item_int(), static_cast<int64_t>(branches.size()));
    return branches[static_cast<size_t>(taken)](operands);
  }
  const Operands in(strong(operands, where));
  const std::vector<std::vector<TraceParameter>> parameters(branches.size(),
                                                            parameters_of(in.once, "x", where));
  std::vector<std::string> names;
  std::vector<std::function<Tensors(TensorSpan)>> called;
  for (size_t i = 0; i < branches.size(); ++i) {
    names.push_back(who == "cond" ? (i == 0 ? "otherwise" : "then") : text("branch", i));
    called.emplace_back([&, i](TensorSpan once) { return branches[i](in.all_of(once)); });
  }
  const std::vector<FlatFunction> callables(called.begin(), called.end());
  const std::vector<Trace> traces =
      trace_together(callables, parameters, names, /*last_first=*/who == "cond", in.once);
  SwitchAttrs attrs;
  for (size_t i = 0; i < traces.size(); ++i) {
    const ir::Function& first = *traces[0].function;
    const ir::Function& branch = *traces[i].function;
    if (traces[i].result_count != traces[0].result_count) {
      fail(Code::kInvalid, who, "results", names[0], " gives ", traces[0].result_count,
           " values and ", names[i], " ", traces[i].result_count, "; branches give as many");
    }
    for (size_t k = 0; k < branch.results.size(); ++k) {
      if (are_alike(branch.result_type(k), first.result_type(k))) continue;
      fail(Code::kType, who, "type", "result ", k, " is ", first.result_type(k), " of ", names[0],
           " and ", branch.result_type(k), " of ", names[i],
           "; branches give values of the same dtype and shape: cast or reshape one");
    }
    attrs.branches.push_back(traces[i].function);
  }
  const Tensor index =
      given.dtype() == DType::kI64 && !given.is_weak() ? given : cast(given, DType::kI64, where);
  Tensors all{index};
  for (const Tensor& t : with_captured(in.once, traces[0], where)) all.push_back(t);
  const Tensors out = apply_prepared(kSwitch, all, &attrs, where);
  traces[0].store_written(out, where);
  return Tensors(TensorSpan(out).first(traces[0].result_count));
}

Tensors cond_flat(const Tensor& pred, FlatFunction then, FlatFunction otherwise,
                  TensorSpan operands, Where where) {
  require_predicate(pred);
  const FlatFunction branches[] = {otherwise, then};
  return switch_flat(pred, branches, operands, "cond", where);
}

Tensors while_flat(FlatFunction cond, FlatFunction body, TensorSpan given,
                   const WhileOptions& options, Where where) {
  register_control_ops();
  if (options.max_saved_bytes < 0) {
    fail(Code::kInvalid, "while_loop", "max_saved_bytes", "max_saved_bytes is ",
         options.max_saved_bytes,
         "; it is a number of bytes, and with 0 as little is kept as can be");
  }
  const Tensors init = strong(given, where);
  const FlatFunction callables[] = {cond, body};
  const std::vector<std::vector<TraceParameter>> parameters(2, parameters_of(init, "carry", where));
  const std::string names[] = {"cond", "body"};
  const std::vector<Trace> traces = trace_together(callables, parameters, names);
  const ir::Function& test = *traces[0].function;
  if (traces[0].result_count != 1 || test.result_type(0).rank() != 0) {
    fail(Code::kInvalid, "while_loop", "cond",
         "the condition must give one value of rank 0; reduce it with any or all");
  }
  if (test.result_type(0).dtype != DType::kBool) {
    fail(Code::kType, "while_loop", "cond", "the condition gives ", test.result_type(0),
         "; it must give a bool: compare, as in n != 0");
  }
  if (traces[1].result_count != init.size()) {
    fail(Code::kInvalid, "while_loop", "body", "the body gives ", traces[1].result_count,
         " values for ", init.size(), " that are carried; it must give as many");
  }
  for (size_t k = 0; k < init.size(); ++k) {
    require_same("while_loop", "the body", k, init[k].type(), traces[1].function->result_type(k));
  }
  // What is written is carried, so it stands behind what was carried already; the condition is one
  // value, whatever the body writes.
  WhileAttrs attrs;
  attrs.cond = condition_of(traces[0]);
  attrs.body = traces[1].function;
  attrs.carries = static_cast<int64_t>(traces[1].function->results.size());
  attrs.max_saved_bytes = options.max_saved_bytes;
  const Tensors out = apply_prepared(kWhile, with_captured(init, traces[1], where), &attrs, where);
  traces[1].store_written(out, where);
  return Tensors(TensorSpan(out).first(init.size()));
}

namespace {

// Steps of a scan that was told how many there are.
void check_length(int64_t length, TensorSpan rows) {
  if (length < 0) {
    fail(Code::kInvalid, "scan", "length", "length is ", length, "; it is 0 or more");
  }
  for (const Tensor& t : rows) {
    if (decide_same(t.dim(0), length) != Tri::kNo) continue;
    fail(Code::kInvalid, "scan", "length", "length is ", length, ", but there are ", t.dim(0),
         " rows to go through; leave it out");
  }
}

}  // namespace

ScanResult scan_flat(FlatFunction body, TensorSpan given, TensorSpan xs, const ScanOptions& options,
                     Where where) {
  register_control_ops();
  const Tensors init = strong(given, where), rows = strong(xs, where);
  std::vector<TraceParameter> parameters = parameters_of(init, "carry", where);
  for (const Tensor& t : rows) {
    if (t.rank() == 0) {
      fail(Code::kInvalid, "scan", "rows", "an input to go through has rank 0 and no rows");
    }
    Type type = t.type();
    type.shape.erase(0);
    parameters.push_back({type, "x", where});
  }
  if (rows.empty() && !options.length) {
    fail(Code::kInvalid, "scan", "length", "there is nothing to go through; give a length");
  }
  if (options.length) check_length(*options.length, rows);
  const Trace trace = trace_flat(body, parameters, {.name = "step"});
  if (trace.result_count < init.size()) {
    fail(Code::kInvalid, "scan", "body", "the body gives ", trace.result_count, " values, but ",
         init.size(), " are carried; it gives those first");
  }
  for (size_t k = 0; k < init.size(); ++k) {
    require_same("scan", "the body", k, init[k].type(), trace.function->result_type(k));
  }
  const size_t written = trace.function->results.size() - trace.result_count;
  ScanLoopAttrs attrs;
  attrs.body = trace.function;
  attrs.carries = static_cast<int64_t>(init.size() + written);
  attrs.rows = static_cast<int64_t>(rows.size());
  attrs.reverse = options.reverse;
  if (options.length) attrs.length = {*options.length};
  Tensors in(init);
  const Tensors captured = trace.captured_values(where);
  if (written > 0) {
    // The written ones are carried: they stand behind the first carries, and so in the body.
    attrs.body = with_written_carried(trace, init.size(), rows.size());
    for (size_t i = 0; i < written; ++i) in.push_back(captured[i]);
  }
  for (const Tensor& t : rows) in.push_back(t);
  for (size_t i = written; i < captured.size(); ++i) in.push_back(captured[i]);
  const Tensors out = apply_prepared(kScan, in, &attrs, where);
  ScanResult result;
  Tensors ordered(TensorSpan(out).first(init.size()));
  result.carry = ordered;
  const size_t carries = init.size() + written;
  for (size_t k = carries; k < out.size(); ++k) {
    result.rows.push_back(out[k]);
    ordered.push_back(out[k]);
  }
  for (size_t k = init.size(); k < carries; ++k) ordered.push_back(out[k]);
  trace.store_written(ordered, where);
  return result;
}

Tensors map_flat(FlatFunction f, TensorSpan given, Where where) {
  const InferCtx cx{"map"};
  const Tensors xs = strong(given, where);
  cx.require(!xs.empty(), "rows", "there is nothing to go through; give it a tensor");
  for (size_t i = 0; i < xs.size(); ++i) {
    cx.require(xs[i].rank() > 0, "rows", "input ", i,
               " has rank 0 and no rows; go through the rows of a tensor of rank 1 or more");
    cx.same_size(xs[i].dim(0), xs[0].dim(0), "length", "the inputs' numbers of rows");
  }
  return scan_flat(f, {}, xs, {}, where).rows;
}

Tensors fori_flat(int64_t lower, int64_t upper, FlatFunction body, TensorSpan init, Where where) {
  const Tensors numbers{arange(lower, std::max(lower, upper), 1, DType::kI64, where)};
  const auto step = [&](TensorSpan all) {
    return counted_step(body, all.back(), all.first(all.size() - 1));
  };
  return scan_flat(step, init, numbers, {}, where).carry;
}

Tensors fori_flat(const Tensor& lower, const Tensor& upper, FlatFunction body, TensorSpan init,
                  Where where) {
  require_bounds(lower, upper);
  Tensors state{lower};
  for (const Tensor& t : init) state.push_back(t);
  const auto goes_on = [&](TensorSpan all) { return Tensors{less(all[0], upper, where)}; };
  const auto step = [&](TensorSpan all) {
    Tensors out{add(all[0], 1, where)};
    for (const Tensor& t : counted_step(body, all[0], all.subspan(1))) out.push_back(t);
    return out;
  };
  const Tensors out = while_flat(goes_on, step, state, {}, where);
  return Tensors(TensorSpan(out).subspan(1));
}

}  // namespace weft
