// Recording a call, and running the record by the rules of its ops.
#include "tests/op_suite/trace.h"

#include <algorithm>
#include <memory>

#include "tests/op_suite/arrays.h"
#include "weft/op/builtin.h"

namespace weft::suite {
namespace {

struct TracerNode : Tracer {
  size_t id = 0;
  Shape shape;
  TracerNode();
};

const TracerType kTraced{"traced", [](Tracer* t) noexcept { delete static_cast<TracerNode*>(t); },
                         [](const Tracer*) -> const Node* { return nullptr; },
                         [](const Tracer*) -> std::string { return "traced by the op suite"; }};

TracerNode::TracerNode() : Tracer(&kTraced) {}

// Flags as rules take them; std::vector<bool> has no memory to point to.
class Flags {
 public:
  explicit Flags(size_t size) : size_(size), flags_(std::make_unique<bool[]>(size)) {}
  bool& operator[](size_t i) { return flags_[i]; }
  operator std::span<const bool>() const { return {flags_.get(), size_}; }  // NOLINT

 private:
  size_t size_;
  std::unique_ptr<bool[]> flags_;
};

bool is_inexact(const Tensor& t) { return is_floating(t.dtype()) || is_complex(t.dtype()); }

void accumulate(Tensor& sum, const Tensor& term) {
  if (term.defined()) sum = sum.defined() ? add(sum, term) : term;
}

// Only the types: what staging a graph will do.
class TypeLevel : public Level {
 public:
  TypeLevel() : Level(next_level_id(false)) {}
  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where) override {
    Types types;
    for (const Tensor& t : in) types.push_back(t.type());
    Tensors out;
    for (const Type& type : infer_types(op, types, attrs)) {
      out.push_back(make_tracer(id, 0, type));
    }
    return out;
  }
};

}  // namespace

Tensor make_tracer(uint32_t level, size_t id, const Type& type) {
  auto* const node = new TracerNode;
  node->level = level;
  node->id = id;
  node->dtype = type.dtype;
  node->shape = type.shape;
  node->rank = static_cast<uint8_t>(type.rank());
  node->dims = node->shape.data();
  return Tensor::adopt(node);
}

size_t tracer_id(const Tensor& tracer) { return static_cast<const TracerNode*>(tracer.node())->id; }

Trace::Trace(const OpEntry& entry, TensorSpan in, const void* attrs)
    : Level(next_level_id(false)), inputs_(in.size()) {
  const LevelScope scope(*this);
  Tensors tracers;
  for (const Tensor& t : in) {
    tracers.push_back(make_tracer(id, values_.size(), t.type()));
    values_.push_back(t);
  }
  for (const Tensor& out : run(entry, tracers, attrs)) outputs_.push_back(id_of(out));
}

size_t Trace::id_of(const Tensor& t) {
  if (t.level() == id) return tracer_id(t);
  values_.push_back(t);
  return values_.size() - 1;
}

Tensors Trace::interpret(const OpDef& op, TensorSpan in, const void* attrs, Where) {
  Step step{&op, AnyAttrs(entry_of(op).attrs, attrs), {}, {}};
  for (const Tensor& t : in) step.in.push_back(id_of(t));
  Tensors out;
  for (const Tensor& value : eager_compute(op, values_at(step.in, values_), attrs)) {
    step.out.push_back(values_.size());
    out.push_back(make_tracer(id, values_.size(), value.type()));
    values_.push_back(value);
  }
  steps_.push_back(std::move(step));
  return out;
}

Tensors Trace::values_at(const std::vector<size_t>& ids, const std::vector<Tensor>& of) const {
  Tensors out;
  for (size_t at : ids) out.push_back(of[at]);
  return out;
}

Tensors Trace::outputs() const { return values_at(outputs_, values_); }

