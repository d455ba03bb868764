// trace: sums of diagonals.
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/reduce/reduce.h"

namespace weft {
namespace {

struct TraceAttrs {
  int64_t offset = 0;
  std::optional<DType> dtype;
  static constexpr auto fields =
      fields_of(field("offset", &TraceAttrs::offset,
                      "which diagonal: above the main one if positive, below if negative"),
                field("dtype", &TraceAttrs::dtype,
                      "the dtype to compute and return; integers widen to 64 bits if left out"));
};

Tensors compose_trace(const TraceAttrs& at, TensorSpan in) {
  linalg::require_matrix(InferCtx{"trace"}, in[0].type());
  const Tensor line = diagonal(in[0], at.offset);
  return {sum(at.dtype ? cast(line, *at.dtype) : line, Ints{-1})};
}

}  // namespace

constinit const CompositeDef kTrace{
    .name = "trace",
    .doc = "The sum of a diagonal of each matrix in the last two axes.",
    .inputs = {"x: numeric"},
    .outputs = {"out: numeric"},
    .attrs = attrs_type<TraceAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}},
    .compose = rule<compose_trace>(),
    .known_as = {Alias{"numpy", "linalg.trace"},
                 Alias{"numpy", "trace: it reads the first two axes, ours the last two"},
                 Alias{"torch", "trace"},
                 Alias{"jax", "numpy.trace: it reads the first two axes, ours the last two"},
                 Alias{"tf", "linalg.trace"}},
};

Tensor trace(const Tensor& x, int64_t offset, std::optional<DType> dtype, Where where) {
  return compose(kTrace, inputs(x), TraceAttrs{offset, dtype}, where);
}

}  // namespace weft
