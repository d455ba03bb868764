// repeat: each element of an axis several times, one after the other.
#include "weft/op/apply.h"
#include "weft/op/scope.h"
#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/arrange.h"
#include "weft/ops/shape/index_at.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct RepeatAttrs {
  std::optional<int64_t> axis;
  static constexpr auto fields = fields_of(field(
      "axis", &RepeatAttrs::axis, "the axis to repeat along; the flattened tensor if left out"));
};

Tensor by_one_number(const Tensor& x, Dim times, int64_t axis) {
  const auto at = static_cast<size_t>(axis) + 1;
  Shape apart(x.shape()), out(x.shape());
  apart.insert(at, 1);
  Shape wide = apart;
  wide[at] = times;
  out[at - 1] = out[at - 1] * times;
  return reshape(broadcast_to(reshape(x, apart), wide), out);
}

void require_counts(const InferCtx& cx, const Tensor& counts) {
  if (num_elements(counts.shape()) == Dim(0)) return;
  const int64_t least = min(counts).item_int();
  cx.require(least >= 0, "negative", "repeats has the negative number ", least,
             "; counts are at least 0");
}

// repeat.sources: how many there are only the counts say; see docs/design/data_shapes.md.
Types sources_infer(const NoAttrs&, const InferCtx& cx, TypeSpan in) {
  cx.require(in[0].rank() == 1, "shape", "counts has shape ", in[0].shape,
             "; it must have one axis");
  return {{DType::kI64, {Dim::symbol("?repeated")}}};
}

// How many elements end before each place of the result.
Tensors run_sources(const NoAttrs&, TensorSpan in, TypeSpan) {
  require_counts(InferCtx{"repeat"}, in[0]);
  const Tensor counts = cast(in[0], DType::kI64);
  const int64_t total = sum(counts).item_int();
  const Tensor none = zeros({total + 1}, DType::kI64), ends = cumulative_sum(counts, 0);
  const Tensor marks =
      add_at(none, Tensor::scalar(DType::kI64, 1), Tensors{ends}, {{0}, 0}, Where{});
  return {slice(cumulative_sum(marks, 0),
                {{.kind = IndexItem::Kind::kRange, .start = {}, .stop = total, .step = 1}})};
}

Tensors batched_sources(const NoAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "repeat", "batch",
       "how often elements are repeated differs between the examples of a vmap, so there is no "
       "common shape; pass counts that all examples share");
}

Tensors composed(const RepeatAttrs& at, TensorSpan in) {
  const InferCtx cx{"repeat"};
  const Tensor x = at.axis ? in[0] : reshape(in[0], {num_elements(in[0].shape())});
  const Tensor& repeats = in[1];
  const int64_t axis = cx.axis(at.axis.value_or(0), x.shape());
  cx.require_type(is_integer(repeats.dtype()), "dtype", "repeats has dtype ", repeats.dtype(),
                  "; counts are integers");
  const bool is_single = repeats.rank() == 0 || num_elements(repeats.shape()) == Dim(1);
  cx.require(
      is_single || (repeats.rank() == 1 && decide_same(repeats.dim(0), x.dim(axis)) != Tri::kNo),
      "shape", "repeats has shape ", repeats.shape(), ", but axis ", axis, " of shape ", x.shape(),
      " needs one number, or ", x.dim(axis));
  if (const std::optional<Dim> size = size_in(repeats); size && !size->is_known()) {
    return {by_one_number(x, *size, axis)};
  }
  if (!repeats.is_concrete()) {
    const Tensor counts = is_single ? broadcast_to(reshape(repeats, {1}), {x.dim(axis)}) : repeats;
    return {take(x, apply(kRepeatSources, inputs(counts), kNoAttrs, Where{}), axis)};
  }
  Tensor from;
  {
    const ScopeIs now(nullptr);  // in a graph, too: the counts have values
    require_counts(cx, repeats);
    if (!is_single) from = apply(kRepeatSources, inputs(repeats), kNoAttrs, Where{});
  }
  return {is_single ? by_one_number(x, repeats.item_int(), axis) : take(x, from, axis)};
}

}  // namespace

constinit const OpDef kRepeatSources{
    .name = "repeat.sources",
    .doc = "The index of the element that each place of a `repeat` has, by the counts.",
    .inputs = {"counts: integer"},
    .outputs = {"out: int64"},
    .laws = {Law{"shape", "counts has one axis"}},
    .infer = rule<sources_infer>(),
    .grad = derive::not_differentiable("indices are integers"),
    .batch = batch::rule<batched_sources>(),
    .kernel = kernel::host<run_sources>(),
};

constinit const CompositeDef kRepeat{
    .name = "repeat",
    .doc =
        "Each element along `axis` as often as `repeats` says, one after the other: one number "
        "for all of them, or one for each. Counts that only a run of a graph knows decide the size "
        "of the result then; under vmap all examples have the same counts.",
    .inputs = {"x: any", "repeats: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<RepeatAttrs>(),
    .laws = {Law{"dtype", "counts are integers"},
             Law{"shape", "there is one number, or one for each element of the axis"},
             Law{"negative", "counts are at least 0"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "repeat"}, Alias{"torch", "repeat_interleave"},
                 Alias{"jax", "numpy.repeat"}, Alias{"tf", "repeat"}},
};

Tensor repeat(const Tensor& x, const Tensor& repeats, std::optional<int64_t> axis, Where where) {
  return compose(kRepeat, inputs(x, repeats), RepeatAttrs{axis}, where);
}

}  // namespace weft
