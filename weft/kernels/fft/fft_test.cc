// The transform against its defining sum in long double; plans asked for by many threads at once.
#include "weft/kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "weft/base/test_threads.h"

namespace weft::kernels::fft {
namespace {

using Wide = std::complex<long double>;

template <class T>
std::vector<std::complex<T>> signal(int64_t n) {
  std::vector<std::complex<T>> out;
  uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1);
  };
  for (int64_t i = 0; i < n; ++i) {
    const T re = next();
    out.emplace_back(re, next());
  }
  return out;
}

template <class T>
std::vector<std::complex<T>> transformed(const std::vector<std::complex<T>>& x, bool inverse) {
  const DType dtype = sizeof(T) == 4 ? DType::kC64 : DType::kC128;
  const Shape shape{static_cast<int64_t>(x.size())};
  const Tensor in = Tensor::from_bytes(dtype, shape, std::as_bytes(std::span(x)));
  const Tensor out = Tensor::empty(dtype, shape);
  transform_axis(out, in, 0, inverse, 1);
  const auto* data = static_cast<const std::complex<T>*>(out.data());
  return {data, data + x.size()};
}

// The root mean square of the error, in units of the last place of that of the result.
template <class T>
double error_of(int64_t n, bool inverse) {
  const auto x = signal<T>(n);
  const auto y = transformed(x, inverse);
  std::vector<Wide> roots;
  for (int64_t j = 0; j < n; ++j) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j) /
                              static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle));
  }
  long double wrong = 0, total = 0;
  const int64_t step = n > 2000 ? 97 : 1;  // of long ones a part
  for (int64_t k = 0; k < n; k += step) {
    Wide exact = 0;
    for (int64_t j = 0; j < n; ++j) {
      exact += Wide(x[static_cast<size_t>(j)]) * roots[static_cast<size_t>(j * k % n)];
    }
    wrong += std::norm(Wide(y[static_cast<size_t>(k)]) - exact);
    total += std::norm(exact);
  }
  const long double unit = std::numeric_limits<T>::epsilon();
  return static_cast<double>(std::sqrt(wrong / total) / unit);
}

TEST(Fft, WithinTwoUnitsOfTheLastPlace) {
  for (int64_t n :
       {1,  2,  3,   4,   5,   6,   7,   8,   11,   13,   16,   30,   49,   61,   64,
        67, 97, 121, 127, 128, 360, 509, 512, 1000, 1021, 4096, 4099, 5040, 8191, 8192}) {
    for (bool inverse : {false, true}) {
      EXPECT_LT(error_of<float>(n, inverse), 2) << n;
      EXPECT_LT(error_of<double>(n, inverse), 2) << n;
    }
  }
}

TEST(Fft, ExactWhereTheTransformIs) {
  std::vector<std::complex<double>> x(12);
  x[0] = 1;
  for (const auto& v : transformed(x, false)) EXPECT_EQ(v, std::complex<double>(1, 0));
  for (auto& v : x) v = 1;
  const auto y = transformed(x, false);
  EXPECT_EQ(y[0], std::complex<double>(12, 0));
  for (size_t k = 1; k < y.size(); ++k) EXPECT_NEAR(std::abs(y[k]), 0, 1e-15);
}

TEST(Fft, PlansFromManyThreads) {
  std::vector<std::vector<std::complex<double>>> wanted;
  for (int64_t n = 1; n < 80; ++n) wanted.push_back(transformed(signal<double>(n), false));
  std::atomic<int> wrong{0};
  on_threads([&](int64_t t) {
    for (int64_t i = 0; i < 79; ++i) {
      const int64_t n = (i * (2 * t + 1) + t) % 79 + 1;
      if (transformed(signal<double>(n), false) != wanted[static_cast<size_t>(n - 1)]) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace weft::kernels::fft
