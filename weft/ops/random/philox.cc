// Philox on Expr, for fill kernels.
#include "weft/ops/random/philox.h"

namespace weft::random {

Block<Expr> philox_here(Expr key0, Expr key1) {
  const auto number = [](uint32_t x) { return Expr::constant_bits(DType::kU32, x); };
  const Expr position = Expr::position();
  const Expr high = shift_right(position, Expr::constant_bits(DType::kU64, 32));
  const Block<Expr> counter{{cast(position, DType::kU32), cast(high, DType::kU32),
                             number(static_cast<uint32_t>(Stream::kDraw)), number(0)}};
  return philox(key0, key1, counter, number);
}

}  // namespace weft::random
