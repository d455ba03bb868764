// Samples of arange.
#include <cmath>

#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

namespace {

Array counted(DType dtype, int64_t n, double start, double step) {
  Array out = filled(dtype, {n}, 0);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const long double value = start + static_cast<long double>(i) * step;
    out.values[i] = weft::is_integer(dtype) ? ScalarValue{0, 0, static_cast<int64_t>(value)}
                                            : ScalarValue{value, 0, 0};
  }
  return out;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const double start = in.size() > 1 ? number_of(in[0]) : 0;
  const double stop = number_of(in[in.size() > 1 ? 1 : 0]);
  const double step = in.size() > 2 ? number_of(in[2]) : 1;
  const DType given = in[0].dtype;
  const DType usual = weft::is_integer(given) ? DType::kI64 : DType::kF32;
  const double n = std::ceil((stop - start) / step);
  return {counted(at.get<std::optional<DType>>("dtype").value_or(usual),
                  n > 0 ? static_cast<int64_t>(n) : 0, start, step)};
}

Arrays fill_reference(const Attrs& at, const Arrays& in) {
  return {counted(at.get<DType>("dtype"), at.get<weft::Shape>("shape")[0].value(), number_of(in[0]),
                  number_of(in[1]))};
}

}  // namespace

WEFT_OP_TEST(arange) {
  const char* const read_now =
      "start, stop and step decide the shape, so they are numbers, not traced";
  t.skip("special", read_now);
  t.untraced("concrete", read_now);
  t.skip("symbolic", read_now);
  t.sample({exactly({}, {5})});
  t.sample({exactly({}, {2}), exactly({}, {7})});
  t.sample({exactly({}, {2}), exactly({}, {7}), exactly({}, {2})});
  t.sample({exactly({}, {7}), exactly({}, {2}), exactly({}, {1})});
  t.sample({exactly({}, {0})});
  t.sample({exactly({}, {5})}, "dtype=float64");
  t.sample({exactly({}, {5})}, "dtype=float16");
  t.sample({exactly({}, {5})}, "dtype=uint8");
  t.sample({exactly({}, {7}, DType::kI64), exactly({}, {1}, DType::kI64),
            exactly({}, {-2}, DType::kI64)});
  t.sample({exactly({}, {0}, DType::kF32), exactly({}, {1}, DType::kF32),
            exactly({}, {0.25}, DType::kF32)});
  t.sample({exactly({}, {1}, DType::kF64), exactly({}, {-1}, DType::kF64),
            exactly({}, {-0.3}, DType::kF64)},
           "dtype=float64");
  t.large({exactly({}, {200000}, weft::DType::kI64)});
  t.large({exactly({}, {0}, weft::DType::kF64), exactly({}, {9000}, weft::DType::kF64),
           exactly({}, {0.1}, weft::DType::kF64)});
  t.reference(reference);
  t.error("scalar", {in({2})}, "",
          "arange: stop has shape [2]; it must have rank 0 [arange.scalar]");
  t.error("step", {exactly({}, {1}), exactly({}, {2}), exactly({}, {0})}, "",
          "arange: the step is 0; it must not be [arange.step]");
  t.error("count", {exactly({}, {0}, DType::kF32), exactly({}, {INFINITY}, DType::kF32)}, "",
          "arange: from 0.0 to inf in steps of 1.0 is no finite number of elements [arange.count]");
  t.error("dtype", {exactly({}, {3})}, "dtype=bool",
          "arange: dtype is bool; it must be integer or floating [arange.dtype]");
  t.error("fits", {exactly({}, {300}, DType::kI64)}, "dtype=uint8",
          "arange: from start to stop there is 299, but uint8 holds 0 to 255; use a dtype that "
          "holds it [arange.fits]");
  t.error("fits", {exactly({}, {-1}, DType::kI64), exactly({}, {3}, DType::kI64)}, "dtype=uint16",
          "arange: from start to stop there is -1, but uint16 holds 0 to 65535; use a dtype that "
          "holds it [arange.fits]");
}

WEFT_OP_TEST(arange__float) {
  t.sample({exactly({}, {0.5}), exactly({}, {0.1})}, "shape=[7], dtype=float64");
  t.sample({exactly({}, {0.5}), exactly({}, {0.1})}, "shape=[1000], dtype=float32");
  t.sample({exactly({}, {-1}), exactly({}, {0.25})}, "shape=[9], dtype=float16");
  t.sample({exactly({}, {-1}), exactly({}, {0.25})}, "shape=[9], dtype=bfloat16");
  t.sample({exactly({}, {-1}), exactly({}, {0.25})}, "shape=[0]");
  t.large({exactly({}, {0.5}), exactly({}, {0.1})}, "shape=[300, 301]");
  t.reference(fill_reference);
  t.error("negative", {in({}), in({})}, "shape=[-1]",
          "arange.float: shape [-1] has a negative size; sizes are at least 0 "
          "[arange.float.negative]");
}

WEFT_OP_TEST(arange__int) {
  t.sample({exactly({}, {-3}), exactly({}, {2})}, "shape=[7], dtype=int64");
  t.sample({exactly({}, {5}), exactly({}, {1})}, "shape=[1000], dtype=uint32");
  t.sample({exactly({}, {5}), exactly({}, {-1})}, "shape=[9], dtype=int8");
  t.sample({exactly({}, {5}), exactly({}, {3})}, "shape=[9], dtype=uint64");
  t.large({exactly({}, {-3}), exactly({}, {2})}, "shape=[300, 301], dtype=int32");
  t.reference(fill_reference);
  t.error("negative", {in({}), in({})}, "shape=[-1], dtype=int32",
          "arange.int: shape [-1] has a negative size; sizes are at least 0 "
          "[arange.int.negative]");
}
