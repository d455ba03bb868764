// scan: a loop over the rows of its inputs that carries values along.
//
// The order of sums in its reverse pass is that of the steps backwards: what all steps read gets
// the contribution of the last step first.
#include <algorithm>

#include "weft/control/ops.h"
#include "weft/control/rules.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Where the parts of the inputs and of the body's results begin.
struct Parts {
  size_t carries, rows, consts, outputs;  // outputs: rows of results

  Parts(const ScanLoopAttrs& at, size_t inputs)
      : carries(static_cast<size_t>(at.carries)),
        rows(static_cast<size_t>(at.rows)),
        consts(inputs - carries - rows),
        outputs(at.body->results.size() - carries) {}
};

Type row_of(Type type) {
  type.shape.erase(0);
  return type;
}
Type stacked(Type type, Dim length) {
  type.shape.insert(0, length);
  return type;
}

// The types of what the body is given.
Types step_types(const ScanLoopAttrs& at, TypeSpan in) {
  Types out;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool is_row =
        i >= static_cast<size_t>(at.carries) && i < static_cast<size_t>(at.carries + at.rows);
    out.push_back(is_row ? row_of(in[i]) : in[i]);
  }
  return out;
}

Dim length_of(const ScanLoopAttrs& at, TypeSpan in) {
  return at.rows > 0 ? in[static_cast<size_t>(at.carries)].shape[0] : at.length[0];
}

