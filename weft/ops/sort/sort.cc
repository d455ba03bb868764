// sort: the elements along an axis in order.
#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/ops/sort/along_rows.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

Types sort_infer(const SortAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  return {in[0]};
}

void run(const SortAttrs& at, TensorSpan in, TensorSpan out) {
  const int64_t axis = normalized(at.axis, in[0].rank());
  along_rows(in[0], axis, out[0], [&](const Tensor& sorted, const Tensor& rows) {
    native::sort_rows(sorted, rows, at.descending);
  });
}

// Only who differentiates pays for the order: sorting values alone takes half the time.
Tensors vjp(const SortAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& x = cx.inputs[0];
  const Tensor order = argsort(x, at.axis, at.descending, cx.where);
  const Tensor nothing = zeros(Shape(g[0].shape()), g[0].dtype(), cx.where);
  return {scatter_add(nothing, order, g[0], at.axis, cx.where)};
}

Tensors jvp(const SortAttrs& at, const GradCtx& cx, TensorSpan t) {
  if (!t[0].defined()) return {Tensor()};
  const Tensor order = argsort(cx.inputs[0], at.axis, at.descending, cx.where);
  return {gather(t[0], order, at.axis, cx.where)};
}

}  // namespace

constinit const OpDef kSort{
    .name = "sort",
    .doc =
        "The elements along `axis` in order. NaN counts as the greatest, and -0 equals +0; what is "
        "equal keeps its order, in descending order too. The gradient follows each element to its "
        "place.",
    .inputs = {"x: ordered"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<SortAttrs>(),
    .infer = rule<sort_infer>(),
    .grad = derive::rules<vjp, jvp>().reading(1, false),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "sort"},
                 Alias{"torch", "sort: ours gives the values alone; the indices are argsort's"},
                 Alias{"jax", "numpy.sort"}, Alias{"tf", "sort"}},
};

Tensor sort(const Tensor& x, int64_t axis, bool descending, Where where) {
  return apply(kSort, inputs(x), SortAttrs{axis, descending}, where);
}

}  // namespace weft
