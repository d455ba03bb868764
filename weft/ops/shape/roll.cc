// roll: elements shifted along axes, those that leave at one end enter at the other.
#include "weft/op/apply.h"
#include "weft/ops/shape/parts.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct RollAttrs {
  Ints shift;
  std::optional<Ints> axis;
  static constexpr auto fields = fields_of(
      field("shift", &RollAttrs::shift, "by how many places, towards higher indices", kRequired),
      field("axis", &RollAttrs::axis,
            "the axis or axes to shift along; if left out the flattened tensor is shifted"));
};

// How many of the end come to the front: the shift modulo the size.
Dim places_in_front(int64_t shift, Dim size) {
  constexpr int64_t kFar = int64_t{1} << 60;  // further than any size that a trace may leave open
  if (size.is_known() || shift > kFar || shift < -kFar) {
    const int64_t rest = shift % size.value();
    return rest < 0 ? rest + size.value() : rest;
  }
  if (shift > 0 && decide_less(shift, size) == Tri::kYes) return shift;
  if (shift < 0 && decide_less(size, -shift) == Tri::kNo) return size + shift;
  return Dim(shift) - floor_div(shift, size) * size;
}

Tensor rolled(const Tensor& x, int64_t shift, int64_t axis) {
  const Dim size = x.dim(axis);
  if (shift == 0 || size == Dim(0)) return x;
  const Dim front = places_in_front(shift, size);
  if (front == Dim(0)) return x;
  const Tensors parts = parts_of(x, {size - front, front}, axis, Where());
  return concat(Tensors{parts[1], parts[0]}, axis);
}

Tensors composed(const RollAttrs& at, TensorSpan in) {
  const InferCtx cx{"roll"};
  Tensor x = in[0];
  if (!at.axis) {
    cx.require(at.shift.size() == 1, "count", "shift ", at.shift,
               " has several numbers, but no axis is named; name one for each");
    const Tensor flat = reshape(x, {num_elements(x.shape())});
    return {reshape(rolled(flat, at.shift[0], 0), Shape(x.shape()))};
  }
  cx.require(at.shift.size() == at.axis->size() || at.shift.size() == 1 || at.axis->size() == 1,
             "count", "shift ", at.shift, " and axis ", *at.axis, " have ", at.shift.size(),
             " and ", at.axis->size(), " numbers; give one shift for each axis");
  const bool has_none = at.shift.empty() || at.axis->empty();
  const size_t count = has_none ? 0 : std::max(at.shift.size(), at.axis->size());
  for (size_t i = 0; i < count; ++i) {
    const int64_t axis = cx.axis((*at.axis)[at.axis->size() == 1 ? 0 : i], x.shape());
    x = rolled(x, at.shift[at.shift.size() == 1 ? 0 : i], axis);
  }
  return {x};
}

}  // namespace

constinit const CompositeDef kRoll{
    .name = "roll",
    .doc =
        "The elements shifted by `shift` places along `axis`; those that leave at one end enter "
        "at the other. With several axes each is shifted by its own number, and an axis named "
        "twice by both.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<RollAttrs>(),
    .laws = {Law{"count", "there is one shift for each axis"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "roll"}, Alias{"torch", "roll"}, Alias{"jax", "numpy.roll"},
                 Alias{"tf", "roll"}},
};

Tensor roll(const Tensor& x, const Ints& shift, std::optional<Ints> axis, Where where) {
  return compose(kRoll, inputs(x), RollAttrs{shift, std::move(axis)}, where);
}

}  // namespace weft
