// round.whole: the integer nearest to x.
#include "weft/op/apply.h"
#include "weft/ops/math/zero_gradient.h"

namespace weft {
namespace {

Expr meaning(Expr x) {
  return is_complex(x.dtype()) ? make_complex(round(real(x)), round(imag(x))) : round(x);
}

}  // namespace

constinit const OpDef kRound{
    .name = "round.whole",
    .doc =
        "The integer nearest to `x`; of two equally near ones the even one (elementwise), in "
        "the dtype of `x`. Integers, infinities and zeros stay as they are. The derivative "
        "is 0. Of a complex number both parts are rounded. What `round` is without decimals.",
    .inputs = {"x: numeric"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = zero_gradient(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
};

Tensor round(const Tensor& x, Where where) { return apply(kRound, inputs(x), kNoAttrs, where); }

}  // namespace weft
