// eye: ones on a diagonal.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct EyeAttrs {
  int64_t n_rows = 0;
  std::optional<int64_t> n_cols;
  int64_t k = 0;
  DType dtype = DType::kF32;
  static constexpr auto fields = fields_of(
      field("n_rows", &EyeAttrs::n_rows, "the number of rows", kRequired),
      field("n_cols", &EyeAttrs::n_cols, "the number of columns; n_rows if left out"),
      field("k", &EyeAttrs::k, "which diagonal: above the main one if positive, below if negative"),
      field("dtype", &EyeAttrs::dtype, "the dtype of the elements"));
};

// A diagonal beyond either edge is the same as one just outside: clamping keeps k from overflowing.
Tensors compose_eye(const EyeAttrs& at, TensorSpan) {
  const InferCtx cx{"eye"};
  const Shape shape{at.n_rows, at.n_cols.value_or(at.n_rows)};
  fill_infer({shape, at.dtype}, cx, {});
  const int64_t k = std::clamp(at.k, -shape[0].value(), shape[1].value());
  const Tensor rows = expand_dims(arange(at.n_rows), 1);
  const Tensor columns = arange(shape[1].value());
  return {cast(equal(rows + k, columns), at.dtype)};
}

}  // namespace

constinit const CompositeDef kEye{
    .name = "eye",
    .doc = "A matrix of zeros with ones on diagonal `k`.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<EyeAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .compose = rule<compose_eye>(),
    .known_as = {Alias{"numpy", "eye"}, Alias{"torch", "eye"}, Alias{"jax", "numpy.eye"},
                 Alias{"tf", "eye"}},
};

Tensor eye(int64_t n_rows, std::optional<int64_t> n_cols, int64_t k, DType dtype, Where where) {
  return compose(kEye, {}, EyeAttrs{n_rows, n_cols, k, dtype}, where);
}

}  // namespace weft
