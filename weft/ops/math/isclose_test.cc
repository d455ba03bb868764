// Samples of isclose, allclose and array_equal.
#include <cmath>

#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

long double distance(const ScalarValue& a, const ScalarValue& b) {
  return std::hypot(a.re - b.re, a.im - b.im);
}
long double size(const ScalarValue& a) { return std::hypot(a.re, a.im); }
bool is_nan(const ScalarValue& a) { return std::isnan(a.re) || std::isnan(a.im); }

// The element of x at a place of a wider shape.
const ScalarValue& spread(const Array& x, const std::vector<int64_t>& place) {
  std::vector<int64_t> own(place.end() - static_cast<int64_t>(x.shape.size()), place.end());
  for (size_t i = 0; i < own.size(); ++i) own[i] = x.shape[i] == 1 ? 0 : own[i];
  return x.values[static_cast<size_t>(ravel(own, x.shape))];
}

ScalarValue as_number(const ScalarValue& v, DType dtype) {
  ScalarValue out = v;
  if (weft::kind_of(dtype) <= weft::Kind::kInteger) {
    const bool is_unsigned = dtype == DType::kU64;
    out.re = is_unsigned ? static_cast<long double>(static_cast<uint64_t>(v.i))
                         : static_cast<long double>(v.i);
    out.im = 0;
  }
  return out;
}

bool are_equal(const ScalarValue& a, const ScalarValue& b) { return a.re == b.re && a.im == b.im; }

Arrays close_reference(const Attrs& at, const Arrays& in) {
  std::vector<int64_t> shape = in[0].shape.size() > in[1].shape.size() ? in[0].shape : in[1].shape;
  for (const Array& x : in) {
    for (size_t i = 1; i <= x.shape.size(); ++i) {
      int64_t& extent = shape[shape.size() - i];
      if (extent == 1) extent = x.shape[x.shape.size() - i];
    }
  }
  Array out{DType::kBool, shape, {}};
  for (int64_t i = 0; i < count(shape); ++i) {
    const std::vector<int64_t> place = unravel(i, shape);
    const ScalarValue a = as_number(spread(in[0], place), in[0].dtype);
    const ScalarValue b = as_number(spread(in[1], place), in[1].dtype);
    const bool is_near =
        std::isfinite(size(b)) &&
        distance(a, b) <= at.get<double>("atol") + at.get<double>("rtol") * size(b);
    ScalarValue v;
    v.i = are_equal(a, b) || is_near || (at.get<bool>("equal_nan") && is_nan(a) && is_nan(b));
    v.re = static_cast<long double>(v.i);
    out.values.push_back(v);
  }
  return {out};
}

Arrays all_of(Array each) {
  ScalarValue v;
  v.i = 1;
  for (const ScalarValue& one : each.values) v.i = v.i != 0 && one.i != 0;
  v.re = static_cast<long double>(v.i);
  return {{DType::kBool, {}, {v}}};
}

Arrays allclose_reference(const Attrs& at, const Arrays& in) {
  return all_of(close_reference(at, in)[0]);
}

Arrays array_equal_reference(const Attrs& at, const Arrays& in) {
  Array each{DType::kBool, {}, {}};
  if (in[0].shape != in[1].shape) each.values.resize(1);
  for (size_t i = 0; in[0].shape == in[1].shape && i < in[0].values.size(); ++i) {
    const ScalarValue a = as_number(in[0].values[i], in[0].dtype);
    const ScalarValue b = as_number(in[1].values[i], in[1].dtype);
    ScalarValue v;
    v.i = are_equal(a, b) || (at.get<bool>("equal_nan") && is_nan(a) && is_nan(b));
    each.values.push_back(v);
  }
  return all_of(each);
}

}  // namespace

WEFT_OP_TEST(isclose) {
  t.sample({exactly({4}, {1, 2, 3, 0}), exactly({4}, {1, 2.25, 3, 1})}, "atol=0.5");
  t.sample({in({3, 4}), in({4})}, "rtol=0.3, atol=0.1");
  t.sample({in({}), in({2, 1})});
  t.sample({in({0, 3}), in({3})}, "equal_nan=true");
  t.large({in({300, 301}), in({300, 301})}, "rtol=0.25, atol=0.5");
  t.reference(close_reference);
  t.error("tolerance", {in({2}), in({2})}, "rtol=-1.0",
          "isclose: rtol is -1.0 and atol is 1e-08; both must be at least 0 [isclose.tolerance]");
  t.error("broadcast", {in({3, 4}), in({3})}, "",
          "isclose: shapes [3, 4] and [3] do not broadcast: axis -1 has size 4 and 3; sizes must "
          "be equal or 1 [isclose.broadcast]");
}

WEFT_OP_TEST(allclose) {
  t.sample({exactly({4}, {1, 2, 3, 0}), exactly({4}, {1, 2.25, 3, 1})}, "atol=1.0");
  t.sample({in({3, 4}), in({4})}, "atol=0.1");
  t.sample({in({3, 4}), in({4})}, "atol=10.0");
  t.sample({in({0, 3}), in({3})});
  t.large({in({300, 301}), in({300, 301})}, "atol=5.0");
  t.reference(allclose_reference);
  t.error("tolerance", {in({2}), in({2})}, "atol=-1.0",
          "allclose: rtol is 1e-05 and atol is -1.0; both must be at least 0 [allclose.tolerance]");
}

WEFT_OP_TEST(array_equal) {
  t.skip("symbolic", "whether shapes are equal is asked when they are known");
  t.sample({exactly({3}, {1, 2, 3}), exactly({3}, {1, 2, 3})});
  t.sample({in({2, 3}), in({2, 3})}, "equal_nan=true");
  t.sample({in({2, 3}), in({3})});
  t.sample({in({0}), in({0})});
  t.large({in({300, 301}), in({300, 301})});
  t.reference(array_equal_reference);
  t.error("count", {in({2})}, "", "array_equal: takes 2 inputs, but got 1 [array_equal.count]");
}
