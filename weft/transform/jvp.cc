// The forward level: primals one level down, tangents by the ops' rules, symbolic zeros.
#include "weft/transform/jvp.h"

#include "weft/op/apply.h"
#include "weft/op/vjp_op.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct Dual : Tracer {
  Tensor primal, tangent;
  const OpDef* op;  // that made it; null: an argument
  Where where;
  Dual(uint32_t level, Tensor primal, Tensor tangent, const OpDef* op, Where where);
};

const TracerType kDual{
    "jvp", [](Tracer* t) noexcept { delete static_cast<Dual*>(t); },
    [](const Tracer* t) -> const TensorNode* { return static_cast<const Dual*>(t)->primal.node(); },
    [](const Tracer* t) -> std::string {
      const auto& dual = *static_cast<const Dual*>(t);
      return describe_tracer("jvp", dual.level, dual.op, dual.where);
    }};

Dual::Dual(uint32_t at, Tensor value, Tensor along, const OpDef* op, Where where)
    : Tracer(&kDual),
      primal(std::move(value)),
      tangent(std::move(along)),
      op(op),
      where(line_for_user(where)) {
  level = at;
  dtype = primal.dtype();
  rank = static_cast<uint8_t>(primal.rank());
  dims = primal.shape().data();
}

Tensor dual(uint32_t level, const Tensor& primal, const Tensor& tangent, const OpDef* op,
            Where where) {
  return tangent.defined() ? Tensor::adopt(new Dual(level, primal, tangent, op, where)) : primal;
}

Dual* dual_of(const Tensor& t, uint32_t level) {
  return t.level() == level ? static_cast<Dual*>(t.node()) : nullptr;
}

class JvpLevel : public Level {
 public:
  JvpLevel() : Level(next_level_id(false)) {}

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    Tensors primals, tangents;
    InlineVector<bool, 8> wanted;
    for (size_t i = 0; i < in.size(); ++i) {
      Dual* const node = dual_of(in[i], id);
      primals.push_back(node != nullptr ? node->primal : in[i]);
      const bool has = node != nullptr && no_gradient_reason(op, i).empty();
      tangents.push_back(has ? node->tangent : Tensor());
      wanted.push_back(has);
    }
    Tensors out = apply_prepared(op, primals, attrs, where);
    const Tensors along = tangents_of(op, in, primals, tangents, wanted, out, attrs, where);
    for (size_t k = 0; k < out.size(); ++k) {
      if (k < along.size()) out[k] = dual(id, out[k], along[k], &op, where);
    }
    return out;
  }

 private:
  Tensors tangents_of(const OpDef& op, TensorSpan in, TensorSpan primals, TensorSpan tangents,
                      std::span<const bool> wanted, TensorSpan out, const void* attrs,
                      Where where) {
    if (op.grad.kind == GradKind::kNotDifferentiable || !is_recording(id)) return {};
    if (op.grad.kind == GradKind::kComposed) {
      Tensors along;
      for (const Tensor& t : composed_formula(op, in, attrs, where)) {
        Dual* const node = dual_of(t, id);
        along.push_back(node != nullptr ? node->tangent : Tensor());
      }
      return along;
    }
    bool any = false;
    for (const Tensor& t : tangents) any |= t.defined();
    if (!any) return {};
    return call_jvp(op, attrs, GradCtx{primals, out, wanted, where}, tangents);
  }
};

void check_tangent(const Tensor& primal, const Tensor& tangent, size_t i) {
  if (!tangent.defined()) return;
  if (tangent.dtype() == primal.dtype() && same(tangent.shape(), primal.shape()) != Tri::kNo)
    return;
  fail(Code::kType, "jvp", "tangent", "tangent ", i, " is ", tangent.type(), " but primal ", i,
       " is ", primal.type(), "; they must have one dtype and shape");
}

}  // namespace

Tensor without_ended_levels(Tensor t) {
  while (t.defined() && t.level() > kTapeLevel && find_level(t.level()) == nullptr) {
    Tensor below = value_below(t);
    if (!below.defined()) break;
    t = std::move(below);
  }
  return t;
}

Tensor detach(const Tensor& x, Where where) {
  if (!x.defined()) fail(Code::kType, "detach", "input", "the tensor is undefined");
  Tensor t = x;
  while (!t.is_concrete() && is_tape_level(t.level())) t = value_below(t);
  return t.is_concrete() ? t : stop_gradient(t, where);
}

JvpResult jvp_flat(FlatFunction f, TensorSpan primals, TensorSpan tangents, Where where) {
  if (primals.size() != tangents.size()) {
    fail(Code::kType, "jvp", "count", "there are ", primals.size(), " primals but ",
         tangents.size(), " tangents; each primal has one");
  }
  JvpLevel level;
  Tensors in;
  for (size_t i = 0; i < primals.size(); ++i) {
    check_tangent(primals[i], tangents[i], i);
    in.push_back(dual(level.id, primals[i], tangents[i], nullptr, where));
  }
  JvpResult out;
  const LevelScope scope(level);
  const Tensors values = f(in);
  check_outputs(values, "jvp");
  for (const Tensor& t : values) {
    Dual* const node = dual_of(t, level.id);
    out.outputs.push_back(node != nullptr ? node->primal : t);
    out.tangents.push_back(node != nullptr ? node->tangent : Tensor());
  }
  return out;
}

}  // namespace weft
