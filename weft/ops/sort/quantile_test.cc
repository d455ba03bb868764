// Samples of median, nanmedian, quantile and percentile.
#include "weft/base/text.h"
#include "weft/ops/reduce/reduce_samples.h"
#include "weft/ops/sort/sort_reference.h"

using namespace weft::suite;

namespace {

long double at_fraction(Row row, long double q) {
  for (const ScalarValue& v : row) {
    if (std::isnan(v.re)) return NAN;
  }
  std::sort(row.begin(), row.end(),
            [](const ScalarValue& a, const ScalarValue& b) { return a.re < b.re; });
  const long double place = q * static_cast<long double>(row.size() - 1);
  const auto low = static_cast<size_t>(place);
  const size_t high = std::min(low + 1, row.size() - 1);
  const long double part = place - static_cast<long double>(low);
  if (row[low].re == row[high].re || part == 0) return row[low].re;
  return row[low].re * (1 - part) + row[high].re * part;
}

Arrays median_reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype,
                          [](const Row& row) { return ScalarValue{at_fraction(row, 0.5L), 0, 0}; });
}

Arrays nanmedian_reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype, [](const Row& row) {
    Row numbers;
    for (const ScalarValue& v : row) {
      if (!std::isnan(v.re)) numbers.push_back(v);
    }
    return ScalarValue{numbers.empty() ? NAN : at_fraction(numbers, 0.5L), 0, 0};
  });
}

Arrays parts_reference(const Attrs& at, const Arrays& in, long double whole) {
  Array out{in[0].dtype, in[1].shape, {}};
  std::vector<int64_t> kept;
  for (const ScalarValue& q : in[1].values) {
    const Array one = reduce_reference(at, in[0], in[0].dtype, [&](const Row& row) {
      return ScalarValue{at_fraction(row, q.re / whole), 0, 0};
    })[0];
    kept = one.shape;
    out.values.insert(out.values.end(), one.values.begin(), one.values.end());
  }
  out.shape.insert(out.shape.end(), kept.begin(), kept.end());
  return {out};
}

Arrays quantile_reference(const Attrs& at, const Arrays& in) { return parts_reference(at, in, 1); }
Arrays percentile_reference(const Attrs& at, const Arrays& in) {
  return parts_reference(at, in, 100);
}

void errors(OpTest& t, std::vector<Arg> more) {
  const auto with = [&](Arg x) {
    std::vector<Arg> all{x};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  t.error("empty", with(in({3, 0})), "axis=[1]",
          text(t.op,
               ": shape [3, 0] has no elements over axes [1], and there is no middle of "
               "nothing; reduce axes of size 1 or more [",
               t.op, ".empty]"));
  t.error("dtype", with(typed(in({2}), DType::kC64)), "",
          text(t.op, ": x has dtype complex64, but must be floating; cast it first [", t.op,
               ".dtype]"));
  t.error("axis", with(in({3, 4})), "axis=[2]",
          text(t.op, ": axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [", t.op,
               ".axis]"));
}

}  // namespace

WEFT_OP_TEST(median) {
  t.skip("symbolic", "the size of the reduced axes must be known");
  t.sample({distinct({5})});
  t.sample({distinct({3, 4})}, "axis=[1]");
  t.sample({distinct({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({distinct({2, 301})}, "axis=[1]");
  t.sample({in({})});
  t.sample({in({0, 3})}, "axis=[1]");
  t.kink({exactly({2, 4}, {1, NAN, 2, 3, INFINITY, INFINITY, INFINITY, 0}, DType::kF32)},
         "axis=[1]", "NaN and equal elements");
  t.large({in({300, 301})}, "axis=[0]");
  t.reference(median_reference);
  errors(t, {});
}

WEFT_OP_TEST(nanmedian) {
  t.skip("symbolic", "the size of the reduced axes must be known");
  t.sample({distinct({5})});
  t.sample({distinct({3, 4})}, "axis=[1]");
  t.sample({distinct({3, 4, 5})}, "axis=[0, -1], keepdims=true");
  t.sample({in({})});
  t.sample({in({0, 3})}, "axis=[1]");
  t.kink({exactly({3, 4}, {1, NAN, 2, 3, NAN, NAN, 4, 0, NAN, NAN, NAN, NAN}, DType::kF32)},
         "axis=[1]", "differences of NaN are NaN");
  t.kink({exactly({4}, {INFINITY, INFINITY, NAN, -INFINITY}, DType::kF32)}, "",
         "differences of infinities are NaN");
  t.large({in({300, 301})}, "axis=[0]");
  t.reference(nanmedian_reference);
  errors(t, {});
}

WEFT_OP_TEST(quantile) {
  t.skip("symbolic", "the size of the reduced axes must be known");
  t.skip("special", "q is between 0 and 1");
  t.skip("zero", "q is between 0 and 1");
  const Arg q = exactly({3}, {0.1, 0.35, 0.8});
  t.sample({distinct({5}), q});
  t.sample({distinct({3, 4}), exactly({}, {0.4})}, "axis=[1]");
  t.sample({distinct({3, 4, 3}), q}, "axis=[0, -1], keepdims=true");
  t.kink({distinct({5}), exactly({3}, {0, 0.5, 1})}, "", "the neighbours change");
  t.kink({exactly({2, 3}, {3, 1, INFINITY, -INFINITY, INFINITY, 2}, DType::kF32),
          exactly({3}, {0, 0.5, 1})},
         "axis=[1]", "differences of infinities are NaN");
  t.large({in({300, 301}), exactly({2}, {0.25, 0.75})}, "axis=[0]");
  t.reference(quantile_reference);
  errors(t, {exactly({}, {0.5})});
  t.error("q", {in({3}), exactly({2}, {0.5, 1.5})}, "",
          "quantile: q goes from 0.5 to 1.5; it must be between 0 and 1 [quantile.q]");
  t.error("dtype", {in({3}), typed(exactly({}, {0.5}), DType::kC64)}, "",
          "quantile: q has dtype complex64, but must be floating; cast it first [quantile.dtype]");
}

WEFT_OP_TEST(percentile) {
  t.skip("symbolic", "the size of the reduced axes must be known");
  t.skip("special", "q is between 0 and 100");
  t.skip("zero", "q is between 0 and 100");
  const Arg q = exactly({3}, {10, 35, 80});
  t.sample({distinct({5}), q});
  t.sample({distinct({3, 4}), exactly({}, {40})}, "axis=[1]");
  t.sample({distinct({3, 4, 3}), q}, "axis=[0, -1], keepdims=true");
  t.kink({distinct({5}), exactly({3}, {0, 50, 100})}, "", "the neighbours change");
  t.kink({exactly({3}, {3, 1, INFINITY}, DType::kF32), exactly({3}, {0, 50, 100})}, "",
         "differences of infinities are NaN");
  t.large({in({300, 301}), exactly({2}, {25, 75})}, "axis=[0]");
  t.reference(percentile_reference);
  errors(t, {exactly({}, {50})});
  t.error("q", {in({3}), exactly({2}, {50, 150})}, "",
          "percentile: q goes from 50.0 to 150.0; it must be between 0 and 100 [percentile.q]");
  t.error("dtype", {in({3}), typed(exactly({}, {50}), DType::kC64)}, "",
          "percentile: q has dtype complex64, but must be floating; cast it first "
          "[percentile.dtype]");
}
