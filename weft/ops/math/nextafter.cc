// nextafter: the next number in a direction.
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"

namespace weft {
namespace {

// The number as it is stored, and the integer of its bits. 16-bit floats arrive as float32, in
// which the next number is another one.
Expr stored(Expr a) {
  return a->op == ExprOp::kCast && size_of(a.arg(0).dtype()) == 2 ? a.arg(0) : a;
}
DType bits_dtype(Expr a) {
  if (size_of(a.dtype()) == 2) return DType::kU16;
  return a.dtype() == DType::kF32 ? DType::kU32 : DType::kU64;
}

Expr next(Expr a, Expr b) {
  const Expr from = stored(a), to = stored(b);
  const DType integer = bits_dtype(from);
  const Expr bits = bitcast(from, integer);
  const Expr one = Expr::constant(integer, 1);
  const Expr sign =
      shift_left(one, Expr::constant(integer, static_cast<double>(8 * size_of(integer) - 1)));
  // Away from zero the bits count up.
  const Expr away = (a < b) ^ (a < 0);
  const Expr least = (bitcast(to, integer) & sign) | one;
  const Expr moved = where(a == 0, least, where(away, bits + one, bits - one));
  const Expr neighbour = bitcast(moved, from.dtype());
  return where(isnan(a), from, where(isnan(b) | (a == b), to, neighbour));
}

Expr meaning(Expr a, Expr b) { return next(a, b); }

}  // namespace

constinit const OpDef kNextafter{
    .name = "nextafter",
    .doc =
        "The number of the dtype next to `a` in the direction of `b`, and `b` where they are "
        "equal; NaN if either is NaN. The derivative is that of `a`.",
    .inputs = {"a: floating", "b: like a"},
    .outputs = {"out: like a"},
    .infer = infer::broadcast,
    .grad = derive::partials<[](auto a, auto, auto) { return decltype(a)(1.0); },
                             [](auto, auto b, auto) { return decltype(b)(0.0); }>()
                .selecting(),
    .batch = batch::broadcasting(),
    .kernel = kernel::elementwise(meaning),
    .known_as = {Alias{"numpy", "nextafter"}, Alias{"torch", "nextafter"},
                 Alias{"jax", "numpy.nextafter"}},
};

Tensor nextafter(const Tensor& a, const Tensor& b, Where where) {
  return apply(kNextafter, inputs(a, b), kNoAttrs, where);
}

}  // namespace weft
