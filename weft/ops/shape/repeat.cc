// repeat: each element of an axis several times, one after the other.
#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/index_at.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct RepeatAttrs {
  std::optional<int64_t> axis;
  static constexpr auto fields = fields_of(field(
      "axis", &RepeatAttrs::axis, "the axis to repeat along; the flattened tensor if left out"));
};

Tensor by_one_number(const Tensor& x, int64_t times, int64_t axis) {
  const auto at = static_cast<size_t>(axis) + 1;
  Shape apart(x.shape()), out(x.shape());
  apart.insert(at, 1);
  Shape wide = apart;
  wide[at] = times;
  out[at - 1] = out[at - 1] * Dim(times);
  return reshape(broadcast_to(reshape(x, apart), wide), out);
}

// The index of the element that each place of the result repeats: how many elements end before it.
Tensor sources(const Tensor& counts, int64_t total) {
  const Tensor ends = cumulative_sum(cast(counts, DType::kI64), 0);
  const Tensor marks = add_at(zeros({total + 1}, DType::kI64), Tensor::scalar(DType::kI64, 1),
                              Tensors{ends}, {{0}, 0}, Where{});
  return slice(cumulative_sum(marks, 0),
               {{.kind = IndexItem::Kind::kRange, .start = {}, .stop = total, .step = 1}});
}

Tensors composed(const RepeatAttrs& at, TensorSpan in) {
  const InferCtx cx{"repeat"};
  const Tensor x = at.axis ? in[0] : reshape(in[0], {num_elements(in[0].shape())});
  const Tensor& repeats = in[1];
  const int64_t axis = cx.axis(at.axis.value_or(0), x.shape());
  cx.require_type(is_integer(repeats.dtype()), "dtype", "repeats has dtype ", repeats.dtype(),
                  "; counts are integers");
  cx.require(repeats.is_concrete(), "concrete",
             "repeats is only known when the graph runs, or differs between the examples of a "
             "vmap, but decides a shape; pass numbers");
  const bool is_single = repeats.rank() == 0 || num_elements(repeats.shape()) == Dim(1);
  cx.require(is_single || (repeats.rank() == 1 && same(repeats.dim(0), x.dim(axis)) != Tri::kNo),
             "shape", "repeats has shape ", repeats.shape(), ", but axis ", axis, " of shape ",
             x.shape(), " needs one number, or ", x.dim(axis));
  const Tensor least =
      num_elements(repeats.shape()) == Dim(0) ? Tensor::scalar(DType::kI64, 0) : min(repeats);
  cx.require(least.item_int() >= 0, "negative", "repeats has the negative number ",
             least.item_int(), "; counts are at least 0");
  if (is_single) return {by_one_number(x, repeats.item_int(), axis)};
  const int64_t total = sum(cast(repeats, DType::kI64)).item_int();
  return {take(x, sources(repeats, total), axis)};
}

}  // namespace

constinit const CompositeDef kRepeat{
    .name = "repeat",
    .doc =
        "Each element along `axis` as often as `repeats` says, one after the other: one number "
        "for all of them, or one for each. The numbers decide a shape, so they must have a value.",
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
