// reshape: the same elements in row-major order under another shape.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types reshape_infer(const ShapeAttrs& at, const InferCtx& cx, TypeSpan in) {
  Shape out = at.shape;
  int64_t open = -1;
  Dim known = 1;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == Dim(-1)) {
      cx.require(open < 0, "one_open", "shape ", at.shape,
                 " has more than one -1; at most one size can be left open");
      open = static_cast<int64_t>(i);
    } else {
      cx.require(!out[i].is_known() || out[i].value() >= 0, "negative", "shape ", at.shape,
                 " has a negative size; sizes are at least 0, and -1 stands for what is left");
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (static_cast<int64_t>(i) != open) known = known * out[i];
  }
  const Dim total = num_elements(in[0].shape);
  if (open >= 0) {
    const bool divides =
        !(known == Dim(0)) && same(floor_div(total, known) * known, total) != Tri::kNo;
    cx.require(divides, "count", "cannot reshape ", in[0].shape, " with ", total, " elements to ",
               at.shape, "; the count must be a multiple of ", known);
    out[static_cast<size_t>(open)] = floor_div(total, known);
  } else {
    cx.require(same(known, total) != Tri::kNo, "count", "cannot reshape ", in[0].shape, " with ",
               total, " elements to ", at.shape, " with ", known,
               "; the number of elements must stay");
  }
  return {{in[0].dtype, out}};
}

// Axes of a strided tensor that lie in memory as one, from the last to the first.
struct Run {
  int64_t size, stride;
};
InlineVector<Run, 6> runs_of(const StridedLayout& x) {
  InlineVector<Run, 6> out;
  for (size_t i = x.shape.size(); i-- > 0;) {
    const int64_t size = x.shape[i].value(), stride = x.strides[i];
    if (size == 1) continue;
    if (!out.empty() && stride == out.back().stride * out.back().size) {
      out.back().size *= size;
    } else {
      out.push_back({size, stride});
    }
  }
  return out;
}

// None if an axis of the new shape would run over elements that are apart.
ViewLayouts views(const ShapeAttrs&, const StridedLayout& x, TypeSpan types) {
  const Shape& shape = types[0].shape;
  if (is_contiguous(x) || num_elements(x.shape) == Dim(0)) {
    return {ViewLayout{contiguous_strides(shape)}};
  }
  const InlineVector<Run, 6> runs = runs_of(x);
  Ints out(shape.size(), 1);
  size_t next = 0;
  Run rest{1, 1};  // what is left of the run that axes are taken from
  for (size_t i = shape.size(); i-- > 0;) {
    const int64_t size = shape[i].value();
    if (size == 1) continue;
    if (rest.size == 1) rest = runs[next++];
    if (rest.size % size != 0) return {};
    out[i] = rest.stride;
    rest = {rest.size / size, rest.stride * size};
  }
  return {ViewLayout{out}};
}

Tensors transpose(const ShapeAttrs&, const GradCtx& cx, TensorSpan g) {
  return {reshape(g[0], Shape(cx.inputs[0].shape()), cx.where)};
}

Tensors batched(const ShapeAttrs& at, const BatchCtx& cx) {
  const Type one{cx.inputs[0].dtype(), Shape(cx.inputs[0].shape().subspan(1))};
  Shape shape = reshape_infer(at, InferCtx{"reshape"}, {&one, 1})[0].shape;
  shape.insert(0, cx.size);
  return {reshape(cx.inputs[0], shape, cx.where)};
}

}  // namespace

constinit const OpDef kReshape{
    .name = "reshape",
    .doc =
        "The same elements, in row-major order, under another shape; one size may be -1 and is "
        "then computed. Shares memory where no element has to move.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ShapeAttrs>(),
    .laws = {Law{"one_open", "at most one size is -1"},
             Law{"negative", "other sizes are at least 0"},
             Law{"count", "the number of elements stays"}},
    .infer = rule<reshape_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::rule<batched>(),
    .kernel = kernel::view<views>(),
    .known_as = {Alias{"numpy", "reshape"}, Alias{"torch", "view"}, Alias{"torch", "reshape"},
                 Alias{"jax", "numpy.reshape"}, Alias{"tf", "reshape"}},
};

Tensor reshape(const Tensor& x, const Shape& shape, Where where) {
  return apply(kReshape, inputs(x), ShapeAttrs{shape}, where);
}

}  // namespace weft
