// Samples of eye.
#include "weft/ops/creation/fill_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(eye) {
  t.sample({}, "n_rows=3");
  t.sample({}, "n_rows=2, n_cols=4, k=1, dtype=int32");
  t.sample({}, "n_rows=4, n_cols=2, k=-2, dtype=float64");
  t.sample({}, "n_rows=3, k=9223372036854775807, dtype=bool");
  t.sample({}, "n_rows=3, k=-9223372036854775808, dtype=complex64");
  t.sample({}, "n_rows=0, n_cols=3");
  t.large({}, "n_rows=300, n_cols=301");
  t.reference([](const Attrs& at, const Arrays&) -> Arrays {
    const int64_t rows = at.get<weft::Shape>("n_rows")[0].value();
    const auto wide = at.get<weft::Shape>("n_cols");
    const int64_t cols = wide[0] == weft::Dim(-1) ? rows : wide[0].value();
    Array out = filled(at.get<DType>("dtype"), {rows, cols}, 0);
    const int64_t k = at.get<int64_t>("k");
    for (int64_t i = 0; i < rows; ++i) {
      if (k <= -100 || k >= 100 || i + k < 0 || i + k >= cols) continue;
      out.values[static_cast<size_t>(i * cols + i + k)] =
          kind_of(out.dtype) <= weft::Kind::kInteger ? ScalarValue{0, 0, 1} : ScalarValue{1, 0, 0};
    }
    return {out};
  });
  t.error("negative", {}, "n_rows=2, n_cols=-2",
          "eye: n_cols is -2; it must be at least 0 [eye.negative]");
  t.error("size", {}, "n_rows=[2, 3]",
          "eye: n_rows has 2 sizes: [2, 3]; it must be one [eye.size]");
}
