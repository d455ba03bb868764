// while.vjp: the reverse pass of a loop, segment by segment from what was kept of it.
//
// Its own derivatives go through a formula of scans over all steps.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/control/loop.h"
#include "weft/control/rules.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/composed.h"
#include "weft/op/record.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/transform/vjp.h"

namespace weft {
namespace {

// Inputs: the cotangents of what has any, the marks of steps, what was kept of the carries, the
// loop's inputs.
struct WhileVjpAttrs {
  FunctionAttr cond, body;
  int64_t carries = 0;
  Ints wanted;  // 1 for each input of the loop whose cotangent is given
  static constexpr auto fields =
      fields_of(field("cond", &WhileVjpAttrs::cond, "of the loop"),
                field("body", &WhileVjpAttrs::body, "of the loop"),
                field("carries", &WhileVjpAttrs::carries, "of the loop"),
                field("wanted", &WhileVjpAttrs::wanted, "1 for each cotangent that is wanted"));
};

extern const OpDef kWhileVjp;

// The parts of its inputs.
struct Parts {
  size_t carries, cotangents, consts;
  Flags carried;  // the carries that have cotangents
  Flags wanted;   // the loop's inputs whose cotangents are given
  Flags given;    // the body's parameters that the steps differentiate

  Parts(const WhileVjpAttrs& at) : carries(static_cast<size_t>(at.carries)), cotangents(0) {
    const ir::Function& body = *at.body;
    consts = body.parameter_count() - carries;
    for (size_t i = 0; i < body.parameter_count(); ++i) {
      wanted.push_back(at.wanted[i] != 0);
      const bool is_carry = i < carries;
      const bool has_one = is_differentiable(body.parameter_type(i).dtype);
      if (is_carry) carried.push_back(has_one);
      cotangents += is_carry && has_one ? 1 : 0;
      given.push_back(is_carry ? has_one : wanted[i]);
    }
  }
  size_t marks() const { return cotangents; }
  size_t kept() const { return cotangents + 1; }
  size_t inputs() const { return kept() + carries; }
};

Types infer_vjp(const WhileVjpAttrs& at, const InferCtx& cx, TypeSpan in) {
  const size_t count = at.body->parameter_count();
  cx.require(at.carries >= 0 && static_cast<size_t>(at.carries) <= count, "carries", "carries ",
             at.carries, " of ", count, " values");
  cx.require(at.wanted.size() == count, "wanted", "there are ", at.wanted.size(), " flags for ",
             count, " values");
  const Parts parts(at);
  cx.require(in.size() == parts.inputs() + count, "inputs", "takes ", parts.inputs() + count,
             " inputs, but got ", in.size());
  Types out;
  for (size_t i = 0; i < parts.wanted.size(); ++i) {
    if (parts.wanted[i]) out.push_back(in[parts.inputs() + i]);
  }
  return out;
}

// Sums and cotangents as they go backwards through the loop.
class Backwards {
 public:
  Backwards(const WhileVjpAttrs& at, TensorSpan in)
      : at_(at), parts_(at), in_(in), arguments_(in.subspan(parts_.inputs())) {
    for (size_t i = 0; i < parts_.cotangents; ++i) cotangents_.push_back(in[i]);
    for (size_t i = parts_.carries; i < parts_.given.size(); ++i) {
      if (!parts_.given[i]) continue;
      const Tensor& t = arguments_[i];
      sums_.push_back(zeros(Shape(t.shape()), t.dtype()));
    }
    step_ = vjp_of(at.body, parts_.given, types_of(arguments_));
  }

  Tensors run() {
    const int64_t steps = in_[parts_.marks()].dim(0).value();
    const int64_t kept = parts_.carries == 0 ? 0 : in_[parts_.kept()].dim(0).value();
    const int64_t spacing = kept == 0 ? 1 : (steps + kept - 1) / kept;
    int64_t between = 1;
    while (between < spacing) between *= 2;
    most_ = std::max<int64_t>(2, kept);
    const Tensors rows(in_.subspan(parts_.kept(), parts_.carries));
    if (between == 1 && steps > 0) {  // nothing is to be computed again
      set_carry(rows, 0);
      if (run_backwards(rows, steps)) return results();
    }
    for (int64_t segment = kept; segment-- > 0;) {
      run_segment(rows, segment, std::min(between, steps - segment * between));
    }
    return results();
  }

