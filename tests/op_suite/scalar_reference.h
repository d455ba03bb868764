// References of elementwise ops whose Expr is worth checking against plain C++: a function of
// scalars, broadcast over arrays.
#pragma once

#include <cmath>
#include <complex>

#include "tests/op_suite/samples.h"
#include "weft/core/half.h"

namespace weft::suite {

using weft::DType;
using weft::ScalarValue;

// What the op gives for one element of each input, all of `dtype`.
using ScalarFunction = ScalarValue (*)(DType dtype, const ScalarValue* inputs);

// A value as `dtype` stores it: integers keep their low bits, floats are rounded.
inline ScalarValue stored_as(DType dtype, const ScalarValue& v) {
  switch (dtype) {
    case DType::kU8: return {0, 0, static_cast<uint8_t>(v.i)};
    case DType::kI8: return {0, 0, static_cast<int8_t>(v.i)};
    case DType::kU16: return {0, 0, static_cast<uint16_t>(v.i)};
    case DType::kI16: return {0, 0, static_cast<int16_t>(v.i)};
    case DType::kU32: return {0, 0, static_cast<uint32_t>(v.i)};
    case DType::kI32: return {0, 0, static_cast<int32_t>(v.i)};
    case DType::kF16: {
      const float rounded = Half::from_float(static_cast<float>(v.re)).to_float();
      return {rounded, 0, 0};
    }
    case DType::kBF16: {
      const float rounded = BFloat16::from_float(static_cast<float>(v.re)).to_float();
      return {rounded, 0, 0};
    }
    case DType::kF32: return {static_cast<float>(v.re), 0, 0};
    case DType::kF64: return {static_cast<double>(v.re), 0, 0};
    default: return v;
  }
}

// The result has the dtype of the last input.
inline Arrays scalar_reference(const Arrays& in, ScalarFunction f) {
  std::vector<int64_t> shape;
  for (const Array& x : in) {
    if (x.shape.size() > shape.size())
      shape.insert(shape.begin(), x.shape.size() - shape.size(), 1);
    for (size_t k = 1; k <= x.shape.size(); ++k) {
      int64_t& size = shape[shape.size() - k];
      if (size == 1) size = x.shape[x.shape.size() - k];
    }
  }
  Array out = like(in.back(), shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const std::vector<int64_t> index = unravel(static_cast<int64_t>(i), shape);
    ScalarValue values[3];
    for (size_t a = 0; a < in.size(); ++a) {
      const std::vector<int64_t>& own = in[a].shape;
      std::vector<int64_t> at(index.end() - static_cast<std::ptrdiff_t>(own.size()), index.end());
      for (size_t k = 0; k < own.size(); ++k) at[k] = own[k] == 1 ? 0 : at[k];
      values[a] = in[a].values[static_cast<size_t>(ravel(at, own))];
    }
    out.values[i] = stored_as(out.dtype, f(out.dtype, values));
  }
  return {out};
}

}  // namespace weft::suite
