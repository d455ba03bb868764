// A sample as a differentiable function, and the arithmetic of the derivative columns.
#include "tests/op_suite/derivatives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/transform/jvp.h"

namespace weft::suite {
namespace {

bool has_gradient(const OpEntry& entry, size_t input, DType dtype) {
  const bool stops = entry.op != nullptr && entry.op->grad.kind != GradKind::kNotDifferentiable &&
                     !no_gradient_reason(*entry.op, input).empty();
  return !stops && is_inexact(dtype);
}

bool has_inexact_input(const OpEntry& entry) {
  for (const ArgSpec& arg : entry.inputs) {
    for (int i = 0; i < kNumDTypes; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (contains(arg.dtypes, dtype) && is_inexact(dtype)) return true;
    }
  }
  return false;
}

// A composite's outputs, of its samples.
bool gives_inexact(const Case& c) {
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    const Tensors in = to_tensors(sample_inputs(c, s, c.dtypes.back()));
    for (const Tensor& t : run(c.entry, in, attrs.data())) {
      if (is_inexact(t.dtype())) return true;
    }
  }
  return false;
}

// The same values in a wider dtype.
Arrays widened(const Arrays& in) {
  Arrays out = in;
  for (Array& x : out) {
    if (x.dtype == DType::kF32) x.dtype = DType::kF64;
  }
  return out;
}

}  // namespace

bool is_precise(DType dtype) { return dtype == DType::kF64 || dtype == DType::kC128; }
bool is_inexact(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

Differentiable::Differentiable(const Case& c, TensorSpan in, const AnyAttrs& attrs)
    : case_(c), attrs_(attrs), refuses_(refuses_gradient(c)), all_(in.begin(), in.end()) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (has_gradient(c.entry, i, in[i].dtype())) places_.push_back(i);
  }
}

Tensors Differentiable::operator()(TensorSpan values) const {
  Tensors given = all_;
  for (size_t k = 0; k < places_.size(); ++k) given[places_[k]] = values[k];
  return at(given);
}

Tensors Differentiable::at(TensorSpan all) const {
  Tensors out;
  for (const Tensor& t : run(case_.entry, all, attrs_.data())) {
    if (is_inexact(t.dtype()) || refuses_) out.push_back(t);
  }
  return out;
}

Tensors Differentiable::chosen(TensorSpan all) const {
  Tensors out;
  for (const size_t i : places_) out.push_back(all[i]);
  return out;
}

bool misses_gradient(const Case& c) {
  return c.entry.op != nullptr && c.entry.op->grad.kind == GradKind::kMissing;
}

bool refuses_gradient(const Case& c) {
  if (!c.test.untraced_law.empty() || !has_inexact_input(c.entry)) return true;
  if (c.entry.op == nullptr) return !gives_inexact(c);
  return c.entry.op->grad.kind == GradKind::kNotDifferentiable || misses_gradient(c);
}

bool has_gradients(const Case& c) {
  const bool is_skipped = std::any_of(c.test.skips.begin(), c.test.skips.end(),
                                      [](const Skip& skip) { return skip.column == "tape"; });
  return !is_skipped && !refuses_gradient(c);
}

void expect_refusal(const Case& c, GradientOf gradient) {
  const auto f64 = std::find(c.dtypes.begin(), c.dtypes.end(), DType::kF64);
  const DType dtype = f64 != c.dtypes.end() ? *f64 : c.dtypes.front();
  const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[0].attrs);
  const Differentiable f(c, to_tensors(sample_inputs(c, 0, dtype)), attrs);
  try {
    gradient(f, f.places().empty() ? f.inputs() : f.point());
    ADD_FAILURE() << c.test.op << " should refuse this, but does not";
  } catch (const Error& error) {
    if (!c.test.untraced_law.empty()) {
      EXPECT_EQ(error.law, c.test.untraced_law) << error.what();
    } else if (f.places().empty()) {
      EXPECT_TRUE(error.law == "dtype" || error.law == "path") << error.what();
    } else {
      const OpDef* const op = c.entry.op;  // a composite names one of its parts
      const std::string end =
          op == nullptr ? "ends at " : text("ends at ", op->name, " (", op->grad.reason);
      EXPECT_NE(error.message.find(end), std::string::npos) << error.message;
    }
  }
}

Tensors refused_gradient(FlatFunction f, TensorSpan in, bool with_cotangent) {
  const Linearization line(f, in, Where{});
  const Tensors back = with_cotangent ? line.pull(line.outputs()) : Tensors(in.size());
  return connected(line, back, in, Unconnected::kRaise, "grad", Where{});
}

