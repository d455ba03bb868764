// checkpoint as an op whose inputs are all that the function reads, and whose value is given.
//
// The function runs once, under a level that sees every op and notes what comes from outside. Then
// one op takes [inputs, what came from outside, values] and gives the values; its derivatives run
// the function again, with the op's inputs in the places of what came from outside.
#include "weft/transform/checkpoint.h"

#include "weft/op/apply.h"
#include "weft/op/scope.h"
#include "weft/transform/jvp.h"
#include "weft/transform/vmap.h"

namespace weft {
namespace {

// A value inside of the function.
struct Held : Tracer {
  Tensor inner;
  Held(uint32_t level, Tensor inner);
};

const TracerType kHeld{
    "checkpoint", [](Tracer* t) noexcept { delete static_cast<Held*>(t); },
    [](const Tracer* t) -> const TensorNode* { return static_cast<const Held*>(t)->inner.node(); },
    [](const Tracer* t) -> std::string { return text("checkpoint level ", t->level); }};

Held::Held(uint32_t at, Tensor value) : Tracer(&kHeld), inner(std::move(value)) {
  level = at;
  dtype = inner.dtype();
  rank = static_cast<uint8_t>(inner.rank());
  dims = inner.shape().data();
}

// What a function read beside its inputs, found when it ran first.
struct Outside {
  std::vector<Tensor> values;       // tracers of levels around
  std::vector<Variable> variables;  // parallel to values; undefined for those that are none
  std::vector<Tensor> keys;         // draws of the default generator, in their order
};

class CheckpointLevel : public Level {
 public:
  // Without `given` it looks for what comes from outside; else those stand in its places.
  CheckpointLevel(Outside& outside, const TensorSpan* given)
      : Level(next_level_id(false)),
        outside_(outside),
        given_(given),
        scope_(context.scope),
        is_ambient_(context.tapes == 0) {}

  Tensors run(const std::function<Tensors(TensorSpan)>& f, TensorSpan in) {
    Tensors held;
    for (const Tensor& t : in) held.push_back(hold(t));
    const LevelScope scope(*this, /*takes_all=*/true);
    Tensors out = f(held);
    for (Tensor& t : out) t = inner_of(t);
    return out;
  }

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    const ScopeIs below(scope_);
    Tensors inner;
    for (const Tensor& t : in) inner.push_back(inner_of(t));
    Tensors out = compute(op, inner, attrs, where);
    for (Tensor& t : out) t = hold(t);
    return out;
  }

  bool follows_variables() const override { return true; }
  Tensor follow(const Variable& variable, const Tensor& value) override {
    for (size_t i = 0; i < outside_.variables.size(); ++i) {
      if (outside_.variables[i].id() == variable.id()) return hold(at(i));
    }
    if (given_ != nullptr) return value;
    const Tensor leaf = is_ambient_ ? ambient_leaf(variable) : value;
    if (leaf.is_concrete()) return leaf;
    outside_.values.push_back(leaf);
    outside_.variables.push_back(variable);
    return hold(leaf);
  }

  Tensor on_draw(const Tensor& key) override {
    if (given_ == nullptr) outside_.keys.push_back(key);
    return key;
  }
  Tensor drawn_before() override {
    const bool has_one = given_ != nullptr && draws_ < outside_.keys.size();
    return has_one ? outside_.keys[draws_++] : Tensor();
  }
  // A second run has its keys: the generator does not move.
  bool on_seed(const Tensor&, uint64_t) override { return given_ != nullptr; }

 private:
  Tensor hold(const Tensor& t) const { return Tensor::adopt(new Held(id, t)); }
  const Tensor& at(size_t i) const { return given_ != nullptr ? (*given_)[i] : outside_.values[i]; }

  static Tensor ambient_leaf(const Variable& variable) {
    const uint32_t tapes = std::exchange(context.tapes, 0);
    Tensor leaf = variable.read();
    context.tapes = tapes;
    return leaf;
  }

  Tensors compute(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
    if (given_ != nullptr) return apply_prepared(op, in, attrs, where);
    const NoGrad off;
    return apply_prepared(op, in, attrs, where);
  }

  // The value of an op's input below this level; what comes from outside is found in its place.
  Tensor inner_of(const Tensor& t) {
    if (t.level() == id) return static_cast<Held*>(t.node())->inner;
    if (t.is_concrete()) return t;
    for (size_t i = 0; i < outside_.values.size(); ++i) {
      if (outside_.values[i].node() == t.node()) return at(i);
    }
    if (given_ == nullptr) {
      outside_.values.push_back(t);
      outside_.variables.push_back(Variable());
    }
    return t;
  }

