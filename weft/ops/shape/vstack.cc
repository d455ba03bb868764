// vstack and hstack: rows one below the other, columns side by side.
#include "weft/op/apply.h"
#include "weft/ops/shape/arrange.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Said of what was given, before vectors become rows.
void require_alike(const InferCtx& cx, TensorSpan given, TensorSpan xs, int64_t axis) {
  for (size_t i = 1; i < xs.size(); ++i) {
    bool fits = xs[i].rank() == xs[0].rank();
    for (int64_t d = 0; fits && d < xs[0].rank(); ++d) {
      fits = d == axis || decide_same(xs[i].dim(d), xs[0].dim(d)) != Tri::kNo;
    }
    cx.require(fits, "shape", "xs[", i, "] has shape ", given[i].shape(), " but xs[0] has shape ",
               given[0].shape(), "; joined along axis ", axis, " they may differ only there");
  }
}

Tensors below(const NoAttrs&, TensorSpan in) {
  Tensors rows;
  for (const Tensor& x : in) rows.push_back(atleast_2d(x));
  require_alike(InferCtx{"vstack"}, in, rows, 0);
  return {concat(rows, 0)};
}

Tensors beside(const NoAttrs&, TensorSpan in) {
  Tensors columns;
  for (const Tensor& x : in) columns.push_back(atleast_1d(x));
  const int64_t axis = columns[0].rank() == 1 ? 0 : 1;
  require_alike(InferCtx{"hstack"}, in, columns, axis);
  return {concat(columns, axis)};
}

}  // namespace

constinit const CompositeDef kVstack{
    .name = "vstack",
    .doc = "`xs` one below the other: along axis 0, after numbers and vectors have become rows.",
    .inputs = {"xs...: any"},
    .outputs = {"out: like xs"},
    .laws = {Law{"shape", "they differ on axis 0 alone"}},
    .compose = rule<below>(),
    .known_as = {Alias{"numpy", "vstack"}, Alias{"numpy", "row_stack"}, Alias{"torch", "vstack"},
                 Alias{"torch", "row_stack"}, Alias{"jax", "numpy.vstack"},
                 Alias{"tf", "experimental.numpy.vstack"}},
};

constinit const CompositeDef kHstack{
    .name = "hstack",
    .doc = "`xs` side by side: vectors and numbers end to end, others along axis 1.",
    .inputs = {"xs...: any"},
    .outputs = {"out: like xs"},
    .laws = {Law{"shape", "they differ on that axis alone"}},
    .compose = rule<beside>(),
    .known_as = {Alias{"numpy", "hstack"}, Alias{"torch", "hstack"}, Alias{"jax", "numpy.hstack"},
                 Alias{"tf", "experimental.numpy.hstack"}},
};

Tensor vstack(TensorSpan xs, Where where) { return compose(kVstack, xs, kNoAttrs, where); }
Tensor hstack(TensorSpan xs, Where where) { return compose(kHstack, xs, kNoAttrs, where); }

}  // namespace weft
