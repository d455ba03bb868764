// argsort: the indices that sort a tensor along an axis.
#include "weft/op/apply.h"
#include "weft/ops/sort/along_rows.h"
#include "weft/ops/sort/sort_ops.h"

namespace weft {
namespace {

Types argsort_infer(const SortAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  return {{DType::kI64, in[0].shape}};
}

void run(const SortAttrs& at, TensorSpan in, TensorSpan out) {
  const int64_t axis = normalized(at.axis, in[0].rank());
  along_rows(in[0], axis, out[0], [&](const Tensor& order, const Tensor& rows) {
    native::argsort_rows(order, rows, at.descending);
  });
}

}  // namespace

constinit const OpDef kArgsort{
    .name = "argsort",
    .doc =
        "The indices that sort `x` along `axis`: `gather(x, argsort(x), axis=-1)` is `sort(x)`. "
        "Elements that are equal keep their order, in descending order too. NaN counts as the "
        "greatest, and -0 equals +0.",
    .inputs = {"x: ordered"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<SortAttrs>(),
    .infer = rule<argsort_infer>(),
    .grad = derive::not_differentiable("argsort is piecewise constant"),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"numpy", "argsort"}, Alias{"torch", "argsort: ours is always stable"},
                 Alias{"jax", "numpy.argsort"}, Alias{"tf", "argsort"}},
};

Tensor argsort(const Tensor& x, int64_t axis, bool descending, Where where) {
  return apply(kArgsort, inputs(x), SortAttrs{axis, descending}, where);
}

}  // namespace weft
