// Samples of nan_to_num.
#include "tests/op_suite/scalar_reference.h"

using namespace weft::suite;

namespace {

long double greatest(DType dtype) {
  if (dtype == DType::kF16) return 65504;
  if (dtype == DType::kBF16) return 0x1.fep127L;
  return dtype == DType::kF32 ? 0x1.fffffep127L : 0x1.fffffffffffffp1023L;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Arrays out = in;
  if (!weft::is_floating(weft::real_of(in[0].dtype))) return out;
  const long double end = greatest(weft::real_of(in[0].dtype));
  const auto above = at.get<std::optional<double>>("posinf");
  const auto below = at.get<std::optional<double>>("neginf");
  const auto replace = [&](long double& part) {
    if (std::isnan(part)) {
      part = at.get<double>("nan");
    } else if (std::isinf(part)) {
      part = part > 0 ? above.value_or(static_cast<double>(end))
                      : below.value_or(static_cast<double>(-end));
    }
  };
  for (ScalarValue& v : out[0].values) replace(v.re), replace(v.im);
  return out;
}

}  // namespace

WEFT_OP_TEST(nan_to_num) {
  t.sample({in({3, 4})});
  t.sample({in({2, 0})});
  t.sample({in({})}, "nan=2.5, posinf=7.0, neginf=-8.0");
  t.sample({in({4})}, "posinf=3.0");
  t.large({in({300, 301})});
  t.reference(reference);
  t.error("count", {in({2}), in({2})}, "",
          "nan_to_num: takes 1 input, but got 2 [nan_to_num.count]");
}

WEFT_OP_TEST(nan_to_num__nan) {
  t.sample({in({3, 4}), in({3, 4}), in({3, 4}, 5, 6)});
  t.sample({in({3, 1}), in({4}), in({}, 5, 6)});
  t.sample({in({0, 3}), in({}), in({}, 5, 6)});
  t.sample({in({3, 4}, -9, 9), in({}), in({}, 5, 6)});
  t.kink({exactly({3}, {1, NAN, 3}), exactly({}, {2}), exactly({}, {5})}, "", "NaN");
  t.error("broadcast", {in({3, 4}), in({3}), in({})}, "",
          "nan_to_num.nan: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes "
          "must be equal or 1 [nan_to_num.nan.broadcast]");
}
