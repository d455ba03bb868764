// linalg.cond: how much a matrix may enlarge relative errors.
#include "weft/ops/linalg/cond.h"

#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/matrices.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace linalg {
namespace {

struct CondAttrs {
  std::string p = "2";
  static constexpr auto fields = fields_of(
      field("p", &CondAttrs::p,
            "the norm: '2', '-2', 'fro', 'nuc', '1', '-1', 'inf' or '-inf', as in matrix_norm"));
};

// The greatest singular value by the least, or the other way round.
Tensor by_singular_values(const Tensor& x, bool is_greatest_first) {
  const Tensor values = svdvals(x);
  const Tensor greatest = max(values, Ints{-1}), least = min(values, Ints{-1});
  const Tensor &above = is_greatest_first ? greatest : least,
               &below = is_greatest_first ? least : greatest;
  const Tensor is_singular = equal(below, 0.0);
  return where(is_singular, __builtin_inf(), above / where(is_singular, 1.0, below));
}

// The norm of x times that of its inverse. Of the 0 that a singular matrix has in its place, which
// is no inverse of any, norms are not taken: they have no slope there.
Tensor by_inverse(const Tensor& x, const std::string& p) {
  const Tensor inverse = apply(kInvOrZero, inputs(x), kNoAttrs, Where{});
  const Tensor mask = all(equal(inverse, 0.0), Ints{-2, -1}, /*keepdims=*/true);
  const Tensor identity = eye(x.dim(-1), {}, 0, x.dtype());
  const Tensor inverse_norm = matrix_norm(where(mask, identity, inverse), p);
  const Tensor product = matrix_norm(x, p) * inverse_norm;
  return where(squeeze(mask, Ints{-2, -1}), __builtin_inf(), product);
}

Tensors composed(const CondAttrs& at, TensorSpan in) {
  const InferCtx cx{"cond"};
  const Tensor x = as_inexact(in[0]);
  require_matrix(cx, x.type());
  for (const int64_t axis : {-2, -1}) {
    cx.require(!x.dim(axis).is_known() || x.dim(axis).value() > 0, "empty", "x has shape ",
               x.shape(), "; a matrix without elements has no condition");
  }
  if (at.p == "2" || at.p == "-2") return {by_singular_values(x, at.p == "2")};
  bool is_known = false;
  for (const char* name : {"fro", "nuc", "1", "-1", "inf", "-inf"}) is_known |= at.p == name;
  cx.require(is_known, "p", "p is '", at.p, "'; it must be 2, -2, fro, nuc, 1, -1, inf or -inf");
  decide_square(cx, x.type());
  return {cast(by_inverse(computed(x), at.p), real_of(x.dtype()))};
}

}  // namespace

Tensor cond(const Tensor& x, const std::string& p, Where where) {
  return compose(kCond, inputs(x), CondAttrs{p}, where);
}

}  // namespace linalg

constinit const CompositeDef kCond{
    .name = "cond",
    .module = "linalg",
    .doc =
        "The condition number of each matrix in the norm `p`: the norm of the matrix times that of "
        "its inverse, which for 2 is its greatest singular value by its least, and for -2 the "
        "least by the greatest. Infinite for a singular one; NaN for one with a NaN or an "
        "infinity. Norms but 2 and -2 are of square matrices.",
    .inputs = {"x: inexact"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<linalg::CondAttrs>(),
    .laws = {Law{"rank", "a matrix has two axes"}, Law{"empty", "a matrix has elements"},
             Law{"p", "the norm is one of those named"},
             Law{"square", "norms but 2 and -2 are of square matrices"}},
    .compose = rule<linalg::composed>(),
    .known_as = {Alias{"numpy", "linalg.cond"}, Alias{"torch", "linalg.cond"},
                 Alias{"jax", "numpy.linalg.cond"}},
};

}  // namespace weft
