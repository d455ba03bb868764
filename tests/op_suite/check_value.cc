// Columns value and special: results against the reference.
#include <gtest/gtest.h>

#include <limits>

#include "tests/op_suite/checks.h"
#include "tests/op_suite/equal_axes.h"
#include "tests/op_suite/reference.h"
#include "weft/op/apply.h"

namespace weft::suite {
namespace {

void expect_reference(const Case& c, const Arrays& in, AnyAttrs& attrs, bool zero_signs,
                      const std::string& what) {
  const std::optional<Arrays> wanted = reference_of(c.test, c.entry, in, attrs);
  if (!wanted) {
    ADD_FAILURE() << c.test.op << " has no Expr meaning, so its test must bring a reference";
    return;
  }
  const Tensors got = run(c.entry, to_tensors(in), attrs.data());
  ASSERT_EQ(got.size(), wanted->size()) << what;
  for (size_t k = 0; k < got.size(); ++k) {
    const double tolerance = tolerance_of(got[k].dtype()) * c.test.tolerance_factor;
    EXPECT_EQ(difference(to_array(got[k]), (*wanted)[k], tolerance, zero_signs), "")
        << what << ", output " << k;
  }
}

// Inference must say what running gives.
void expect_inferred(const Case& c, const Arrays& in, AnyAttrs& attrs) {
  if (c.entry.op == nullptr) return;
  Types types;
  for (const Array& a : in) types.push_back({a.dtype, Shape(a.shape.begin(), a.shape.end())});
  const Types inferred = infer_types(*c.entry.op, types, attrs.data());
  const Tensors got = run(c.entry, to_tensors(in), attrs.data());
  ASSERT_EQ(got.size(), inferred.size());
  for (size_t k = 0; k < got.size(); ++k) {
    Type known = inferred[k];
    ASSERT_EQ(known.rank(), got[k].rank());
    for (int64_t d = 0; d < known.rank(); ++d) {  // "?...": values decide this size
      Dim& dim = known.shape[static_cast<size_t>(d)];
      if (to_string(dim).starts_with("?")) dim = got[k].dim(d);
    }
    EXPECT_EQ(text(got[k].type()), text(known));
  }
}

std::vector<ScalarValue> special_values(DType dtype) {
  std::vector<ScalarValue> out;
  if (dtype == DType::kBool) return {{0, 0, 0}, {0, 0, 1}};
  if (is_integer(dtype)) {
    const int bits = static_cast<int>(size_of(dtype)) * 8;
    const int64_t top = static_cast<int64_t>(uint64_t{1} << (bits - 1));
    for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{7}})
      out.push_back({0, 0, v});
    if (is_signed_integer(dtype)) {
      for (int64_t v : {int64_t{-1}, int64_t{-2}, int64_t{-7}, bits == 64 ? top : -top,
                        bits == 64 ? ~top : top - 1}) {
        out.push_back({0, 0, v});
      }
    } else {
      out.push_back({0, 0, bits == 64 ? int64_t{-1} : 2 * top - 1});
    }
    return out;
  }
  const double inf = std::numeric_limits<double>::infinity();
  const double denormal = dtype == DType::kF64 ? 5e-324 : dtype == DType::kF16 ? 6e-8 : 1e-45;
  const double largest = dtype == DType::kF16 ? 65504 : dtype == DType::kF64 ? 1.797e308 : 3.38e38;
  for (double v : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, inf, -inf, denormal,
                   -denormal, largest, -largest, std::numeric_limits<double>::quiet_NaN()}) {
    out.push_back(value_of(dtype, v));
  }
  return out;
}

// Complex numbers of which either part is special.
std::vector<ScalarValue> special_pairs() {
  const double inf = std::numeric_limits<double>::infinity();
  const double parts[] = {
      0.0, -0.0, 1.0, -2.5, inf, -inf, std::numeric_limits<double>::quiet_NaN()};
  std::vector<ScalarValue> out;
  for (double re : parts) {
    for (double im : parts) out.push_back({re, im, 0});
  }
  return out;
}