  Outside& outside_;
  const TensorSpan* const given_;
  Level* const scope_;     // the one around
  const bool is_ambient_;  // no tape is open around: the ambient one follows Variables
  size_t draws_ = 0;
};

struct CheckpointAttrs {
  Shared<const CheckpointedCall> again;  // of [inputs, outside]
};

constexpr AttrsType kAttrs{sizeof(CheckpointAttrs),
                           alignof(CheckpointAttrs),
                           {},
                           [](void* at) { new (at) CheckpointAttrs; },
                           [](void* at, const void* from) {
                             new (at) CheckpointAttrs(*static_cast<const CheckpointAttrs*>(from));
                           },
                           [](void* at) { static_cast<CheckpointAttrs*>(at)->~CheckpointAttrs(); }};

// The values are given, behind what it was computed from.
Types infer_values(const CheckpointAttrs& attrs, const InferCtx&, TypeSpan in) {
  const TypeSpan values = in.subspan(attrs.again->inputs);
  return Types(values.begin(), values.end());
}

Tensors values_of(const CheckpointAttrs& attrs, TensorSpan in, TypeSpan) {
  return Tensors(in.subspan(attrs.again->inputs));
}

// The function of those inputs that are differentiated.
Tensors vjp(const CheckpointAttrs& attrs, const GradCtx& cx, TensorSpan cotangents) {
  const CheckpointedCall& again = *attrs.again;
  Tensors in(cx.inputs.first(again.inputs)), chosen;
  std::vector<size_t> places;
  for (size_t i = 0; i < again.inputs; ++i) {
    if (!cx.wanted[i]) continue;
    places.push_back(i);
    chosen.push_back(in[i]);
  }
  const auto of_chosen = [&](TensorSpan values) {
    for (size_t j = 0; j < places.size(); ++j) in[places[j]] = values[j];
    return again.run(in);
  };
  const Linearization line(of_chosen, chosen, cx.where);
  const Tensors slopes = line.pull(cotangents, /*last=*/true);
  Tensors out(cx.inputs.size());
  for (size_t j = 0; j < places.size(); ++j) out[places[j]] = slopes[j];
  return out;
}

Tensors jvp(const CheckpointAttrs& attrs, const GradCtx& cx, TensorSpan tangents) {
  const CheckpointedCall& again = *attrs.again;
  const auto run = [&](TensorSpan in) { return again.run(in); };
  return jvp_flat(run, cx.inputs.first(again.inputs), tangents.first(again.inputs), cx.where)
      .tangents;
}

extern const OpDef kCheckpoint;

// The values are there; what runs again runs for the whole batch.
Tensors batched(const CheckpointAttrs& attrs, const BatchCtx& cx) {
  auto again = new_shared<CheckpointedCall>();
  again->inputs = attrs.again->inputs;
  FlatVmapOptions options;
  for (size_t i = 0; i < again->inputs; ++i) {
    options.in_axes.push_back(cx.batched[i] ? std::optional<int64_t>(0) : std::nullopt);
  }
  options.axis_size = cx.size.value();
  options.axis_name = cx.axis_name;
  again->run = [one = attrs.again, options, where = cx.where](TensorSpan in) {
    return vmap_flat(one->run, in, options, where);
  };
  Tensors in(cx.inputs);
  for (size_t i = again->inputs; i < in.size(); ++i) in[i] = cx.with_batch_axis(i);
  const CheckpointAttrs whole{std::move(again)};
  return apply_prepared(kCheckpoint, in, &whole, cx.where);
}

constinit const OpDef kCheckpoint{
    .name = "checkpoint",
    .doc = "The values of a function that runs again when its derivatives are needed.",
    .inputs = {"xs...: any"},
    .outputs = {"out...: any"},
    .attrs = &kAttrs,
    .infer = rule<infer_values>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<values_of>(),
};

}  // namespace

const CheckpointedCall* checkpointed_call_of(const OpDef& op, const void* attrs) {
  return &op == &kCheckpoint ? static_cast<const CheckpointAttrs*>(attrs)->again.get() : nullptr;
}

Tensors checkpoint_flat(std::function<Tensors(TensorSpan)> f, TensorSpan in, Where where) {
  const auto outside = new_shared<Outside>();
  const Tensors values = CheckpointLevel(*outside, nullptr).run(f, in);
  const auto again = new_shared<CheckpointedCall>();
  const size_t count = in.size();
  again->inputs = count + outside->values.size();
  again->run = [f = std::move(f), outside, count](TensorSpan all) {
    const TensorSpan given = all.subspan(count);
    return CheckpointLevel(*outside, &given).run(f, all.first(count));
  };
  Tensors all(in);
  for (const Tensor& t : outside->values) all.push_back(t);
  for (const Tensor& t : values) all.push_back(t);
  const CheckpointAttrs attrs{again};
  return apply_prepared(kCheckpoint, all, &attrs, where);
}

}  // namespace weft