Types infer_scan(const ScanLoopAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto count = static_cast<int64_t>(in.size());
  cx.require(
      at.carries >= 0 && at.rows >= 0 && at.carries <= count && at.rows <= count - at.carries,
      "parts", "carries ", at.carries, " and goes through ", at.rows, " of ", count, " inputs");
  cx.require(at.body->results.size() >= static_cast<size_t>(at.carries), "carries", "carries ",
             at.carries, " values, but the body gives ", at.body->results.size());
  const Parts parts(at, in.size());
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

Tensor row(const Tensor& x, int64_t i) {
  return x.view(x.shape().subspan(1), x.strides().subspan(1), i * x.strides()[0]);
}

// Step by step with tensors: what observers see, and what has no plan.
Tensors run_simply(const ScanLoopAttrs& at, TensorSpan in, const Tensors& stacks, int64_t length) {
  const Parts parts(at, in.size());
  Tensors carry(in.first(parts.carries));
  Tensors arguments(in);
  for (int64_t step = 0; step < length; ++step) {
    const int64_t i = at.reverse ? length - 1 - step : step;
    for (size_t k = 0; k < parts.carries; ++k) {
      if (at.saves) native::copy(row(stacks[parts.outputs + k], i), carry[k]);
      arguments[k] = std::move(carry[k]);
    }
    for (size_t k = 0; k < parts.rows; ++k) {
      arguments[parts.carries + k] = row(in[parts.carries + k], i);
    }
    Tensors results = ir::run(*at.body, arguments);
    for (size_t k = 0; k < parts.carries; ++k) carry[k] = std::move(results[k]);
    for (size_t k = 0; k < parts.outputs; ++k) {
      native::copy(row(stacks[k], i), results[parts.carries + k]);
    }
  }
  return carry;
}

// The rows of a tensor by address, in the order of the steps.
struct Rows {
  char* data;
  int64_t step;  // bytes

  explicit Rows(const Tensor& t)
      : data(static_cast<char*>(t.writable_data())), step(t.strides()[0] * size_of(t.dtype())) {}
  char* at(int64_t i) const { return data + i * step; }
};

// The same by addresses. What is carried goes from row to row of what is saved, or back and forth
// between two rows; the last step writes the result.
bool run_in_place(const ScanLoopAttrs& at, TensorSpan in, const Tensors& stacks,
                  const Tensors& last, int64_t length) {
  const Parts parts(at, in.size());
  const int64_t first = at.reverse ? length - 1 : 0;
  Tensors arguments;
  std::vector<Rows> carried, read, written;
  Types results;
  Tensors pairs;
  for (size_t k = 0; k < parts.carries; ++k) {
    const Tensor rows = at.saves ? stacks[parts.outputs + k]
                                 : Tensor::empty(in[k].dtype(), stacked(in[k].type(), 2).shape);
    pairs.push_back(rows);
    carried.emplace_back(rows);
    arguments.push_back(row(rows, at.saves ? first : 0));
    native::copy(arguments[k], in[k]);
    results.push_back(in[k].type());
  }
  for (size_t k = 0; k < parts.rows; ++k) {
    const Tensor& rows = in[parts.carries + k];
    read.emplace_back(rows);
    arguments.push_back(row(rows, first));
  }
  for (size_t k = 0; k < parts.consts; ++k) {
    arguments.push_back(in[parts.carries + parts.rows + k]);
  }
  for (size_t k = 0; k < parts.outputs; ++k) {
    written.emplace_back(stacks[k]);
    results.push_back(row_of(stacks[k].type()));
  }
  const Shared<ir::Stepper> body = ir::stepper_of(*at.body, arguments, results);
  if (body == nullptr) return false;
  std::vector<char*> from, to(results.size());
  for (const Tensor& t : arguments) from.push_back(static_cast<char*>(t.writable_data()));
  for (int64_t step = 0; step < length; ++step) {
    const int64_t i = at.reverse ? length - 1 - step : step;
    const int64_t next = !at.saves ? (step + 1) & 1 : at.reverse ? i - 1 : i + 1;
    for (size_t k = 0; k < parts.carries; ++k) {
      to[k] = step + 1 < length ? carried[k].at(next) : static_cast<char*>(last[k].writable_data());
    }
    for (size_t k = 0; k < parts.rows; ++k) from[parts.carries + k] = read[k].at(i);
    for (size_t k = 0; k < parts.outputs; ++k) to[parts.carries + k] = written[k].at(i);
    body->run(from.data(), to.data());
    for (size_t k = 0; k < parts.carries; ++k) from[k] = to[k];
  }
  return true;
}

Tensors run(const ScanLoopAttrs& at, TensorSpan in, TypeSpan types) {
  const auto carries = static_cast<size_t>(at.carries);
  const int64_t length = length_of(at, types_of(in)).value();
  Tensors stacks, carry;
  for (size_t k = carries; k < types.size(); ++k) {
    stacks.push_back(Tensor::empty(types[k].dtype, types[k].shape));
  }
  for (size_t k = 0; k < carries; ++k) {
    carry.push_back(Tensor::empty(types[k].dtype, types[k].shape));
  }
  if (length == 0) {
    carry = Tensors(in.first(carries));
  } else if (!run_in_place(at, in, stacks, carry, length)) {
    carry = run_simply(at, in, stacks, length);
  }
  for (const Tensor& stack : stacks) carry.push_back(stack);
  return carry;
}

Tensors scan(ScanLoopAttrs attrs, TensorSpan in, Where where) {
  return apply_prepared(kScan, in, &attrs, where);
}

std::optional<AnyAttrs> saving(const void* attrs) {
  ScanLoopAttrs at = *static_cast<const ScanLoopAttrs*>(attrs);
  if (at.saves) return {};
  at.saves = true;
  return std::optional<AnyAttrs>(std::in_place, kScan.attrs, &at);
}

std::string flags_text(std::string_view kind, const Flags& flags) {
  std::string out(kind);
  out += ':';
  for (const bool flag : flags) out += flag ? '1' : '0';
  return out;
}

// One step of the reverse pass. Carries: the cotangents of what was carried, then the sums for what
// all steps read. Rows: what the step was given, then the cotangents of what it gave.
struct ReverseStep {
  const ScanLoopAttrs& at;
  Parts parts;
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
    return derived(at.body, flags_text("reverse_step", given), step, parameters, step_body);
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
  const Parts& parts = reverse.parts;
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
  const Parts parts(at, cx.inputs.size());
  Flags active;
  Tensors tangent_of;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    const bool is_carry = i < parts.carries;
    active.push_back(is_carry ? is_differentiable(cx.inputs[i].dtype()) : tangents[i].defined());
    const bool needs_zeros = active[i] && !tangents[i].defined();
    tangent_of.push_back(needs_zeros
                             ? zeros(Shape(cx.inputs[i].shape()), cx.inputs[i].dtype(), cx.where)
                             : tangents[i]);
  }
  const Types types = types_of(cx.inputs), step = step_types(at, types);
  const ir::Function& body = *at.body;
  const size_t all = cx.inputs.size();
  // The place of each parameter of jvp_of(body), values then tangents, in the scan's order.
  std::vector<size_t> order;
  const auto put = [&](size_t first, size_t n) {
    for (size_t i = first; i < first + n; ++i) order.push_back(i);
    for (size_t i = first; i < first + n; ++i) {
      if (active[i]) order.push_back(all + i);
    }
  };
  put(0, parts.carries);
  const size_t carries = order.size();
  put(parts.carries, parts.rows);
  const size_t rows = order.size() - carries;
  put(parts.carries + parts.rows, parts.consts);
  Types parameters;
  Tensors in;
  for (const size_t place : order) {
    parameters.push_back(body.parameter_type(place % all));
    in.push_back(place < all ? cx.inputs[place] : tangent_of[place - all]);
  }
  const auto step_body = [&](TensorSpan given) {
    Tensors values(all), along;
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] < all) values[order[i]] = given[i];
    }
    for (size_t i = 0; i < all; ++i) {
      const auto found = std::find(order.begin(), order.end(), all + i);
      if (found != order.end()) along.push_back(given[static_cast<size_t>(found - order.begin())]);
    }
    for (const Tensor& t : along) values.push_back(t);
    const Tensors both = ir::inlined(*jvp_of(at.body, active, step), values, Where());
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
  attrs.body = derived(at.body, flags_text("forward_step", active), step, parameters, step_body);
  attrs.carries = static_cast<int64_t>(carries);
  attrs.rows = static_cast<int64_t>(rows);
  const Tensors out = scan(attrs, in, cx.where);

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
  const Parts parts(at, cx.inputs.size());
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
    .kernel = kernel::run<run>(),
};

}  // namespace weft