void for_each_differentiable(const Case& c, std::initializer_list<DType> dtypes, Samples which,
                             CheckSample check) {
  int checked = 0;
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    if (which == Samples::kSmooth && !c.test.samples[s].kink.empty()) continue;
    for (const DType dtype : dtypes) {
      if (std::find(c.dtypes.begin(), c.dtypes.end(), dtype) == c.dtypes.end()) continue;
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype));
      const Differentiable f(c, to_tensors(sample_inputs(c, s, dtype)), attrs);
      if (f.places().empty() || f(f.point()).empty()) continue;
      ++checked;
      check(f, c.test.samples[s], attrs);
    }
  }
  EXPECT_GT(checked, 0) << c.test.op << " has a gradient, but no sample to check it";
}

Tensor random_like(const Tensor& x, Random& random) {
  Array out = to_array(x);
  for (ScalarValue& v : out.values) {
    v = value_of(out.dtype, random.uniform(-1, 1), random.uniform(-1, 1));
  }
  return to_tensor(out);
}

Tensors random_like(TensorSpan xs, Random& random) {
  Tensors out;
  for (const Tensor& x : xs) out.push_back(random_like(x, random));
  return out;
}

Tensors moved(TensorSpan x, TensorSpan directions, double step) {
  Tensors out(x.begin(), x.end());
  for (size_t i = 0; i < x.size(); ++i) {
    if (!directions[i].defined()) continue;
    Array at = to_array(x[i]);
    const Array along = to_array(directions[i]);
    for (size_t j = 0; j < at.values.size(); ++j) {
      at.values[j].re += step * along.values[j].re;
      at.values[j].im += step * along.values[j].im;
    }
    out[i] = to_tensor(at);
  }
  return out;
}

Arrays central_differences(FlatFunction f, TensorSpan in, TensorSpan along, double step) {
  const Tensors high = f(moved(in, along, step)), low = f(moved(in, along, -step));
  Arrays out;
  for (size_t k = 0; k < high.size(); ++k) {
    Array difference = to_array(high[k]);
    const Array subtrahend = to_array(low[k]);
    for (size_t i = 0; i < difference.values.size(); ++i) {
      difference.values[i].re = (difference.values[i].re - subtrahend.values[i].re) / (2 * step);
      difference.values[i].im = (difference.values[i].im - subtrahend.values[i].im) / (2 * step);
    }
    out.push_back(std::move(difference));
  }
  return out;
}

long double inner(TensorSpan a, TensorSpan b) {
  long double out = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    if (!a[k].defined() || !b[k].defined()) continue;
    const Array x = to_array(a[k]), y = to_array(b[k]);
    for (size_t i = 0; i < x.values.size(); ++i) {
      out += x.values[i].re * y.values[i].re + x.values[i].im * y.values[i].im;
    }
  }
  return out;
}

Tensors filled(Tensors values, TensorSpan like) {
  for (size_t k = 0; k < values.size(); ++k) {
    if (!values[k].defined()) values[k] = zeros(Shape(like[k].shape()), like[k].dtype());
  }
  return values;
}

std::string bit_difference(const Tensor& got, const Tensor& wanted) {
  if (got.defined() != wanted.defined()) return got.defined() ? "it exists" : "it is missing";
  if (!got.defined() || same_bits(got, wanted)) return "";
  const std::string where = difference(to_array(got), to_array(wanted), 0, true);
  return where.empty() ? "the bits differ" : where;
}

Tensors pushed(FlatFunction f, TensorSpan in, TensorSpan tangents) {
  const JvpResult out = jvp_flat(f, in, tangents, Where{});
  return filled(out.tangents, out.outputs);
}

Tensors pulled(FlatFunction f, TensorSpan in, TensorSpan cotangents) {
  const Linearization line(f, in, Where{});
  return filled(line.pull(cotangents), in);
}

void check_narrow(const Case& c, DerivativeOf derivative) {
  if (std::find(c.dtypes.begin(), c.dtypes.end(), DType::kF32) == c.dtypes.end()) return;
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    if (!c.test.samples[s].kink.empty()) continue;
    SCOPED_TRACE(text(c.test.op, " sample ", s, " in float32 and float64"));
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    const Arrays in = sample_inputs(c, s, DType::kF32);
    const Differentiable narrow(c, to_tensors(in), attrs), wide(c, to_tensors(widened(in)), attrs);
    if (narrow.places().empty()) continue;
    const Tensors got = derivative(narrow), wanted = derivative(wide);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t k = 0; k < got.size(); ++k) {
      if (got[k].dtype() != DType::kF32) continue;
      Array expected = to_array(wanted[k]);
      expected.dtype = DType::kF32;
      double greatest = 1;
      for (const ScalarValue& v : expected.values) {
        greatest = std::max(greatest, std::abs(static_cast<double>(v.re)));
      }
      const double tolerance = tolerance_of(DType::kF32) * c.test.tolerance_factor * greatest;
      EXPECT_EQ(difference(to_array(got[k]), expected, tolerance), "") << "derivative " << k;
    }
  }
}

}  // namespace weft::suite
