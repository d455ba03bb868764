// GradientTape: a grad level that stays open, and sees Variables when they are read.
#include "weft/transform/tape.h"

#include <optional>
#include <unordered_map>

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/op/hooks.h"
#include "weft/transform/cotangent.h"
#include "weft/transform/jacobian.h"
#include "weft/transform/left_out.h"
#include "weft/transform/sweep.h"

namespace weft {

class GradientTape::Recorder : public GradLevel {
 public:
  explicit Recorder(Options options) : GradLevel(/*is_tape=*/true), options(options) {}

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    if (!is_paused) return grad_step(id, op, in, attrs, where);
    const NoGrad no_grad;
    return grad_step(id, op, in, attrs, where);
  }
  bool follows_variables() const override { return true; }
  Tensor follow(const Variable& variable, const Tensor& value) override {
    if (is_paused) return value;
    const auto known = leaves.find(variable.id());
    if (known != leaves.end() && value_below(known->second.leaf).node() == value.node()) {
      return known->second.leaf;
    }
    const bool is_asked_for = options.watch_accessed_variables && variable.trainable();
    if (!is_asked_for && known == leaves.end()) return value;
    return follow_anew(variable, value);
  }
  Tensor follow_anew(const Variable& variable, const Tensor& value) {
    Tensor leaf = make_leaf(id, value, Where());
    grad_node(leaf)->of_variable = true;
    VariableHooks::attach(variable, leaf);
    leaves.insert_or_assign(variable.id(), Followed{variable, leaf});
    return leaf;
  }

  bool is_open_elsewhere() const { return scope && find_level(id) != this; }

  struct Followed {
    Variable variable;  // keeps the id from being given to another one
    Tensor leaf;
  };
  const Options options;
  std::unordered_map<const void*, Followed> leaves;
  std::optional<LevelScope> scope;
  bool is_paused = false;
  bool is_used = false;  // a gradient was taken
};

GradientTape::GradientTape(Options options, Where) : recorder_(new Recorder(options)) {
  recorder_->scope.emplace(*recorder_);
}

GradientTape::~GradientTape() {
  if (recorder_->is_open_elsewhere()) return;  // that thread still uses it
  recorder_->scope.reset();
  delete recorder_;
}

void GradientTape::stop() {
  if (recorder_->is_open_elsewhere()) {
    fail(Code::kInvalid, "GradientTape.stop", "thread",
         "the tape began on another thread; end it where it began");
  }
  recorder_->scope.reset();
}
void GradientTape::pause() { recorder_->is_paused = true; }
void GradientTape::resume() { recorder_->is_paused = false; }

namespace {

void check_watched(DType dtype, std::string_view what) {
  if (is_differentiable(dtype)) return;
  fail(Code::kType, "GradientTape.watch", "dtype", "the ", what, " has dtype ", dtype,
       ", which has no derivatives; cast it to a floating dtype");
}

}  // namespace

void GradientTape::watch(Tensor& x, Where where) {
  if (!x.defined()) fail(Code::kType, "GradientTape.watch", "input", "the tensor is undefined");
  check_watched(x.dtype(), "tensor");
  if (x.level() != recorder_->id) x = make_leaf(recorder_->id, x, where);
}

void GradientTape::watch(const Variable& variable) {
  check_watched(variable.dtype(), "Variable");
  recorder_->follow_anew(variable, variable.value());
}

Tensor GradientTape::leaf_of(const Variable& variable) const {
  const auto known = recorder_->leaves.find(variable.id());
  return known == recorder_->leaves.end() ? variable.value() : known->second.leaf;
}

namespace {

// Why a source has no gradient.
std::string why_unconnected(const Tensor& leaf, TensorSpan targets, uint32_t level) {
  const auto no_derivatives = [](const Tensor& t) {
    return text("has dtype ", t.dtype(), ", which has no derivatives");
  };
  if (leaf.defined() && !is_differentiable(leaf.dtype())) return "it " + no_derivatives(leaf);
  for (const Tensor& t : targets) {
    if (t.level() == level && grad_node(t)->is_stop()) {
      return text("the path from the target ends ", describe_stop(grad_node(t)->record()));
    }
    if (!is_differentiable(t.dtype())) return "the target " + no_derivatives(t);
  }
  if (!leaf.defined() || leaf.level() != level) {
    return "nothing that the tape recorded used it (it follows trainable Variables that are read "
           "while it records, and what it is told to watch)";
  }
  if (!LeftOut::last().empty()) return LeftOut::last();
  return "no recorded op leads from it to a target";
}

[[noreturn]] void fail_unconnected(size_t source, const Tensor& leaf, TensorSpan targets,
                                   uint32_t level, Where where) {
  fail_at(where, Code::kInvalid, "GradientTape.gradient", "unconnected",
          "there is no gradient for source ", source, ": ", why_unconnected(leaf, targets, level),
          "; if that is meant, ask for zeros (the option unconnected)");
}

// Values as this tape knows them: those that a tape inside it follows, too, lie on top of them.
Tensors without_inner_tapes(TensorSpan values, uint32_t level) {
  Tensors out(values.begin(), values.end());
  for (Tensor& t : out) {
    while (t.defined() && t.level() > level && is_tape_level(t.level())) t = value_below(t);
  }
  return out;
}

// None at all, or one for each target, of its type.
void check_cotangents(TensorSpan targets, TensorSpan cotangents) {
  if (!cotangents.empty() && cotangents.size() != targets.size()) {
    fail(Code::kInvalid, "GradientTape.gradient", "count", "there are ", cotangents.size(),
         " output gradients for ", targets.size(), " targets; give one for each");
  }
  for (size_t k = 0; k < cotangents.size(); ++k) {
    if (!cotangents[k].defined()) continue;
    const bool fits = cotangents[k].dtype() == targets[k].dtype() &&
                      same(cotangents[k].shape(), targets[k].shape()) != Tri::kNo;
    if (!fits) {
      fail(Code::kType, "GradientTape.gradient", "cotangent", "output gradient ", k, " is ",
           cotangents[k].type(), " but target ", k, " is ", targets[k].type(),
           "; they must have one dtype and shape");
    }
  }
}

}  // namespace

