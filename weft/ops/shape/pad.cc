// pad: a constant around a tensor, or its own elements continued.
#include <algorithm>

#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

struct PadAttrs {
  Ints before, after;
  std::string mode = "constant";
  static constexpr auto fields = fields_of(
      field("before", &PadAttrs::before, "how many elements to add before each axis", kRequired),
      field("after", &PadAttrs::after, "how many elements to add after each axis", kRequired),
      field("mode", &PadAttrs::mode,
            "\"constant\", or how the elements go on: \"reflect\", \"symmetric\", \"edge\" or "
            "\"wrap\""));
};

bool is_constant(const PadAttrs& at) { return at.mode == "constant"; }

// Which element of an axis of `size` stands at `place`, which may be outside.
int64_t source_of(const std::string& mode, int64_t place, int64_t size) {
  const auto cyclic = [](int64_t i, int64_t period) { return ((i % period) + period) % period; };
  if (mode == "edge") return std::clamp<int64_t>(place, 0, size - 1);
  if (mode == "wrap") return cyclic(place, size);
  if (mode == "symmetric") {  // 0 1 2 | 2 1 0 | 0 1 2
    const int64_t at = cyclic(place, 2 * size);
    return at < size ? at : 2 * size - 1 - at;
  }
  if (size == 1) return 0;  // reflect: 0 1 2 | 1 | 0 1 2
  const int64_t at = cyclic(place, 2 * size - 2);
  return at < size ? at : 2 * size - 2 - at;
}

// For each place of a padded axis the element of x that stands there.
Tensor sources(const PadAttrs& at, size_t axis, int64_t size) {
  const int64_t count = at.before[axis] + size + at.after[axis];
  const Tensor out = Tensor::empty(DType::kI64, Shape{count});
  auto* const to = static_cast<int64_t*>(out.writable_data());
  for (int64_t i = 0; i < count; ++i) to[i] = source_of(at.mode, i - at.before[axis], size);
  return out;
}

bool is_padded(const PadAttrs& at, size_t axis) {
  return at.before[axis] != 0 || at.after[axis] != 0;
}

Types pad_infer(const PadAttrs& at, const InferCtx& cx, TypeSpan in) {
  const Shape& shape = in[0].shape;
  cx.require(at.before.size() == shape.size() && at.after.size() == shape.size(), "count",
             "before ", at.before, " and after ", at.after, " do not fit shape ", shape,
             "; give one number for each of its ", shape.size(), " axes");
  cx.require(in.size() < 2 || in[1].rank() == 0, "value", "value has shape ",
             in.size() < 2 ? Shape() : in[1].shape, "; it must have rank 0");
  const bool known = is_constant(at) || at.mode == "reflect" || at.mode == "symmetric" ||
                     at.mode == "edge" || at.mode == "wrap";
  const char* const ours = at.mode == "replicate"  ? ", which is \"edge\" here"
                           : at.mode == "circular" ? ", which is \"wrap\" here"
                                                   : "";
  cx.require(known, "mode", "mode is \"", at.mode, "\"", ours,
             "; it must be \"constant\", \"reflect\", \"symmetric\", \"edge\" or \"wrap\"");
  cx.require(is_constant(at) || in.size() < 2, "value", "mode \"", at.mode,
             "\" continues the elements of x; a value is for mode \"constant\"");
  Type out = in[0];
  for (size_t i = 0; i < shape.size(); ++i) {
    cx.require(at.before[i] >= 0 && at.after[i] >= 0, "negative", "before ", at.before,
               " and after ", at.after, " have a negative number; slice to take elements away");
    cx.require(is_constant(at) || !(shape[i] == Dim(0)) || !is_padded(at, i), "empty", "axis ", i,
               " of shape ", shape, " has no elements for mode \"", at.mode, "\" to continue");
    out.shape[i] = shape[i] + at.before[i] + at.after[i];
  }
  return {out};
}

// The place of `x` in the result.
Index inside(const PadAttrs& at, ShapeView shape) {
  Index index;
  for (size_t i = 0; i < shape.size(); ++i) {
    // From the end, whose place may be a symbol.
    const std::optional<int64_t> stop =
        at.after[i] > 0 ? std::optional(-at.after[i]) : std::nullopt;
    index.push_back(
        {.kind = IndexItem::Kind::kRange, .start = at.before[i], .stop = stop, .step = 1});
  }
  return index;
}

// Fills the result around `x`, axis by axis: of an axis what lies outside of `x`, all along the
// axes before it, which are done, and beside `x` along those behind it.
class Padding {
 public:
  Padding(const PadAttrs& at, const Tensor& x, const Tensor& result)
      : at_(at), x_(x), result_(result) {}

  void put_inside() const {
    int64_t offset = 0;
    for (size_t d = 0; d < at_.before.size(); ++d) offset += at_.before[d] * stride(d);
    if (x_.numel() > 0) native::copy(result_.view(x_.shape(), result_.strides(), offset), x_);
  }

  // Calls border(axis, begin, end) for the two ends of each axis.
  template <class Border>
  void for_borders(Border&& border) const {
    for (size_t axis = 0; axis < at_.before.size(); ++axis) {
      const int64_t inside = at_.before[axis] + x_.shape()[axis].value();
      border(axis, 0, at_.before[axis]);
      border(axis, inside, inside + at_.after[axis]);
    }
  }

  void fill(size_t axis, int64_t begin, int64_t end, const Tensor& value) const {
    const Tensor target = part(axis, begin, end - begin, 1);
    if (target.defined()) native::fill(target, value.data());
  }