 private:
  // The steps from that row on: forwards once more, then backwards. As many are held at once as
  // were kept of the loop; more of them go by segments of their own.
  void run_segment(const Tensors& rows, int64_t row, int64_t steps) {
    set_carry(rows, row);
    if (steps <= most_) {
      if (!run_in_place(steps)) run_simply(steps);
      return;
    }
    const int64_t between = (steps + most_ - 1) / most_, count = (steps + between - 1) / between;
    const Tensors starts = run_over(between, count);
    for (int64_t i = count; i-- > 0;) {
      run_segment(starts, i, std::min(between, steps - i * between));
    }
  }
  // What is carried at every so manyth step from here on.
  Tensors run_over(int64_t between, int64_t count) {
    Tensors out;
    for (size_t k = 0; k < parts_.carries; ++k) {
      Shape shape(arguments_[k].shape());
      shape.insert(0, count);
      out.push_back(Tensor::empty(arguments_[k].dtype(), shape));
    }
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < out.size(); ++k) native::copy(loop_row(out[k], i), arguments_[k]);
      for (int64_t step = 0; i + 1 < count && step < between; ++step) {
        Tensors next = ir::run(*at_.body, arguments_);
        for (size_t k = 0; k < next.size(); ++k) arguments_[k] = std::move(next[k]);
      }
    }
    return out;
  }
  void run_simply(int64_t steps) {
    std::vector<Tensors> carried;
    carried.emplace_back(TensorSpan(arguments_).first(parts_.carries));
    for (int64_t i = 1; i < steps; ++i) {
      set_carry(carried.back());
      carried.push_back(ir::run(*at_.body, arguments_));
    }
    while (!carried.empty()) {
      set_carry(carried.back());
      carried.pop_back();
      Tensors in(arguments_);
      for (const Tensor& t : cotangents_) in.push_back(t);
      take_step(ir::run(*step_, in));
    }
  }

  // The same by addresses: the segment's carries are rows of stacks.
  bool run_in_place(int64_t steps) {
    Tensors stacks;
    for (size_t k = 0; k < parts_.carries; ++k) {
      Shape shape(arguments_[k].shape());
      shape.insert(0, steps);
      stacks.push_back(Tensor::empty(arguments_[k].dtype(), shape));
      native::copy(loop_row(stacks[k], 0), arguments_[k]);
      arguments_[k] = loop_row(stacks[k], 0);
    }
    return run_forwards(stacks, steps) && run_backwards(stacks, steps);
  }
  // Cotangents go back and forth between two places, and what steps give for constants is added to
  // the sums.
  bool run_backwards(const Tensors& stacks, int64_t steps) {
    make_places();
    Tensors in(arguments_);
    for (const Tensor& t : here_) in.push_back(t);
    const Shared<ir::Stepper> back = ir::stepper_of(*step_, in, types_of(all_results()));
    if (back == nullptr) return false;
    std::vector<char*> from = addresses_of(in), to = addresses_of(all_results());
    const size_t first = arguments_.size();
    for (int64_t i = steps; i-- > 0;) {
      for (size_t k = 0; k < parts_.carries; ++k) {
        from[k] = address_of(stacks[k]) + i * stacks[k].strides()[0] * size_of(stacks[k].dtype());
      }
      back->run(from.data(), to.data());
      for (size_t k = 0; k < here_.size(); ++k) std::swap(from[first + k], to[k]);
      std::swap(here_, there_);
      for (size_t k = 0; k < sums_.size(); ++k) {
        if (!eager_add_to(sums_[k], terms_[k])) sums_[k] = add(sums_[k], terms_[k]);
      }
    }
    for (size_t k = 0; k < here_.size(); ++k) cotangents_[k] = here_[k];
    return true;
  }
  bool run_forwards(const Tensors& stacks, int64_t steps) {
    if (steps == 1) return true;
    const Types types = types_of(TensorSpan(arguments_).first(parts_.carries));
    const Shared<ir::Stepper> body = ir::stepper_of(*at_.body, arguments_, types);
    if (body == nullptr) return false;
    std::vector<char*> from = addresses_of(arguments_), to(parts_.carries);
    for (int64_t i = 1; i < steps; ++i) {
      for (size_t k = 0; k < parts_.carries; ++k) {
        to[k] = address_of(stacks[k]) + i * stacks[k].strides()[0] * size_of(stacks[k].dtype());
      }
      body->run(from.data(), to.data());
      std::copy(to.begin(), to.end(), from.begin());
    }
    return true;
  }
  // Two places for each cotangent, of which one holds it, and one for each term of a sum.
  void make_places() {
    here_.clear();
    there_.clear();
    terms_.clear();
    for (const Tensor& t : cotangents_) {
      Shape shape(t.shape());
      shape.insert(0, 2);
      const Tensor both = Tensor::empty(t.dtype(), shape);
      here_.push_back(loop_row(both, 0));
      there_.push_back(loop_row(both, 1));
      native::copy(here_.back(), t);
    }
    for (const Tensor& t : sums_) terms_.push_back(Tensor::empty(t.dtype(), t.shape()));
  }
  Tensors all_results() const {
    Tensors out(there_);
    for (const Tensor& t : terms_) out.push_back(t);
    return out;
  }
  static char* address_of(const Tensor& t) { return static_cast<char*>(t.writable_data()); }
  static std::vector<char*> addresses_of(TensorSpan tensors) {
    std::vector<char*> out;
    for (const Tensor& t : tensors) out.push_back(address_of(t));
    return out;
  }
  void set_carry(const Tensors& rows, int64_t row) {
    for (size_t k = 0; k < parts_.carries; ++k) arguments_[k] = loop_row(rows[k], row);
  }
  void set_carry(const Tensors& carry) {
    for (size_t k = 0; k < parts_.carries; ++k) arguments_[k] = carry[k];
  }
  void take_step(Tensors back) {
    for (size_t i = 0; i < cotangents_.size(); ++i) cotangents_[i] = std::move(back[i]);
    for (size_t i = 0; i < sums_.size(); ++i) {
      const Tensor& term = back[cotangents_.size() + i];
      if (!eager_add_to(sums_[i], term)) sums_[i] = add(sums_[i], term);
    }
  }
  Tensors results() const {
    Tensors out;
    size_t carry = 0, constant = 0;
    for (size_t i = 0; i < parts_.wanted.size(); ++i) {
      if (i < parts_.carries) {
        if (parts_.wanted[i]) out.push_back(cotangents_[carry]);
        carry += parts_.carried[i] ? 1 : 0;
      } else if (parts_.wanted[i]) {
        out.push_back(sums_[constant++]);
      }
    }
    return out;
  }

