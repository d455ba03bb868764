// The batching level: the batch axis is in front of every value inside; ops run by their rules.
#include "weft/transform/vmap.h"

#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/scope.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/random/key.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/transform/custom_call.h"

namespace weft {
namespace {

struct Batched : Tracer {
  Tensor inner;
  const OpDef* op;  // that made it; null: an argument
  Where where;
  Batched(uint32_t level, Tensor inner, const OpDef* op, Where where);
};

const TracerType kBatched{"vmap", [](Tracer* t) noexcept { delete static_cast<Batched*>(t); },
                          [](const Tracer*) -> const TensorNode* { return nullptr; },
                          [](const Tracer* t) -> std::string {
                            const auto& b = *static_cast<const Batched*>(t);
                            return describe_tracer("vmap", b.level, b.op, b.where);
                          }};

Batched::Batched(uint32_t at, Tensor value, const OpDef* op, Where where)
    : Tracer(&kBatched), inner(std::move(value)), op(op), where(line_for_user(where)) {
  level = at;
  dtype = inner.dtype();
  rank = static_cast<uint8_t>(inner.rank() - 1);
  dims = inner.shape().data() + 1;
}

class VmapLevel : public Level {
 public:
  VmapLevel(Dim size, const FlatVmapOptions& options)
      : Level(next_level_id(false)), size(size), options_(options) {}

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    Tensors inner;
    InlineVector<bool, 8> batched;
    for (const Tensor& t : in) {
      batched.push_back(t.level() == id);
      inner.push_back(t.level() == id ? static_cast<Batched*>(t.node())->inner : t);
    }
    bool is_shared = false;
    Tensors out = call_batch(op, attrs, BatchCtx{inner, batched, size, where, &is_shared, name()});
    for (Tensor& t : out) t = is_shared ? t : wrap(t, &op, where);
    if (const Shared<CustomCall> call = custom_call_of(op, attrs)) {
      call->wrap_saved([&](const Tensor& t) { return wrap(t, &op, where); });
    }
    return out;
  }
  Tensor on_draw(const Tensor& key) override {
    switch (options_.randomness) {
      case Randomness::kSame: return key;
      case Randomness::kDifferent:
        return wrap(random::Key(key).split(size.value()).words(), nullptr, Where());
      case Randomness::kRaise: break;
    }
    fail(Code::kInvalid, "vmap", "randomness",
         "a draw of the default generator: should examples share it? Say so by the option "
         "randomness "
         "(same or different), or draw from a key of your own for each example");
  }
  std::string_view name() const { return options_.axis_name; }
  Tensor wrap(const Tensor& inner, const OpDef* op, Where where) const {
    return Tensor::adopt(new Batched(id, inner, op, where));
  }
  Tensor example_numbers(Where where) const {
    const ScopeIs none(nullptr);  // a value of this level, whatever is staged inside it
    return wrap(arange(Tensor(size.value()), where), nullptr, where);
  }

  const Dim size;

 private:
  const FlatVmapOptions& options_;
};

// psum: x, and the number of the example, which makes the level of the axis take part whatever x
// is.
Types psum_infer(const NoAttrs&, const InferCtx&, TypeSpan in) { return {in[0]}; }

Tensors psum_run(const NoAttrs&, TensorSpan, TypeSpan) {
  fail(Code::kInternal, "psum", "level", "an axis that is no level");
}

extern const OpDef kPsum;

Tensors psum_linear(const NoAttrs&, const GradCtx& cx, TensorSpan g) {
  return {apply_prepared(kPsum, inputs(g[0], cx.inputs[1]), &kNoAttrs, cx.where)[0], Tensor()};
}

Tensors psum_batch(const NoAttrs&, const BatchCtx& cx) {
  if (!cx.batched[1]) return apply_prepared(kPsum, cx.inputs, &kNoAttrs, cx.where);
  *cx.is_shared = true;
  if (cx.batched[0]) return {sum(cx.inputs[0], Ints{0}, false, cx.where)};
  return {multiply(cx.inputs[0], static_cast<double>(cx.size.value()), cx.where)};
}

constinit const OpDef kPsum{
    .name = "psum",
    .doc = "The sum over the examples of a named axis.",
    .inputs = {"x: numeric", "index: integer"},
    .outputs = {"out: like x"},
    .infer = rule<psum_infer>(),
    .grad = derive::linear<psum_linear>().except(1, "it is the number of the example"),
    .batch = batch::rule<psum_batch>(),
    .kernel = kernel::host<psum_run>(),
};

VmapLevel& level_named(std::string_view name, std::string_view who) {
  const std::span<Level* const> levels = open_levels();
  for (size_t i = levels.size(); i-- > 0;) {
    auto* const level = dynamic_cast<VmapLevel*>(levels[i]);
    if (level != nullptr && level->name() == name && !name.empty()) return *level;
  }
  fail(Code::kInvalid, who, "axis_name", "no vmap with axis_name \"", name,
       "\" is open here; give vmap that name");
}

// `x` with one axis moved elsewhere.
Tensor moved(const Tensor& x, int64_t from, int64_t to, Where where) {
  Ints axes;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i != from) axes.push_back(i);
  }
  axes.insert(static_cast<size_t>(to), from);
  return permute_dims(x, axes, where);
}

