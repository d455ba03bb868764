// matrix_norm: norms of matrices.
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

struct MatrixNormAttrs {
  bool keepdims = false;
  std::string ord = "fro";
  static constexpr auto fields =
      fields_of(field("keepdims", &MatrixNormAttrs::keepdims, "keep the last two axes with size 1"),
                field("ord", &MatrixNormAttrs::ord,
                      "'fro', 'nuc', or a number as text: '1', '-1', '2', '-2', 'inf', '-inf'"));
};

// The greatest or least of `values` along `axis`; the greatest of none is 0, for norms are not
// negative.
Tensor extreme(const Tensor& values, int64_t axis, bool greatest) {
  if (greatest && values.dim(axis) == Dim(0)) return sum(values, Ints{axis});
  return greatest ? max(values, Ints{axis}) : min(values, Ints{axis});
}

Tensor norm_of(const Tensor& x, const std::string& ord) {
  if (ord == "fro") return norm(x, Ints{-2, -1});
  if (ord == "nuc") return sum(svdvals(x), Ints{-1});
  const bool greatest = ord[0] != '-';
  const std::string kind = greatest ? ord : ord.substr(1);
  if (kind == "2") return extreme(svdvals(x), -1, greatest);
  return extreme(sum(abs(x), Ints{kind == "1" ? -2 : -1}), -1, greatest);
}

Tensors compose_matrix_norm(const MatrixNormAttrs& at, TensorSpan in) {
  const InferCtx cx{"matrix_norm"};
  const Tensor given = as_inexact(in[0]);
  require_matrix(cx, given.type());
  bool is_known = false;
  for (const char* name : {"fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"}) {
    is_known |= at.ord == name;
  }
  cx.require(is_known, "ord", "the order is '", at.ord,
             "'; it must be fro, nuc, 1, -1, 2, -2, inf or -inf");
  const Tensor out = norm_of(computed(given), at.ord);
  const Tensor shaped = at.keepdims ? expand_dims(expand_dims(out, -1), -1) : out;
  return {cast(shaped, real_of(given.dtype()))};
}

}  // namespace

Tensor matrix_norm(const Tensor& x, const std::string& ord, bool keepdims, Where where) {
  return compose(kMatrixNorm, inputs(x), MatrixNormAttrs{keepdims, ord}, where);
}

}  // namespace linalg

constinit const CompositeDef kMatrixNorm{
    .name = "matrix_norm",
    .module = "linalg",
    .doc =
        "A norm of each matrix: `fro` (the root of the sum of squares), `nuc` (the sum of the "
        "singular values), 2 and -2 (the greatest and least singular value), 1 and -1 (sums of "
        "columns), inf and -inf (sums of rows).",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<linalg::MatrixNormAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"ord", "the order is one of those named"}},
    .compose = rule<linalg::compose_matrix_norm>(),
    .known_as = {Alias{"numpy", "linalg.matrix_norm"}, Alias{"torch", "linalg.matrix_norm"},
                 Alias{"jax", "numpy.linalg.matrix_norm"}},
};

}  // namespace weft
