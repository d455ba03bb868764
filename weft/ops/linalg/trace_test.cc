// Samples of trace.
#include "weft/ops/linalg/number_reference.h"

using namespace weft::suite;

namespace {

DType sum_dtype(DType x) {
  if (x == DType::kU8 || x == DType::kU16 || x == DType::kU32 || x == DType::kU64)
    return DType::kU64;
  if (x == DType::kI8 || x == DType::kI16 || x == DType::kI32) return DType::kI64;
  return x;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  const auto offset = at.get<int64_t>("offset");
  const auto asked = at.get<std::optional<DType>>("dtype");
  Array out{asked.value_or(sum_dtype(x.dtype)), x.shape, {}};
  out.shape.resize(out.shape.size() - 2);
  out.values.resize(static_cast<size_t>(count(out.shape)));
  for (size_t i = 0; i < x.values.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    if (place % columns - place / columns % rows != offset) continue;
    ScalarValue& total = out.values[i / static_cast<size_t>(rows * columns)];
    total = plus(out.dtype, total, x.values[i]);
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(trace) {
  t.sample({in({3, 3})});
  t.sample({in({2, 3, 4})}, "offset=1");
  t.sample({in({4, 2})}, "offset=-1");
  t.sample({in({2, 2})}, "offset=5");
  t.sample({in({0, 3})});
  t.large({in({50, 40, 40})});
  t.reference(reference);
  t.error("rank", {in({3})}, "",
          "trace: a matrix needs at least 2 axes, but the input has shape [3] [trace.rank]");
}
