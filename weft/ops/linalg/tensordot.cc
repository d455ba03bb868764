// tensordot: products summed over several axes, as one matmul.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct TensordotAttrs {
  Ints axes_a, axes_b;
  static constexpr auto fields = fields_of(
      field("axes_a", &TensordotAttrs::axes_a, "the axes of a that are summed over", kRequired),
      field("axes_b", &TensordotAttrs::axes_b, "those of b, in the same order", kRequired));
};

// One input as a matrix: the axes that stay, then those summed over (or the other way round).
struct Side {
  Ints order;
  Shape kept, summed;

  Side(const InferCtx& cx, const Tensor& x, const Ints& given, bool summed_first) {
    Ints inner;
    for (int64_t axis : given) inner.push_back(cx.axis(axis, x.shape()));
    cx.axes(inner, x.shape());  // none twice
    for (int64_t axis : inner) summed.push_back(x.dim(axis));
    if (summed_first) order = inner;
    for (int64_t i = 0; i < x.rank(); ++i) {
      if (std::find(inner.begin(), inner.end(), i) != inner.end()) continue;
      order.push_back(i);
      kept.push_back(x.dim(i));
    }
    for (int64_t axis : inner) {
      if (!summed_first) order.push_back(axis);
    }
  }
  Tensor matrix(const Tensor& x, bool summed_first) const {
    const Dim rows = num_elements(kept), columns = num_elements(summed);
    const Shape shape = summed_first ? Shape{columns, rows} : Shape{rows, columns};
    return reshape(permute_dims(x, order), shape);
  }
};

Tensors compose_tensordot(const TensordotAttrs& at, TensorSpan in) {
  const InferCtx cx{"tensordot"};
  cx.require(at.axes_a.size() == at.axes_b.size(), "count", "axes_a has ", at.axes_a.size(),
             " axes but axes_b has ", at.axes_b.size(), "; they must be equal");
  const Side a(cx, in[0], at.axes_a, false), b(cx, in[1], at.axes_b, true);
  for (size_t i = 0; i < a.summed.size(); ++i) {
    cx.require(decide_same(a.summed[i], b.summed[i]) != Tri::kNo, "size", "axis ", at.axes_a[i],
               " of a has size ", a.summed[i], " but axis ", at.axes_b[i], " of b has size ",
               b.summed[i], "; they must be equal");
  }
  Shape out = a.kept;
  for (Dim dim : b.kept) out.push_back(dim);
  const Tensor right = b.matrix(in[1], true);
  return {reshape(matmul(a.matrix(in[0], false), right), out)};
}

}  // namespace

constinit const CompositeDef kTensordot{
    .name = "tensordot",
    .doc =
        "Products of `a` and `b` summed over pairs of axes; the axes of `a` that stay come first, "
        "then those of `b`. In Python `axes` is a number n, for the last n axes of `a` and the "
        "first n of `b`, or a pair of lists.",
    .inputs = {"a: any", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<TensordotAttrs>(),
    .laws = {Law{"count", "as many axes of a as of b"}, Law{"size", "sizes agree in pairs"}},
    .compose = rule<compose_tensordot>(),
    .known_as = {Alias{"numpy", "tensordot"}, Alias{"torch", "tensordot"},
                 Alias{"jax", "numpy.tensordot"}, Alias{"tf", "tensordot"}},
};

Tensor tensordot(const Tensor& a, const Tensor& b, const Ints& axes_a, const Ints& axes_b,
                 Where where) {
  return compose(kTensordot, inputs(a, b), TensordotAttrs{axes_a, axes_b}, where);
}

}  // namespace weft
