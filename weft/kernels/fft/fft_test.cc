// The transform against its defining sum in long double; plans asked for by many threads at once.
#include "weft/kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "weft/base/cpu.h"
#include "weft/base/test_threads.h"
#include "weft/base/thread_pool.h"

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
  for (int64_t n : {1,   2,    3,    4,    5,    6,    7,    8,    11,   13,    16,
                    30,  49,   61,   64,   67,   97,   121,  127,  128,  360,   509,
                    512, 1000, 1021, 4096, 4099, 5040, 8191, 8192, 7747, 10007, 14351}) {
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

// Lines of numbers along the middle of [outer, length, inner]: what is in a line depends on which
// it is, not on where it lies. `width` is the numbers of an element.
template <class T>
struct Block {
  int64_t outer, length, inner, width;

  size_t at(int64_t line, int64_t k, int64_t part) const {
    return static_cast<size_t>((((line / inner) * length + k) * inner + line % inner) * width +
                               part);
  }
  std::vector<T> filled() const {
    std::vector<T> out(static_cast<size_t>(outer * length * inner * width));
    for (int64_t line = 0; line < outer * inner; ++line) {
      uint64_t state = static_cast<uint64_t>(line) + 1;
      for (int64_t k = 0; k < length * width; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out[at(line, k / width, k % width)] =
            static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1);
      }
    }
    return out;
  }
  DType dtype() const {
    if (width == 2) return sizeof(T) == 4 ? DType::kC64 : DType::kC128;
    return sizeof(T) == 4 ? DType::kF32 : DType::kF64;
  }
};

enum class Way { kForward, kInverse, kFromReal, kToReal };

// Line by line, the transforms of the lines of such a block; the input's memory may be in the order
// of columns.
template <class T>
std::vector<std::vector<T>> lines_of(Way way, int64_t n, int64_t outer, int64_t inner,
                                     bool input_by_columns) {
  const int64_t half = n / 2 + 1;
  const Block<T> to{outer, way == Way::kFromReal ? half : n, inner, way == Way::kToReal ? 1 : 2};
  Block<T> from{outer, way == Way::kToReal ? half : n, inner, way == Way::kFromReal ? 1 : 2};
  const int64_t length = from.length, lines = outer * inner;
  if (input_by_columns) from = {1, length, lines, from.width};
  const std::vector<T> x = from.filled();
  const int64_t row = inner * length;
  const std::vector<int64_t> strides = input_by_columns ? std::vector<int64_t>{inner, lines, 1}
                                                        : std::vector<int64_t>{row, inner, 1};
  const Shape all{static_cast<int64_t>(x.size()) / from.width};
  const Tensor in = Tensor::from_bytes(from.dtype(), all, std::as_bytes(std::span(x)))
                        .view(Shape{outer, length, inner}, strides);
  const Tensor out = Tensor::empty(to.dtype(), Shape{outer, to.length, inner});
  transform_axis(out, in, 1, way == Way::kInverse, way == Way::kForward ? 1 : 0.3);
  std::vector<std::vector<T>> result;
  for (int64_t line = 0; line < lines; ++line) {
    auto& y = result.emplace_back();
    for (int64_t k = 0; k < to.length * to.width; ++k) {
      y.push_back(static_cast<const T*>(out.data())[to.at(line, k / to.width, k % to.width)]);
    }
  }
  return result;
}

template <class T>
void expect_same_bits(Way way, int64_t n) {
  constexpr int64_t kLines = 21;
  set_isa_for_testing(Isa::portable);
  const auto wanted = lines_of<T>(way, n, kLines, 1, false);
  const auto check = [&](int64_t outer, int64_t inner, bool by_columns) {
    const auto got = lines_of<T>(way, n, outer, inner, by_columns);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(got[i] == wanted[i])
          << "way " << static_cast<int>(way) << ", n " << n << ", bytes " << sizeof(T) << ", tier "
          << static_cast<int>(current_isa()) << ", [" << outer << ", " << n << ", " << inner << "]";
    }
  };
  for (int tier = 0; tier <= static_cast<int>(best_isa()); ++tier) {
    set_isa_for_testing(static_cast<Isa>(tier));
    check(1, 1, false);
    check(kLines, 1, false);
    check(1, kLines, false);
    check(3, 7, false);
    check(kLines, 1, true);
    check(2, 9, true);
  }
  set_isa_for_testing(best_isa());
}

TEST(Fft, SameBitsOnEveryTierInEveryBatchAndLayout) {
  const int before = num_threads();
  set_num_threads(2);
  for (int64_t n : {1,  2,   3,   4,   5,   7,   8,   15,  16,   22,   26,   31,   60,   64,
                    67, 100, 128, 131, 256, 262, 289, 360, 1000, 1009, 1024, 2310, 16384}) {
    for (Way way : {Way::kForward, Way::kInverse, Way::kFromReal, Way::kToReal}) {
      expect_same_bits<float>(way, n);
      expect_same_bits<double>(way, n);
    }
  }
  set_num_threads(before);
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