// Every combination of special values, on an elementwise op.
void check_combinations(const Case& c, DType dtype) {
  AnyAttrs attrs(c.entry.attrs);
  const auto arity = static_cast<size_t>(c.entry.op->kernel.arity);
  Arrays in;
  for (size_t i = 0; i < arity; ++i) {
    const ArgSpec& spec = c.entry.inputs[i];
    const bool open = contains(spec.dtypes, dtype) && (spec.group >= 0 || arity == 1);
    const DType own = open ? dtype : DType::kBool;
    Array x{own, {}, is_complex(own) ? special_pairs() : special_values(own)};
    // Input i lies along axis i, so that broadcasting makes every combination.
    x.shape.assign(arity, 1);
    x.shape[i] = static_cast<int64_t>(x.values.size());
    in.push_back(std::move(x));
  }
  SCOPED_TRACE(text(c.test.op, " in ", dtype));
  expect_reference(c, in, attrs, true, "special values");
  if (is_complex(dtype) && arity == 1) check_annex_g(c, in[0]);
}

// A sample with special values strewn in, for ops that combine or move elements.
void check_strewn(const Case& c, size_t sample, DType dtype) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kStrewn[] = {0.0, -0.0, kInf, -kInf, std::numeric_limits<double>::quiet_NaN()};
  AnyAttrs attrs = attrs_of(c.entry, c.test.samples[sample].attrs);
  for (uint64_t every : {2, 5, 40}) {
    Random random(every);
    Arrays in = sample_inputs(c, sample, dtype);
    for (size_t i = 0; i < in.size(); ++i) {
      if (in[i].dtype != dtype || c.test.samples[sample].inputs[i].dtype) continue;
      for (ScalarValue& v : in[i].values) {
        if (random.next() % every == 0) v.re = kStrewn[random.next() % 5];
        if (is_complex(dtype) && random.next() % every == 0) v.im = kStrewn[random.next() % 5];
      }
    }
    const std::string what = text(c.test.op, " sample ", sample, " in ", dtype, ", one in ", every);
    expect_reference(c, in, attrs, false, what);
  }
}

bool is_elementwise(const Case& c) {
  return c.entry.op != nullptr && c.entry.op->kernel.kind == KernelKind::kElementwise;
}

}  // namespace

void check_value(const Case& c) {
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (DType dtype : c.dtypes) {
      const std::string what = text(c.test.op, " sample ", s, " in ", dtype);
      SCOPED_TRACE(what);
      const Arrays in = sample_inputs(c, s, dtype);
      expect_reference(c, in, attrs, false, what);
      expect_inferred(c, in, attrs);
    }
  }
  for (const Sample& sample : with_equal_axes(c, c.test.samples, 2)) {
    AnyAttrs attrs = attrs_of(c.entry, sample.attrs);
    Arrays in;
    for (const Tensor& t : inputs_of(c, sample, equal_axes_dtype(c))) in.push_back(to_array(t));
    expect_reference(c, in, attrs, false, text(c.test.op, " with equal axes: ", shapes_of(sample)));
    expect_inferred(c, in, attrs);
  }
}

std::string special_untested(const Case& c) {
  if (is_elementwise(c)) return "";
  if (c.entry.inputs.empty()) return "it has no inputs";
  for (DType dtype : c.dtypes) {
    if (is_floating(dtype)) return "";
  }
  return "no input is floating";
}

std::string complex_untested(const OpTest& test) {
  for (const Skip& skip : test.skips) {
    if (skip.column == "complex special") return skip.reason;
  }
  return "";
}

void check_special(const Case& c) {
  for (DType dtype : c.dtypes) {
    if (is_complex(dtype) && !complex_untested(c.test).empty()) continue;
    if (is_elementwise(c)) {
      check_combinations(c, dtype);
      continue;
    }
    if (!is_floating(dtype) && !is_complex(dtype)) continue;
    for (size_t s = 0; s < c.test.samples.size(); ++s) check_strewn(c, s, dtype);
  }
}

}  // namespace weft::suite
