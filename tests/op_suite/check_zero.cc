// Column zero: where no cotangent or tangent comes in, none goes out, whatever the values: a branch
// that `where` hides may hold infinities and NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/op_suite/derivatives.h"
#include "weft/op/builtin.h"

namespace weft::suite {
namespace {

// Every second element of each input, or every one, is replaced by a special value.
Tensors strewn(TensorSpan in, double value, size_t every) {
  Tensors out;
  for (const Tensor& x : in) {
    Array array = to_array(x);
    for (size_t i = 0; i < array.values.size(); i += every) {
      array.values[i] = value_of(array.dtype, value);
    }
    out.push_back(to_tensor(array));
  }
  return out;
}

Tensors zeros_for(TensorSpan like) { return filled(Tensors(like.size()), like); }

void expect_zeros(TensorSpan derivatives, const char* what) {
  for (size_t k = 0; k < derivatives.size(); ++k) {
    for (const ScalarValue& v : to_array(derivatives[k]).values) {
      ASSERT_TRUE(v.re == 0 && v.im == 0)
          << what << " " << k << " has " << static_cast<double>(v.re) << "+"
          << static_cast<double>(v.im) << "i";
    }
  }
}

void check_sample(const Differentiable& f) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, kInfinity, -kInfinity, std::nan("")}) {
    for (const size_t every : {1, 2}) {
      SCOPED_TRACE(text(value, " at every element, or every second: ", every));
      const Tensors in = strewn(f.point(), value, every);
      expect_zeros(pulled(f, in, zeros_for(f(in))), "the gradient of input");
      expect_zeros(pushed(f, in, zeros_for(in)), "the tangent of output");
    }
  }
}

}  // namespace

std::string zero_untested(const Case& c) {
  if (c.entry.inputs.empty()) return "it has no inputs";
  return refuses_gradient(c) ? "it has no gradient" : "";
}

void check_zero(const Case& c) {
  for_each_differentiable(
      c, {DType::kF64, DType::kC128}, Samples::kAll,
      [](const Differentiable& f, const Sample&, const AnyAttrs&) { check_sample(f); });
}

}  // namespace weft::suite
