// Samples of full_like.
#include <cmath>

#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(full_like) {
  t.sample({in({2, 3}), exactly({}, {1}, weft::DType::kF32)});
  t.sample({in({2, 3}), exactly({}, {1})}, "dtype=float64");
  t.sample({in({}), exactly({}, {1}, weft::DType::kF32)}, "dtype=int32");
  t.sample({in({0, 3}), exactly({}, {1}, weft::DType::kF32)}, "dtype=complex64");
  t.large({in({300, 301}), in({})});
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    const auto dtype = at.get<std::optional<DType>>("dtype").value_or(in[0].dtype);
    const ScalarValue& value = in[1].values[0];
    const bool exact = kind_of(in[1].dtype) <= weft::Kind::kInteger;
    const long double number = exact ? static_cast<long double>(value.i) : value.re;
    const auto whole = static_cast<int64_t>(std::isfinite(number) ? number : 0);
    Array out{dtype, in[0].shape, {}};
    out.values.assign(static_cast<size_t>(count(in[0].shape)),
                      {number, is_complex(dtype) ? value.im : 0, whole});
    return {out};
  });
  t.error("value", {in({2}), in({2})}, "",
          "full_like: value has shape [2]; it must have rank 0 [full_like.value]");
}