  // Places whose sources follow each other, forward, backward or not at all, are one copy.
  void continue_elements(size_t axis, int64_t begin, int64_t end) const {
    const auto source = [&](int64_t place) {
      const int64_t first = at_.before[axis];
      return first + source_of(at_.mode, place - first, x_.shape()[axis].value());
    };
    for (int64_t from = begin; from < end;) {
      const int64_t step = from + 1 < end ? source(from + 1) - source(from) : 1;
      int64_t to = from + 1;
      while (to < end && source(to) - source(to - 1) == step) ++to;
      const Tensor target = part(axis, from, to - from, 1);
      if (target.defined()) native::copy(target, part(axis, source(from), to - from, step));
      from = to;
    }
  }

 private:
  int64_t stride(size_t axis) const { return result_.strides()[axis]; }

  // `count` places along `axis` from `begin`, `step` apart; undefined if there are no elements.
  Tensor part(size_t axis, int64_t begin, int64_t count, int64_t step) const {
    Shape shape(result_.shape());
    Ints strides(result_.strides().begin(), result_.strides().end());
    shape[axis] = count;
    strides[axis] *= step;
    int64_t offset = begin * stride(axis);
    for (size_t d = axis + 1; d < shape.size(); ++d) {
      shape[d] = x_.shape()[d];
      offset += at_.before[d] * stride(d);
    }
    return num_elements(shape) == Dim(0) ? Tensor() : result_.view(shape, strides, offset);
  }

  const PadAttrs& at_;
  const Tensor &x_, &result_;
};

// What stands for an element gets its cotangent: the axes back, the last one first.
Tensor folded_back(const PadAttrs& at, ShapeView shape, Tensor g, Where where) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (!is_padded(at, i)) continue;
    Shape smaller(g.shape());
    smaller[i] = shape[i];
    const Tensors places{sources(at, i, shape[i].value())};
    g = add_at(zeros(smaller, g.dtype(), where), g, places,
               {{static_cast<int64_t>(i)}, static_cast<int64_t>(i)}, where);
  }
  return g;
}

void run(const PadAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  const Padding padding(at, in[0], result);
  padding.put_inside();
  const Tensor value = in.size() < 2 ? Tensor::scalar(in[0].dtype(), 0) : in[1];
  padding.for_borders([&](size_t axis, int64_t begin, int64_t end) {
    if (is_constant(at)) return padding.fill(axis, begin, end, value);
    padding.continue_elements(axis, begin, end);
  });
}

// The value gets the cotangents of all the places it went to.
Tensors transpose(const PadAttrs& at, const GradCtx& cx, TensorSpan g) {
  if (!is_constant(at)) return {folded_back(at, cx.inputs[0].shape(), g[0], cx.where)};
  const Index index = inside(at, cx.inputs[0].shape());
  Tensors out{slice(g[0], index, cx.where)};
  if (cx.inputs.size() < 2) return out;
  out.push_back(Tensor());
  if (cx.wanted[1]) {
    const Tensor none = zeros({}, g[0].dtype(), cx.where);
    out[1] = sum(slice_update(g[0], none, index, cx.where), {}, false, cx.where);
  }
  return out;
}

// With a value for each example, the values are put where the padding is.
Tensors batched(const PadAttrs& at, const BatchCtx& cx) {
  const Tensor x = cx.with_batch_axis(0);
  PadAttrs wider = at;
  wider.before.insert(0, 0);
  wider.after.insert(0, 0);
  if (cx.inputs.size() < 2) return {apply(kPad, inputs(x), wider, cx.where)};
  if (!cx.batched[1]) return {apply(kPad, inputs(x, cx.inputs[1]), wider, cx.where)};
  const Tensor padded = apply(kPad, inputs(x), wider, cx.where);
  const Tensor yes =
      broadcast_to(Tensor::scalar(DType::kBool, 1), Shape(x.shape().subspan(1)), cx.where);
  const Tensor is_inside = apply(kPad, inputs(yes), at, cx.where);
  Shape column(static_cast<size_t>(x.rank()), 1);
  column[0] = cx.size;
  return {where(is_inside, padded, reshape(cx.inputs[1], column, cx.where), cx.where)};
}

}  // namespace

constinit const OpDef kPad{
    .name = "pad",
    .doc =
        "The tensor with `before[i]` and `after[i]` elements added around axis `i`: all of them "
        "`value` (0 if left out), or with `mode` the elements of `x` continued. Of `a b c` it goes "
        "on with `b a` (\"reflect\"), `c b` (\"symmetric\"), `c c` (\"edge\") or `a b` (\"wrap\"), "
        "as often as needed. In Python `before` alone may be a number for all sides, a pair, or a "
        "(before, after) pair for each axis.",
    .inputs = {"x: any", "value?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<PadAttrs>(),
    .laws = {Law{"count", "there is one number for each axis"},
             Law{"negative", "the numbers are at least 0"},
             Law{"value", "the value has rank 0, and is for mode \"constant\""},
             Law{"mode", "the mode is a known one"},
             Law{"empty", "there are elements to continue"}},
    .infer = rule<pad_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "pad: constant_values is our value"},
                 Alias{"torch",
                       "nn.functional.pad: ours takes the widths before all axes, then those "
                       "after, the first axis first; \"replicate\" is our \"edge\", \"circular\" "
                       "our \"wrap\""},
                 Alias{"jax", "numpy.pad: constant_values is our value"},
                 Alias{"tf", "pad: constant_values is our value"}},
};

Tensor pad(const Tensor& x, const Ints& before, const Ints& after, const Tensor& value,
           Where where) {
  return apply(kPad, inputs(x, value), PadAttrs{before, after, "constant"}, where);
}
Tensor pad_continued(const Tensor& x, const Ints& before, const Ints& after, std::string mode,
                     Where where) {
  return apply(kPad, inputs(x), PadAttrs{before, after, std::move(mode)}, where);
}

}  // namespace weft
