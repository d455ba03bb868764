// Samples of cummax, cummin and the indices they are made of.
#include "weft/ops/reduce/reduce_samples.h"
#include "weft/ops/sort/sort_reference.h"

using namespace weft::suite;

namespace {

// Whether `b` takes the place of `a`: NaN is before all else.
bool wins(const ScalarValue& b, const ScalarValue& a, DType dtype, bool largest) {
  if (is_floating(dtype) && (std::isnan(a.re) || std::isnan(b.re))) return !std::isnan(a.re);
  return largest ? sorts_before(a, b, dtype) : sorts_before(b, a, dtype);
}

Array running(const Attrs& at, const Array& x, bool largest, bool indices) {
  const DType dtype = indices ? DType::kI64 : x.dtype;
  return along_axis(x, at.get<int64_t>("axis"), x.shape, dtype, [&](const Row& row) {
    Row out;
    size_t best = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      if (wins(row[i], row[best], x.dtype, largest)) best = i;
      out.push_back(indices ? ScalarValue{0, 0, static_cast<int64_t>(best)} : row[best]);
    }
    return out;
  });
}

template <bool largest>
Arrays reference(const Attrs& at, const Arrays& in) {
  return {running(at, in[0], largest, false)};
}

void samples(OpTest& t, const char* name) {
  t.sample({distinct({7})}, "axis=0");
  t.sample({distinct({3, 4})}, "axis=0");
  t.sample({distinct({2, 3, 4})}, "axis=1");
  t.sample({in({2, 0})}, "axis=1");
  t.kink({exactly({2, 5}, {1, 1, 2, 2, 1, 0, -0.0, 0, -1, 0})}, "axis=1", "equal elements");
  t.kink({exactly({5}, {1, -INFINITY, NAN, INFINITY, NAN}, DType::kF32)}, "axis=0", "NaN");
  t.large({in({300, 301})}, "axis=0");
  t.large({in({300, 301})}, "axis=1");
  t.error("axis", {in({2, 3})}, "axis=2",
          text(name, ": axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [", name,
               ".axis]"));
}

}  // namespace

WEFT_OP_TEST(cummax) {
  samples(t, "cummax");
  t.reference(reference<true>);
  t.error("dtype", {typed(in({2}), DType::kC64)}, "axis=0",
          "cummax: x has dtype complex64, but must be ordered; cast it first [cummax.dtype]");
}

WEFT_OP_TEST(cummin) {
  samples(t, "cummin");
  t.reference(reference<false>);
  t.error("dtype", {typed(in({2}), DType::kC64)}, "axis=0",
          "cummin: x has dtype complex64, but must be ordered; cast it first [cummin.dtype]");
}

WEFT_OP_TEST(cummax__indices) {
  samples(t, "cummax.indices");
  t.sample({in({3, 4})}, "axis=1, largest=false");
  t.reference([](const Attrs& at, const Arrays& in) -> Arrays {
    return {running(at, in[0], at.get<bool>("largest"), true)};
  });
}
