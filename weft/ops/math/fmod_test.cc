// Samples of fmod.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

ScalarValue rest(DType dtype, const ScalarValue* v) {
  if (!weft::is_integer(dtype)) {
    const bool beyond = std::isinf(static_cast<double>(v[0].re / v[1].re)) &&
                        std::isfinite(v[0].re) && v[1].re != 0;
    return {beyond ? std::copysign(0.0L, v[0].re) : std::fmod(v[0].re, v[1].re), 0, 0};
  }
  const int64_t a = v[0].i, b = v[1].i;
  if (b == 0) return {0, 0, a};
  if (!weft::is_signed_integer(dtype)) {
    return {0, 0, static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b))};
  }
  return {0, 0, b == -1 ? 0 : a % b};
}

Arrays reference(const Attrs&, const Arrays& in) { return scalar_reference(in, rest); }

}  // namespace

WEFT_OP_TEST(fmod) {
  t.sample({in({3, 4}, 2.1, 2.9), in({3, 4}, 0.9, 1)});
  t.sample({in({3, 1}, -2.9, -2.1), in({4}, 0.9, 1)});
  t.sample({in({}, 5.1, 5.9), in({2, 3}, -1, -0.99)});
  t.sample({in({0, 3}), in({3})});
  t.reference(reference);
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "fmod: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must be "
          "equal or 1 [fmod.broadcast]");
  t.error("dtype", {typed(in({2}), weft::DType::kC64), typed(in({2}), weft::DType::kC64)}, "",
          "fmod: a has dtype complex64, but must be real; cast it first [fmod.dtype]");
  t.error("count", {in({2})}, "", "fmod: takes 2 inputs, but got 1 [fmod.count]");
}