// The axis of `x` that is given, in front.
Tensor to_front(const Tensor& x, int64_t axis, size_t input, Where where) {
  const int64_t at = normalized(axis, x.rank());
  if (at < 0 || at >= x.rank()) {
    fail(Code::kIndex, "vmap", "in_axes", "in_axes gives axis ", axis, " for input ", input,
         ", whose shape is ", x.shape());
  }
  return at == 0 ? x : moved(x, at, 0, where);
}

}  // namespace

Tensor axis_index(std::string_view axis_name, Where where) {
  return level_named(axis_name, "axis_index").example_numbers(where);
}

Tensor psum(const Tensor& x, std::string_view axis_name, Where where) {
  const Tensor index = level_named(axis_name, "psum").example_numbers(where);
  return apply_prepared(kPsum, inputs(x, index), &kNoAttrs, where)[0];
}

Tensor pmean(const Tensor& x, std::string_view axis_name, Where where) {
  const Dim size = level_named(axis_name, "pmean").size;
  return divide(psum(x, axis_name, where), static_cast<double>(size.value()), where);
}

BatchAxes spread_axes(std::span<const TreeAxes> axes, std::span<const size_t> part_sizes,
                      std::string_view what, std::string_view parts) {
  if (axes.size() > 1 && axes.size() != part_sizes.size()) {
    fail(Code::kInvalid, "vmap", what, what, " has ", axes.size(), " entries, but there are ",
         part_sizes.size(), " ", parts, "; give one for all, or one for each");
  }
  BatchAxes out;
  for (size_t i = 0; i < part_sizes.size(); ++i) {
    const TreeAxes part = axes.empty() ? TreeAxes(0) : axes[axes.size() == 1 ? 0 : i];
    if (!part.is_list) {
      out.insert(out.end(), part_sizes[i], part.axes[0]);
      continue;
    }
    if (part.axes.size() != part_sizes[i]) {
      fail(Code::kInvalid, "vmap", what, what, " has a list of ", part.axes.size(), " for entry ",
           i, " of the ", parts, ", which has ", part_sizes[i],
           " leaves; give one axis for all of them, or one for each");
    }
    out.insert(out.end(), part.axes.begin(), part.axes.end());
  }
  return out;
}

Tensors vmap_flat(FlatFunction f, TensorSpan in, const FlatVmapOptions& options, Where where) {
  WEFT_ASSERT(options.in_axes.size() == in.size(), options.in_axes.size(), in.size());
  Tensors moved_in(in.begin(), in.end());
  std::optional<Dim> size;
  if (options.axis_size) size = Dim(*options.axis_size);
  for (size_t i = 0; i < in.size(); ++i) {
    if (!options.in_axes[i]) continue;
    moved_in[i] = to_front(in[i], *options.in_axes[i], i, where);
    const Dim here = moved_in[i].shape()[0];
    if (size && decide_same(*size, here) == Tri::kNo) {
      fail(Code::kInvalid, "vmap", "size", "input ", i, " has ", here, " examples along axis ",
           *options.in_axes[i], " but the batch has ", *size, "; batched inputs agree in size");
    }
    size = here;
  }
  if (!size) {
    fail(Code::kInvalid, "vmap", "size",
         "no input is batched, so the size of the batch is unknown; give axis_size");
  }
  VmapLevel level(*size, options);
  for (size_t i = 0; i < in.size(); ++i) {
    if (options.in_axes[i]) moved_in[i] = level.wrap(moved_in[i], nullptr, where);
  }
  const LevelScope scope(level);
  Tensors out = f(moved_in);
  check_outputs(out, "vmap");
  for (size_t k = 0; k < out.size(); ++k) {
    const bool is_batched = out[k].level() == level.id;
    const std::optional<int64_t> axis =
        k < options.out_axes.size() ? options.out_axes[k] : std::optional<int64_t>(0);
    if (!axis) {
      if (is_batched) {
        fail(Code::kInvalid, "vmap", "out_axes", "output ", k,
             " differs between examples, but out_axes says that it has no batch axis");
      }
      continue;
    }
    const Tensor inner = is_batched ? static_cast<Batched*>(out[k].node())->inner : Tensor();
    if (is_batched) {
      out[k] = inner;
    } else {
      Shape shape{*size};
      for (const Dim dim : out[k].shape()) shape.push_back(dim);
      out[k] = broadcast_to(out[k], shape, where);
    }
    const int64_t at = normalized(*axis, out[k].rank());
    if (at < 0 || at >= out[k].rank()) {
      fail(Code::kIndex, "vmap", "out_axes", "out_axes gives axis ", *axis, " for output ", k,
           ", whose batched shape is ", out[k].shape());
    }
    if (at != 0) out[k] = moved(out[k], 0, at, where);
  }
  return out;
}

}  // namespace weft
