// Samples of linspace.
#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  const int64_t num = at.get<weft::Shape>("num")[0].value();
  const long double start = number_of(in[0]), stop = number_of(in[1]);
  const long double last = static_cast<long double>(num - (at.get<bool>("endpoint") ? 1 : 0));
  const bool is_real = !weft::is_complex(in[0].dtype) && !weft::is_complex(in[1].dtype);
  const DType dtype =
      at.get<std::optional<DType>>("dtype").value_or(is_real ? DType::kF32 : DType::kC64);
  Array out = filled(dtype, {num}, 0);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const long double part = last > 0 ? static_cast<long double>(i) / last : 0;
    out.values[i].re = start * (1 - part) + stop * part;
    out.values[i].im = in[0].values[0].im * (1 - part) + in[1].values[0].im * part;
  }
  return {out};
}

Arrays fill_reference(const Attrs& at, const Arrays& in) {
  Array out = filled(at.get<DType>("dtype"), at.get<weft::Shape>("shape"), 0);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const auto at_stop = static_cast<long double>(i) == in[3].values[0].re;
    out.values[i].re = i > 0 && at_stop
                           ? in[1].values[0].re
                           : in[0].values[0].re + static_cast<long double>(i) * in[2].values[0].re;
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(linspace) {
  const char* const read_now = "start and stop are numbers, not traced";
  t.skip("special", "there are no equal steps to infinity");
  t.untraced("concrete", read_now);
  t.skip("symbolic", read_now);
  t.sample({exactly({}, {1}), exactly({}, {3})}, "num=5");
  t.sample({exactly({}, {3}, DType::kF32), exactly({}, {1}, DType::kF32)}, "num=7, dtype=float64");
  t.sample({exactly({}, {1}), exactly({}, {3})}, "num=5, endpoint=false");
  t.sample({exactly({}, {1}), exactly({}, {3})}, "num=1");
  t.sample({exactly({}, {1}, DType::kF32), exactly({}, {3}, DType::kF32)}, "num=0, dtype=float16");
  t.sample({exactly({}, {0.1}, DType::kF64), exactly({}, {1e6}, DType::kF64)},
           "num=1001, dtype=float64");
  t.sample({exactly({}, {-1.7e308}, DType::kF64), exactly({}, {1.7e308}, DType::kF64)},
           "num=5, dtype=float64");
  t.sample({typed(exactly({}, {1}), DType::kC64), exactly({}, {3})}, "num=5");
  t.sample({exactly({}, {1}), typed(exactly({}, {3}), DType::kC128)},
           "num=4, dtype=complex128, endpoint=false");
  t.large({exactly({}, {1}), exactly({}, {3})}, "num=90000");
  t.reference(reference);
  t.error("scalar", {in({2}), in({})}, "num=3",
          "linspace: start has shape [2]; it must have rank 0 [linspace.scalar]");
  t.error("size", {in({}), in({})}, "num=[3, 4]",
          "linspace: num has 2 sizes: [3, 4]; it must be one [linspace.size]");
  t.error("negative", {in({}), in({})}, "num=-1",
          "linspace: num is -1; it must be at least 0 [linspace.negative]");
  t.error("dtype", {in({}), in({})}, "num=3, dtype=int32",
          "linspace: dtype is int32; it must be floating [linspace.dtype]");
  t.error("dtype", {typed(in({}), DType::kC64), in({})}, "num=3, dtype=float32",
          "linspace: dtype is float32; it must be complex, as start or stop is [linspace.dtype]");
}

WEFT_OP_TEST(linspace__fill) {
  t.sample({exactly({}, {1}), exactly({}, {3}), exactly({}, {0.5}), exactly({}, {4})},
           "shape=[5], dtype=float64");
  t.sample({exactly({}, {1}), exactly({}, {3}), exactly({}, {0.4}), exactly({}, {5})}, "shape=[5]");
  t.large({exactly({}, {1}), exactly({}, {3}), exactly({}, {0.0001}), exactly({}, {89999})},
          "shape=[90000]");
  t.reference(fill_reference);
  t.error("negative", {in({}), in({}), in({}), in({})}, "shape=[-1]",
          "linspace.fill: shape [-1] has a negative size; sizes are at least 0 "
          "[linspace.fill.negative]");
}