std::vector<bool> Trace::active(std::span<const bool> wanted) const {
  std::vector<bool> out(values_.size());
  std::copy(wanted.begin(), wanted.end(), out.begin());
  for (const Step& step : steps_) {
    bool any = false;
    for (size_t i = 0; i < step.in.size(); ++i) {
      any |= out[step.in[i]] && no_gradient_reason(*step.op, i).empty();
    }
    for (size_t at : step.out) out[at] = any && is_inexact(values_[at]);
  }
  return out;
}

Tensors Trace::jvp(TensorSpan tangents) const {
  Flags wanted(tangents.size());
  std::vector<Tensor> all(values_.size());
  for (size_t i = 0; i < tangents.size(); ++i) {
    wanted[i] = tangents[i].defined();
    all[i] = tangents[i];
  }
  const std::vector<bool> changes = active(wanted);
  for (const Step& step : steps_) {
    if (!changes[step.out[0]]) continue;
    Flags own(step.in.size());
    Tensors in(step.in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      own[i] = changes[step.in[i]] && no_gradient_reason(*step.op, i).empty();
      if (own[i]) in[i] = all[step.in[i]];
    }
    const Tensors inputs = values_at(step.in, values_), outputs = values_at(step.out, values_);
    const GradCtx cx{inputs, outputs, own, Where{}};
    const Tensors out = call_jvp(*step.op, step.attrs.data(), cx, in);
    for (size_t k = 0; k < out.size(); ++k) all[step.out[k]] = out[k];
  }
  return values_at(outputs_, all);
}

Tensors Trace::vjp(std::span<const bool> wanted, TensorSpan cotangents) const {
  const std::vector<bool> changes = active(wanted);
  std::vector<Tensor> all(values_.size());
  for (size_t k = 0; k < outputs_.size(); ++k) accumulate(all[outputs_[k]], cotangents[k]);
  for (size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    if (!changes[step.out[0]]) continue;
    Flags own(step.in.size());
    for (size_t i = 0; i < step.in.size(); ++i) {
      own[i] = changes[step.in[i]] && no_gradient_reason(*step.op, i).empty();
    }
    const Tensors inputs = values_at(step.in, values_), outputs = values_at(step.out, values_);
    const GradCtx cx{inputs, outputs, own, Where{}};
    const Tensors back = call_vjp(*step.op, step.attrs.data(), cx, values_at(step.out, all));
    for (size_t i = 0; i < back.size(); ++i) accumulate(all[step.in[i]], back[i]);
  }
  Tensors out(inputs_);
  for (size_t i = 0; i < inputs_; ++i) {
    if (wanted[i]) out[i] = all[i];
  }
  return out;
}

Tensors Trace::batch(TensorSpan in, std::span<const bool> batched, int64_t size,
                     std::vector<bool>* out_batched) const {
  std::vector<Tensor> all = values_;
  std::vector<bool> has_batch(values_.size());
  for (size_t i = 0; i < in.size(); ++i) {
    all[i] = in[i];
    has_batch[i] = batched[i];
  }
  for (const Step& step : steps_) {
    Flags own(step.in.size());
    bool any = false;
    for (size_t i = 0; i < step.in.size(); ++i) any |= own[i] = has_batch[step.in[i]];
    if (!any) continue;
    const Tensors inputs = values_at(step.in, all);
    const Tensors out = call_batch(*step.op, step.attrs.data(), {inputs, own, size, Where{}});
    for (size_t k = 0; k < out.size(); ++k) {
      all[step.out[k]] = out[k];
      has_batch[step.out[k]] = true;
    }
  }
  out_batched->clear();
  for (size_t at : outputs_) out_batched->push_back(has_batch[at]);
  return values_at(outputs_, all);
}

Types types_through(const OpEntry& entry, TypeSpan in, const void* attrs) {
  if (entry.op != nullptr) return infer_types(*entry.op, in, attrs);
  TypeLevel level;
  const LevelScope scope(level, /*takes_all=*/true);
  Tensors tracers;
  for (const Type& type : in) tracers.push_back(make_tracer(level.id, 0, type));
  Types out;
  for (const Tensor& t : run(entry, tracers, attrs)) out.push_back(t.type());
  return out;
}

}  // namespace weft::suite
