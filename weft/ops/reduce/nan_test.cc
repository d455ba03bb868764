// Samples of nansum, nanmean, nanmax, nanmin, nanvar and nanstd.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

namespace {

bool is_nan(const ScalarValue& v) { return std::isnan(v.re) || std::isnan(v.im); }

ScalarValue sum_of(const Row& row, long double* count) {
  ScalarValue total;
  for (const ScalarValue& v : row) {
    if (!is_nan(v)) total = plus(total, v), ++*count;
  }
  return total;
}

Arrays sum_reference(const Attrs& at, const Arrays& in) {
  const DType dtype = at.get<std::optional<DType>>("dtype").value_or(accumulate_of(in[0].dtype));
  return reduce_reference(at, in[0], dtype, [](const Row& row) {
    long double count = 0;
    return sum_of(row, &count);
  });
}

Arrays mean_reference(const Attrs& at, const Arrays& in) {
  const bool complex = is_complex(in[0].dtype);
  return reduce_reference(at, in[0], in[0].dtype, [complex](const Row& row) {
    long double count = 0;
    const ScalarValue total = sum_of(row, &count);
    return ScalarValue{total.re / count, complex ? total.im / count : 0, 0};
  });
}

template <bool largest>
Arrays extremum_reference(const Attrs& at, const Arrays& in) {
  const DType dtype = in[0].dtype;
  return reduce_reference(at, in[0], dtype, [dtype](const Row& row) {
    const ScalarValue* best = nullptr;
    for (const ScalarValue& v : row) {
      if (is_nan(v)) continue;
      const bool below = is_floating(dtype) ? (best && best->re < v.re)
                         : dtype == DType::kU64
                             ? (best && static_cast<uint64_t>(best->i) < static_cast<uint64_t>(v.i))
                             : (best && best->i < v.i);
      const bool equal = best && best->re == v.re && best->i == v.i;
      if (best == nullptr || (!equal && below == largest)) best = &v;
    }
    return best ? *best : ScalarValue{NAN, 0, 0};
  });
}

long double variance_of_numbers(const Attrs& at, const Row& row) {
  Row numbers;
  for (const ScalarValue& v : row) {
    if (!is_nan(v)) numbers.push_back(v);
  }
  return variance_of(numbers, at.get<double>("correction"));
}

Arrays variance_reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype, [&](const Row& row) {
    return ScalarValue{variance_of_numbers(at, row), 0, 0};
  });
}

Arrays deviation_reference(const Attrs& at, const Arrays& in) {
  return reduce_reference(at, in[0], in[0].dtype, [&](const Row& row) {
    return ScalarValue{std::sqrt(variance_of_numbers(at, row)), 0, 0};
  });
}

const Arg kHoles = exactly({3, 3}, {NAN, 1, 2, 0.5, NAN, -1, 3, 4, 5}, DType::kF32);
const Arg kNothing = exactly({2, 2}, {NAN, NAN, 1, NAN}, DType::kF64);

void nan_variance_tests(OpTest& t) {
  variance_tests(t);
  complex_error(t, "floating");
  t.kink({kHoles}, "axis=[1]", "differences of NaN are NaN");
  t.kink({kHoles}, "correction=1", "differences of NaN are NaN");
  t.kink({kNothing}, "axis=[1], correction=1, keepdims=true", "differences of NaN are NaN");
}

void nan_samples(OpTest& t, Arg (*make)(std::initializer_list<int64_t>, double, double)) {
  axis_samples(t, make);
  t.kink({kHoles}, "axis=[1]", "differences of NaN are NaN");
  t.kink({kHoles}, "", "differences of NaN are NaN");
  t.kink({kNothing}, "axis=[1], keepdims=true", "differences of NaN are NaN");
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "axis=[0]");
  axis_errors(t);
}

}  // namespace

WEFT_OP_TEST(nansum) {
  nan_samples(t, in);
  t.sample({in({0, 3})}, "axis=[0]");
  t.sample({typed(in({3, 2}), DType::kF32)}, "dtype=float64");
  t.reference(sum_reference);
}

WEFT_OP_TEST(nansum__numbers) {
  axis_samples(t, in);
  t.kink({kHoles}, "axis=[1]", "differences of NaN are NaN");
  t.sample({in({0, 3})}, "axis=[0]");
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "axis=[0]");
  t.reference(sum_reference);
  t.error("axis", {in({3, 4})}, "axis=[2]",
          "nansum.numbers: axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 "
          "[nansum.numbers.axis]");
  t.error("axis_twice", {in({3, 4})}, "axis=[0, -2]",
          "nansum.numbers: axes [0, -2] name an axis of shape [3, 4] twice; name each axis once "
          "[nansum.numbers.axis_twice]");
}

WEFT_OP_TEST(nanmean) {
  t.skip("complex special", "dividing by a complex count spreads a NaN to both parts");
  nan_samples(t, in);
  t.kink({in({0, 3})}, "axis=[0]", "the mean of nothing is NaN");
  t.reference(mean_reference);
}

WEFT_OP_TEST(nanmax) {
  nan_samples(t, distinct);
  t.sample({in({0, 3})}, "axis=[1]");
  t.reference(extremum_reference<true>);
  empty_error(t, "axis=[1]");
  complex_error(t, "ordered");
}

WEFT_OP_TEST(nanmin) {
  nan_samples(t, distinct);
  t.sample({in({0, 3})}, "axis=[1]");
  t.reference(extremum_reference<false>);
  empty_error(t, "axis=[1]");
  complex_error(t, "ordered");
}

WEFT_OP_TEST(nanvar) {
  nan_variance_tests(t);
  t.reference(variance_reference);
}

WEFT_OP_TEST(nanstd) {
  nan_variance_tests(t);
  for (Sample& sample : t.samples) {
    const bool alone = sample.attrs == "axis=[]" || sample.inputs[0].shape.empty();
    if (alone) sample.kink = "a deviation of 0 has no derivative";
  }
  t.reference(deviation_reference);
}
