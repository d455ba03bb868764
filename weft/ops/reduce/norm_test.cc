// Samples of norm.
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/ops/reduce/reduce_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const double ord = at.get<double>("ord");
  return reduce_reference(at, in[0], real_of(in[0].dtype), [&](const Row& row) {
    long double total = 0, greatest = 0, least = INFINITY;
    for (const ScalarValue& v : row) {
      const long double a = std::hypot(v.re, v.im);
      greatest = a > greatest || std::isnan(a) ? a : greatest;  // a NaN stays
      least = a < least || std::isnan(a) ? a : least;
      total += ord == 0 ? static_cast<long double>(a != 0) : std::pow(a, ord);
    }
    if (std::isinf(ord)) return ScalarValue{ord > 0 ? greatest : least, 0, 0};
    return ScalarValue{ord == 0 ? total : std::pow(total, 1 / static_cast<long double>(ord)), 0, 0};
  });
}

WEFT_OP_TEST(norm) {
  axis_samples(t, in);
  for (const char* ord : {"1", "inf", "-inf", "0", "3", "0.5", "-1"}) {
    t.sample({in({3, 4}, 0.5, 2)}, std::string("axis=[1], ord=") + ord);
  }
  t.kink({exactly({2, 2}, {0, 0, 3, 4})}, "axis=[1]", "the norm has a corner at 0");
  t.sample({exactly({2}, {3e38, 1e38}, weft::DType::kF32)});
  t.sample({exactly({2}, {3e-40, 4e-40}, weft::DType::kF32)});
  t.sample({in({3, 0})}, "axis=[1]");
  t.sample({in({3, 0})}, "axis=[1], ord=inf");
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "axis=[0], ord=3");
  t.reference(reference);
  t.error("ord", {in({3})}, "ord=nan",
          "norm: the order is NaN; it must be a number or inf [norm.ord]");
  axis_errors(t);
}

WEFT_OP_TEST(norm__rows) {
  t.sample({in({3, 4}, 0.5, 2)});
  t.sample({in({2, 1, 3}, 0.5, 2)});
  t.sample({in({0, 3})});
  t.kink({exactly({2, 2}, {0, 0, 3, 4})}, "", "the norm has a corner at 0");
  t.sample({exactly({2}, {3e38, 1e38}, weft::DType::kF32)});
  t.sample({exactly({2}, {3e-40, 4e-40}, weft::DType::kF32)});
  t.large({in({300, 301})});
  t.reference([](const Attrs&, const Arrays& in) -> Arrays {
    std::vector<int64_t> shape = in[0].shape;
    const auto width = static_cast<size_t>(shape.back());
    shape.back() = 1;
    Array out = like(in[0], shape);
    for (size_t i = 0; i < in[0].values.size(); ++i) {
      long double& length = out.values[i / width].re;
      length = std::hypot(length, in[0].values[i].re);
    }
    return {out};
  });
  t.error("rank", {in({})}, "",
          "norm.rows: x has rank 0; it needs an axis to sum along [norm.rows.rank]");
}
