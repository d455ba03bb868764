// Samples of fft.fftfreq.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays&) {
  const auto n = at.get<int64_t>("n");
  Array out{at.get<std::optional<DType>>("dtype").value_or(DType::kF32), {n}, {}};
  for (int64_t k = 0; k < out.shape[0]; ++k) {
    const int64_t count = k < n - n / 2 ? k : k - n;
    out.values.push_back(
        {static_cast<long double>(count) / (static_cast<long double>(n) * at.get<double>("d")), 0,
         0});
  }
  return {out};
}

WEFT_OP_TEST(fft__fftfreq) {
  t.sample({}, "n=1");
  t.sample({}, "n=6");
  t.sample({}, "n=7, d=0.25, dtype=f64");
  t.sample({}, "n=5, dtype=f16");
  t.large({}, "n=100001");
  t.reference(reference);
  t.error("length", {}, "n=0",
          "fftfreq: the length of the transform is 0; it must be at least 1 [fftfreq.length]");
  t.error("dtype", {}, "n=3, dtype=i32",
          "fftfreq: dtype is int32; it must be floating [fftfreq.dtype]");
}
