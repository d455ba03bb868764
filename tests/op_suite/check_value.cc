// Columns value and special: results against the reference.
#include <gtest/gtest.h>

#include <limits>

#include "tests/op_suite/checks.h"
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
  for (size_t k = 0; k < got.size(); ++k) EXPECT_EQ(text(got[k].type()), text(inferred[k]));
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
}

void check_special(const Case& c) {
  if (c.entry.op == nullptr || c.entry.op->kernel.kind != KernelKind::kElementwise) return;
  AnyAttrs attrs(c.entry.attrs);
  for (DType dtype : c.dtypes) {
    if (is_complex(dtype))
      continue;  // complex specials are tested where the functions are, in expr/
    const auto arity = static_cast<size_t>(c.entry.op->kernel.arity);
    Arrays in;
    std::vector<int64_t> shape;
    for (size_t i = 0; i < arity; ++i) {
      const ArgSpec& spec = c.entry.inputs[i];
      const bool open = contains(spec.dtypes, dtype) && (spec.group >= 0 || arity == 1);
      const DType own = open ? dtype : DType::kBool;
      Array x{own, {}, special_values(own)};
      // Input i lies along axis i, so that broadcasting makes every combination.
      x.shape.assign(arity, 1);
      x.shape[i] = static_cast<int64_t>(x.values.size());
      in.push_back(std::move(x));
    }
    SCOPED_TRACE(text(c.test.op, " in ", dtype));
    expect_reference(c, in, attrs, true, "special values");
  }
}

}  // namespace weft::suite
