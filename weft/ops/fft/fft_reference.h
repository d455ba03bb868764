// The transform's defining sum in long double, for the references of fft's tests.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/op_suite/samples.h"

namespace weft::suite {

using Complex = std::complex<long double>;

inline DType complex_like(DType x) {
  return x == DType::kF64 || x == DType::kC128 ? DType::kC128 : DType::kC64;
}
inline DType real_like(DType x) {
  return x == DType::kF64 || x == DType::kC128 ? DType::kF64 : DType::kF32;
}

// Calls visit(place without the axis, line of x) for each line along `axis`, and puts the line it
// gives back into the result.
template <class F>
Array each_line(const Array& x, int64_t axis, DType dtype, F visit) {
  const auto along = static_cast<size_t>(normalized(axis, static_cast<int64_t>(x.shape.size())));
  std::vector<int64_t> outer = x.shape;
  const int64_t size = x.shape[along];
  outer[along] = 1;
  Array out{dtype, x.shape, {}};
  out.shape[along] =
      static_cast<int64_t>(visit(std::vector<Complex>(static_cast<size_t>(size))).size());
  out.values.resize(static_cast<size_t>(count(out.shape)));
  for (int64_t i = 0; i < count(outer); ++i) {
    std::vector<int64_t> place = unravel(i, outer);
    std::vector<Complex> line;
    for (place[along] = 0; place[along] < size; ++place[along]) {
      const ScalarValue& v = x.values[static_cast<size_t>(ravel(place, x.shape))];
      line.emplace_back(v.re, v.im);
    }
    const std::vector<Complex> result = visit(line);
    for (place[along] = 0; place[along] < out.shape[along]; ++place[along]) {
      const Complex& v = result[static_cast<size_t>(place[along])];
      ScalarValue& to = out.values[static_cast<size_t>(ravel(place, out.shape))];
      to.re = v.real();
      to.im = v.imag();
    }
  }
  return out;
}

// sum over j of x[j] exp(sign 2 pi i j k / n), times scale, of n elements: x is cut or filled.
inline std::vector<Complex> summed(std::vector<Complex> x, int64_t n, int sign, long double scale) {
  x.resize(static_cast<size_t>(n));
  std::vector<Complex> out(x.size());
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      const long double angle = 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(j * k % n) / static_cast<long double>(n);
      out[static_cast<size_t>(k)] +=
          x[static_cast<size_t>(j)] * Complex(std::cos(angle), sign * std::sin(angle)) * scale;
    }
  }
  return out;
}

// The n elements of which the first half is given.
inline std::vector<Complex> completed(std::vector<Complex> half, int64_t n) {
  half.resize(static_cast<size_t>(n / 2 + 1));
  half[0] = half[0].real();
  if (n % 2 == 0) half.back() = half.back().real();
  for (int64_t k = n / 2 + 1; k < n; ++k)
    half.push_back(std::conj(half[static_cast<size_t>(n - k)]));
  return half;
}

inline std::vector<Complex> first_half(std::vector<Complex> x) {
  x.resize(x.size() / 2 + 1);
  return x;
}

// What `norm` multiplies by.
inline long double scale_of(const std::string& norm, int64_t n, bool inverse) {
  const auto size = static_cast<long double>(n);
  if (norm == "ortho") return 1 / std::sqrt(size);
  return (norm == "backward") == inverse ? 1 / size : 1;
}

}  // namespace weft::suite