Tensors GradientTape::gradient(TensorSpan targets, TensorSpan sources, TensorSpan cotangents,
                               Unconnected unconnected, Where where) {
  Recorder& recorder = *recorder_;
  if (recorder.is_used && !recorder.options.persistent) {
    fail(Code::kInvalid, "GradientTape.gradient", "once",
         "a gradient was already taken of this tape, which freed it; make it persistent to take "
         "several");
  }
  check_cotangents(targets, cotangents);
  const Tensors lowered_targets = without_inner_tapes(targets, recorder.id);
  const Tensors lowered_sources = without_inner_tapes(sources, recorder.id);
  targets = lowered_targets;
  sources = lowered_sources;
  recorder.is_used = true;
  Sweep sweep(recorder.id, {.keep_records = recorder.options.persistent});
  for (size_t k = 0; k < targets.size(); ++k) {
    const Tensor& target = targets[k];
    if (target.level() != recorder.id || grad_node(target)->is_stop()) continue;
    const bool given = k < cotangents.size() && cotangents[k].defined();
    if (!given) require_real(target, "GradientTape.gradient");
    sweep.start(target, given ? cotangents[k]
                              : broadcast_to(Tensor::scalar(target.dtype(), 1),
                                             Shape(target.shape()), where));
  }
  for (const Tensor& source : sources) {
    if (source.defined() && source.level() == recorder.id) sweep.watch(source);
  }
  LeftOut::clear();
  sweep.run();
  Tensors out;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Tensor& source = sources[i];
    const bool watched = source.defined() && source.level() == recorder.id;
    out.push_back(watched ? sweep.gradient_of(source) : Tensor());
    if (out.back().defined() && !recorder.leaves.empty()) {
      out.back() = made_by_tape(out.back(), nullptr, where);
    }
    if (out.back().defined() || unconnected == Unconnected::kNone) continue;
    if (unconnected == Unconnected::kRaise || !source.defined()) {
      fail_unconnected(i, source, targets, recorder.id, where);
    }
    out.back() = zeros(Shape(source.shape()), source.dtype(), where);
  }
  return out;
}

Tensor GradientTape::gradient(const Tensor& target, const Tensor& source, Where where) {
  return gradient({&target, 1}, {&source, 1}, {}, Unconnected::kRaise, where)[0];
}

Tensor GradientTape::gradient(const Tensor& target, const Variable& source, Where where) {
  return gradient(target, leaf_of(source), where);
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const std::vector<Variable>& sources, Where where) {
  Tensors leaves;
  for (const Variable& source : sources) leaves.push_back(leaf_of(source));
  const Tensors out = gradient({&target, 1}, leaves, {}, Unconnected::kRaise, where);
  return {out.begin(), out.end()};
}

Tensors GradientTape::jacobian(const Tensor& target, TensorSpan sources, Unconnected unconnected,
                               Where where) {
  const auto pull = [&](TensorSpan direction) {
    return gradient({&target, 1}, sources, direction, unconnected, where);
  };
  return rows_of(target, sources, pull, where);
}

Tensor GradientTape::jacobian(const Tensor& target, const Tensor& source, Where where) {
  return jacobian(target, {&source, 1}, Unconnected::kRaise, where)[0];
}

Tensor GradientTape::jacobian(const Tensor& target, const Variable& source, Where where) {
  return jacobian(target, leaf_of(source), where);
}

Tensor GradientTape::batch_jacobian(const Tensor& target, const Tensor& source,
                                    Unconnected unconnected, Where where) {
  const auto fits = [&] {
    return target.rank() > 0 && source.rank() > 0 &&
           same(target.shape()[0], source.shape()[0]) != Tri::kNo;
  };
  if (source.defined() && !fits()) {
    fail_at(where, Code::kInvalid, "GradientTape.batch_jacobian", "batch", "the target is ",
            target.type(), " and the source ", source.type(),
            "; both have the examples along axis 0");
  }
  const auto pull = [&](TensorSpan direction) {
    return gradient({&target, 1}, {&source, 1}, direction, unconnected, where);
  };
  return batch_rows_of(target, {&source, 1}, pull, where)[0];
}

}  // namespace weft
