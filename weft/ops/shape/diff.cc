// diff: differences of neighbours along an axis.
#include "weft/op/apply.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct DiffAttrs {
  int64_t axis = -1, n = 1;
  static constexpr auto fields =
      fields_of(field("axis", &DiffAttrs::axis, "the axis to run along"),
                field("n", &DiffAttrs::n, "how often differences are taken"));
};

Index along(int64_t axis, std::optional<int64_t> start, std::optional<int64_t> stop) {
  Index index(static_cast<size_t>(axis));
  index.push_back({.kind = IndexItem::Kind::kRange, .start = start, .stop = stop, .step = 1});
  return index;
}

Tensors composed(const DiffAttrs& at, TensorSpan in) {
  const InferCtx cx{"diff"};
  const int64_t axis = cx.axis(at.axis, in[0].shape());
  cx.require(at.n >= 0, "negative", "n is ", at.n, "; it must be at least 0");
  Tensors parts;
  if (in.size() > 1 && in[1].defined()) parts.push_back(in[1]);
  parts.push_back(in[0]);
  if (in.size() > 2 && in[2].defined()) parts.push_back(in[2]);
  Tensor x = parts.size() == 1 ? in[0] : concat(parts, axis);
  for (int64_t i = 0; i < at.n && !(x.dim(axis) == Dim(0)); ++i) {
    const Tensor later = slice(x, along(axis, 1, {})), earlier = slice(x, along(axis, {}, -1));
    x = x.dtype() == DType::kBool ? not_equal(later, earlier) : subtract(later, earlier);
  }
  return {x};
}

}  // namespace

constinit const CompositeDef kDiff{
    .name = "diff",
    .doc =
        "`x[i + 1] - x[i]` along `axis`, taken `n` times; `prepend` and `append` are joined to "
        "`x` first. Of bools it is whether neighbours differ.",
    .inputs = {"x: any", "prepend?: like x", "append?: like x"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<DiffAttrs>(),
    .laws = {Law{"negative", "n is at least 0"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "diff"}, Alias{"torch", "diff"}, Alias{"jax", "numpy.diff"},
                 Alias{"tf", "experimental.numpy.diff"}},
};

Tensor diff(const Tensor& x, int64_t axis, int64_t n, Where where) {
  return compose(kDiff, inputs(x), DiffAttrs{axis, n}, where);
}

}  // namespace weft