  const WhileVjpAttrs& at_;
  const Parts parts_;
  const TensorSpan in_;
  Tensors arguments_;  // what the body is given
  int64_t most_ = 2;   // steps that are held at once
  Tensors cotangents_, sums_;
  Tensors here_, there_, terms_;  // of run_in_place
  FunctionAttr step_;
};

Tensors run(const WhileVjpAttrs& at, TensorSpan in, TypeSpan) { return Backwards(at, in).run(); }

// A step of the loop as one of a scan: [carries, mark, constants]. It asks the condition: in a
// batch the scan goes on for all examples as long as for the longest.
FunctionAttr marked_step(const WhileVjpAttrs& at, TypeSpan types) {
  const auto carries = static_cast<size_t>(at.carries);
  std::vector<Type> parameters = body_types(*at.cond);
  parameters.insert(parameters.begin() + at.carries, Type{DType::kBool, {}});
  const auto step = [&](TensorSpan all) {
    Tensors in(all.first(carries));
    for (const Tensor& t : all.subspan(carries + 1)) in.push_back(t);
    const Tensor goes_on = ir::inlined(*at.cond, in, Where())[0];
    return step_or_stay(kSwitch, at.body, carries, goes_on, in, types);
  };
  return derived(at.cond, loop_key("marked_step", at.body), types, parameters, step);
}

// The same by ordinary ops: a scan over all steps, pulled back by its own rule.
Tensors formula(const WhileVjpAttrs& at, const GradCtx& cx, TensorSpan) {
  const Parts parts(at);
  const TensorSpan given = cx.inputs.subspan(parts.inputs());
  const Tensor& marks = cx.inputs[parts.marks()];
  ScanLoopAttrs attrs;
  attrs.carries = at.carries;
  attrs.rows = 1;
  attrs.body = marked_step(at, types_of(given));
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
  return with_zeros(linear.pull(cotangents, true), leaves, cx.where);
}

Tensors batched(const WhileVjpAttrs& at, const BatchCtx& cx) {
  const Parts parts(at);
  // The loop as it ran: over the whole batch, with the examples that were done left alone.
  WhileAttrs loop_attrs;
  loop_attrs.cond = at.cond;
  loop_attrs.body = at.body;
  loop_attrs.carries = at.carries;
  Tensors given;
  InlineVector<bool, 8> flags;
  for (size_t i = parts.inputs(); i < cx.inputs.size(); ++i) {
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
  in.push_back(cx.batched[parts.marks()] ? select_row(marks, 0, cx.where) : marks);
  for (size_t k = 0; k < parts.carries; ++k) {
    in.push_back(moveaxis(cx.with_batch_axis(parts.kept() + k), Ints{0}, Ints{1}, cx.where));
  }
  for (const Tensor& t : loop.inputs) in.push_back(t);
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
    .kernel = kernel::run<run>(),
};

}  // namespace

const OpDef& while_vjp_op() { return kWhileVjp; }

Tensors while_vjp(const WhileAttrs& at, TensorSpan cotangents, TensorSpan inputs, TensorSpan saved,
                  const Flags& wanted, Where where) {
  WhileVjpAttrs attrs;
  attrs.cond = at.cond;
  attrs.body = at.body;
  attrs.carries = at.carries;
  for (const bool flag : wanted) attrs.wanted.push_back(flag ? 1 : 0);
  Tensors in(cotangents);
  for (const Tensor& t : saved) in.push_back(t);
  for (const Tensor& t : inputs) in.push_back(t);
  return spread(apply_prepared(kWhileVjp, in, &attrs, where), wanted);
}

}  // namespace weft
