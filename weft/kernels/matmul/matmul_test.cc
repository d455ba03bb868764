// matmul against the rule of matmul.h, spelled out as scalar loops: equal bits, always.
#include "weft/kernels/matmul/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "weft/base/cpu.h"
#include "weft/base/text.h"
#include "weft/base/thread_pool.h"
#include "weft/core/half.h"

namespace weft::kernels {
namespace {

// The element types as the tests hold them.
struct Boolean {
  uint8_t byte = 0;
};

template <class E>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<E, Boolean>) return DType::kBool;
  if constexpr (std::is_same_v<E, uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<E, int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<E, uint16_t>) return DType::kU16;
  if constexpr (std::is_same_v<E, int16_t>) return DType::kI16;
  if constexpr (std::is_same_v<E, uint32_t>) return DType::kU32;
  if constexpr (std::is_same_v<E, int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<E, uint64_t>) return DType::kU64;
  if constexpr (std::is_same_v<E, int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<E, Half>) return DType::kF16;
  if constexpr (std::is_same_v<E, BFloat16>) return DType::kBF16;
  if constexpr (std::is_same_v<E, float>) return DType::kF32;
  if constexpr (std::is_same_v<E, double>) return DType::kF64;
  if constexpr (std::is_same_v<E, std::complex<float>>) return DType::kC64;
  if constexpr (std::is_same_v<E, std::complex<double>>) return DType::kC128;
}

template <class T>
T canonical(T x) {
  return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
}

// The sum of one element by the rule: step(chain, k) for each k.
template <class Acc, class Step>
Acc by_chains(int64_t k, const Step& step) {
  Acc total{};
  for (int64_t k0 = 0; k0 < k; k0 += 512) {
    Acc chain{};
    for (int64_t x = k0; x < std::min(k0 + 512, k); ++x) step(chain, x);
    total = k0 == 0 ? chain : total + chain;
  }
  return total;
}

// One element of C by the rule; a(k) and b(k) give the operands.
template <class E, class A, class B>
E rule(int64_t k, const A& a, const B& b) {
  if constexpr (std::is_floating_point_v<E>) {
    return canonical(
        by_chains<E>(k, [&](E& chain, int64_t x) { chain = std::fma(a(x), b(x), chain); }));
  } else if constexpr (std::is_same_v<E, Half> || std::is_same_v<E, BFloat16>) {
    return E::from_float(by_chains<float>(k, [&](float& chain, int64_t x) {
      chain = std::fma(a(x).to_float(), b(x).to_float(), chain);
    }));
  } else if constexpr (std::is_integral_v<E>) {
    uint64_t sum = 0;
    for (int64_t x = 0; x < k; ++x)
      sum += static_cast<uint64_t>(a(x)) * static_cast<uint64_t>(b(x));
    return static_cast<E>(sum);
  } else if constexpr (std::is_same_v<E, Boolean>) {
    for (int64_t x = 0; x < k; ++x) {
      if (a(x).byte != 0 && b(x).byte != 0) return {1};
    }
    return {0};
  } else {
    using T = typename E::value_type;
    const T re = by_chains<T>(k, [&](T& chain, int64_t x) {
      chain = std::fma(a(x).real(), b(x).real(), chain);
      chain = std::fma(a(x).imag(), -b(x).imag(), chain);
    });
    const T im = by_chains<T>(k, [&](T& chain, int64_t x) {
      chain = std::fma(a(x).real(), b(x).imag(), chain);
      chain = std::fma(a(x).imag(), b(x).real(), chain);
    });
    return {canonical(re), canonical(im)};
  }
}

template <class E>
E random_element(std::mt19937& rng) {
  const float x = static_cast<float>(static_cast<int32_t>(rng())) * 0x1p-31f;
  if constexpr (std::is_floating_point_v<E>)
    return static_cast<E>(x);
  else if constexpr (std::is_same_v<E, Half> || std::is_same_v<E, BFloat16>)
    return E::from_float(x);
  else if constexpr (std::is_same_v<E, Boolean>)
    return {static_cast<uint8_t>(rng() % 4 == 0)};
  else if constexpr (std::is_integral_v<E>)
    return static_cast<E>((static_cast<uint64_t>(rng()) << 32) | rng());
  else {
    using T = typename E::value_type;
    return {static_cast<T>(x), static_cast<T>(static_cast<int32_t>(rng())) * T(0x1p-31)};
  }
}

// How an operand lies in memory.
enum class Layout {
  kRows,
  kColumns,
  kPaddedRows,
  kPaddedColumns,
  kEveryOther,
  kReversed,
  kZeroRow
};
constexpr Layout kLayouts[] = {Layout::kRows,          Layout::kColumns,    Layout::kPaddedRows,
                               Layout::kPaddedColumns, Layout::kEveryOther, Layout::kReversed,
                               Layout::kZeroRow};

template <class E>
struct Matrix {
  std::vector<E> memory;  // exactly as long as needed, so that ASan sees reads beyond it
  int64_t row = 0;
  int64_t col = 0;
  int64_t origin = 0;

  Matrix(int64_t rows, int64_t cols, Layout layout) {
    switch (layout) {
      case Layout::kRows: row = cols, col = 1; break;
      case Layout::kColumns: row = 1, col = rows; break;
      case Layout::kPaddedRows: row = cols + 3, col = 1; break;
      case Layout::kPaddedColumns: row = 1, col = rows + 5; break;
      case Layout::kEveryOther: row = 2 * cols + 1, col = 2; break;
      case Layout::kReversed: row = -cols, col = -1, origin = rows * cols - 1; break;
      case Layout::kZeroRow: row = 0, col = 1; break;
    }
    if (rows == 0 || cols == 0) return;
    const int64_t last = (rows - 1) * row + (cols - 1) * col;
    memory.resize(static_cast<size_t>(layout == Layout::kReversed ? rows * cols : last + 1));
  }
  void fill(std::mt19937& rng) {
    for (E& x : memory) x = random_element<E>(rng);
  }
  const E* data() const { return memory.data() + origin; }
  const E& at(int64_t i, int64_t j) const { return data()[i * row + j * col]; }
};

template <class E>
MatmulArgs args_of(int64_t m, int64_t n, int64_t k, const Matrix<E>& a, const Matrix<E>& b,
                   std::vector<E>& c, int64_t c_row) {
  MatmulArgs args;
  args.dtype = dtype_of<E>();
  args.m = m, args.n = n, args.k = k;
  args.a = a.data(), args.a_row = a.row, args.a_col = a.col;
  args.b = b.data(), args.b_row = b.row, args.b_col = b.col;
  args.c = c.data(), args.c_row = c_row;
  return args;
}

template <class E>
bool same_bits(const E& x, const E& y) {
  return std::memcmp(&x, &y, sizeof(E)) == 0;
}

// The result of `args` by the rule, C's padding untouched.
template <class E>
std::vector<E> expected(int64_t m, int64_t n, int64_t k, const Matrix<E>& a, const Matrix<E>& b,
                        std::vector<E> c, int64_t c_row) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      c[static_cast<size_t>(i * c_row + j)] =
          rule<E>(k, [&](int64_t x) { return a.at(i, x); }, [&](int64_t x) { return b.at(x, j); });
    }
  }
  return c;
}

template <class E>
void expect_same(const std::vector<E>& got, const std::vector<E>& want, const std::string& what) {
  int64_t wrong = 0;
  int64_t first = -1;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!same_bits(got[i], want[i])) {
      if (wrong++ == 0) first = static_cast<int64_t>(i);
    }
  }
  EXPECT_EQ(wrong, 0) << what << ": " << wrong << " of " << got.size()
                      << " elements differ, first at " << first;
}

std::vector<Isa> tiers() {
  std::vector<Isa> out;
  for (int i = 0; i <= static_cast<int>(best_isa()); ++i) out.push_back(static_cast<Isa>(i));
  return out;
}

// Restores tier and threads when a test ends.
struct Settings {
  int threads = num_threads();
  Isa isa = current_isa();
  ~Settings() {
    set_num_threads(threads);
    set_isa_for_testing(isa);
  }
};

// One shape and layout, by every tier and for each number of threads.
template <class E>
void check(int64_t m, int64_t n, int64_t k, Layout la, Layout lb, std::mt19937& rng,
           std::initializer_list<int> threads = {1}) {
  Matrix<E> a(m, k, la), b(k, n, lb);
  a.fill(rng);
  b.fill(rng);
  const int64_t c_row = n + static_cast<int64_t>(rng() % 3);
  std::vector<E> start(static_cast<size_t>(m == 0 ? 0 : (m - 1) * c_row + n));
  for (E& x : start) x = random_element<E>(rng);
  const std::vector<E> want = expected(m, n, k, a, b, start, c_row);
  for (Isa isa : tiers()) {
    set_isa_for_testing(isa);
    for (int count : threads) {
      set_num_threads(count);
      std::vector<E> c = start;
      matmul(args_of(m, n, k, a, b, c, c_row));
      expect_same(c, want,
                  text(name_of(dtype_of<E>()), " m ", m, " n ", n, " k ", k, " layouts ",
                       static_cast<int>(la), " ", static_cast<int>(lb), " ", name_of(isa),
                       " threads ", count));
    }
  }
}

template <class E>
class MatmulOf : public testing::Test {};
using Elements = testing::Types<Boolean, uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t,
                                uint64_t, int64_t, Half, BFloat16, float, double,
                                std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatmulOf, Elements);

TYPED_TEST(MatmulOf, small_shapes_and_layouts_have_the_bits_of_the_rule) {
  Settings restore;
  std::mt19937 rng(7);
  const int64_t sizes[] = {1, 2, 3, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 29, 33};
  const auto pick = [&] { return sizes[rng() % std::size(sizes)]; };
  for (int i = 0; i < 120; ++i) {
    check<TypeParam>(pick(), pick(), pick(), kLayouts[rng() % 7], kLayouts[rng() % 7], rng);
  }
}

TYPED_TEST(MatmulOf, chains_break_at_every_512) {
  Settings restore;
  std::mt19937 rng(8);
  for (int64_t k : {511, 512, 513, 1023, 1024, 1025, 1537}) {
    for (int64_t m : {1, 3, 15, 19}) {
      const Layout la = kLayouts[rng() % 4], lb = kLayouts[rng() % 4];
      check<TypeParam>(m, m == 15 ? 1 : 1 + static_cast<int64_t>(rng() % 20), k, la, lb, rng);
    }
  }
}

TYPED_TEST(MatmulOf, long_inner_products) {
  Settings restore;
  std::mt19937 rng(11);
  for (int64_t k : {2047, 2048, 2049, 512 * 16, 512 * 37 + 1, 512 * 300 + 511}) {
    check<TypeParam>(1, 1, k, Layout::kRows, Layout::kColumns, rng, {1, 3});
    check<TypeParam>(1, 1, k, Layout::kColumns, Layout::kRows, rng, {1, 3});
  }
}

TYPED_TEST(MatmulOf, threads_change_nothing) {
  Settings restore;
  std::mt19937 rng(9);
  check<TypeParam>(70, 90, 130, Layout::kRows, Layout::kRows, rng, {1, 2, 4});
  check<TypeParam>(97, 65, 600, Layout::kColumns, Layout::kColumns, rng, {1, 2, 4});
  check<TypeParam>(3, 300, 200, Layout::kRows, Layout::kPaddedRows, rng, {1, 2, 4});
}

TYPED_TEST(MatmulOf, no_steps_give_zero_and_no_rows_nothing) {
  std::mt19937 rng(10);
  std::vector<TypeParam> c(15);
  for (TypeParam& x : c) x = random_element<TypeParam>(rng);
  const std::vector<TypeParam> before = c;
  MatmulArgs args;
  args.dtype = dtype_of<TypeParam>();
  args.m = 0, args.n = 4, args.k = 3, args.c = c.data(), args.c_row = 5;
  matmul(args);
  args.m = 3, args.n = 0;
  matmul(args);
  expect_same(c, before, "m or n = 0");
  args.n = 4, args.k = 0;
  matmul(args);
  std::vector<TypeParam> want = before;
  for (size_t i = 0; i < 15; ++i) {
    if (i % 5 < 4) want[i] = TypeParam{};
  }
  expect_same(c, want, "k = 0");
}

TYPED_TEST(MatmulOf, batches_broadcast_and_keep_the_bits_of_each_matrix) {
  using E = TypeParam;
  Settings restore;
  std::mt19937 rng(11);
  const int64_t m = 5, n = 18, k = 9;
  Matrix<E> a(3 * m, k, Layout::kRows), b(2 * k, n, Layout::kRows);
  a.fill(rng);
  b.fill(rng);
  std::vector<E> c(static_cast<size_t>(6 * m * n));
  MatmulArgs args = args_of(m, n, k, a, b, c, n);
  const BatchDim dims[] = {{2, 0, k * n, 3 * m * n}, {3, m * k, 0, m * n}};  // A over 1, B over 0
  args.batch = dims;
  args.batch_rank = 2;
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    matmul(args);
    for (int64_t x = 0; x < 6; ++x) {
      std::vector<E> alone(static_cast<size_t>(m * n));
      MatmulArgs one = args_of(m, n, k, a, b, alone, n);
      one.a = a.data() + x % 3 * m * k;
      one.b = b.data() + x / 3 * k * n;
      matmul(one);
      const E* got = c.data() + x * m * n;
      expect_same(std::vector<E>(got, got + m * n), alone, "batch");
    }
  }
}

// Thousands of shapes around the tiles of every tier.
template <class E>
void check_many(int count, uint32_t seed) {
  Settings restore;
  std::mt19937 rng(seed);
  const int64_t sizes[] = {1,  2,  4,  5,  6,  7,  8,  11, 12, 13, 14, 15, 16,
                           17, 18, 24, 27, 28, 29, 31, 32, 33, 47, 48, 64, 65};
  const auto pick = [&] { return sizes[rng() % std::size(sizes)]; };
  for (int i = 0; i < count; ++i) {
    check<E>(pick(), pick(), pick(), kLayouts[rng() % 7], kLayouts[rng() % 7], rng);
  }
}

TEST(Matmul, f32_over_thousands_of_shapes) { check_many<float>(1500, 1); }
TEST(Matmul, f64_over_thousands_of_shapes) { check_many<double>(1000, 2); }

TEST(Matmul, larger_shapes_in_every_transpose) {
  Settings restore;
  std::mt19937 rng(3);
  for (Layout la : {Layout::kRows, Layout::kColumns}) {
    for (Layout lb : {Layout::kRows, Layout::kColumns}) {
      check<float>(150, 170, 140, la, lb, rng, {1, 2, 4});
      check<float>(8, 700, 530, la, lb, rng, {2});
      check<float>(1, 1100, 1040, la, lb, rng, {2});
      check<float>(1100, 1, 1040, la, lb, rng, {2});
      check<double>(64, 150, 520, la, lb, rng, {2});
    }
  }
}

// Whole groups of chains, groups that overlap, fewer chains than lanes, and a short last chain.
TYPED_TEST(MatmulOf, long_dot_products_have_the_bits_of_the_rule) {
  Settings restore;
  std::mt19937 rng(14);
  for (const int64_t k : {1025, 1536, 2049, 8192, 9001, 40000}) {
    const int64_t n = 1 + static_cast<int64_t>(rng() % 5);
    check<TypeParam>(1, n, k, Layout::kRows, Layout::kColumns, rng, {1, 2});
    check<TypeParam>(n, 1, k, Layout::kRows, Layout::kRows, rng, {2});
  }
}

// Heights that end in panels of every size, packed from either layout.
TEST(Matmul, packed_panels_of_every_height) {
  Settings restore;
  std::mt19937 rng(13);
  for (int64_t m = 40; m < 70; ++m) {
    for (Layout la : {Layout::kRows, Layout::kColumns}) {
      check<float>(m, 18, 520, la, Layout::kRows, rng);
      check<double>(m, 5, 520, la, Layout::kColumns, rng);
      check<uint32_t>(m, 9, 520, la, Layout::kRows, rng);
    }
  }
}

TEST(Matmul, a_row_alone_is_the_row_among_others) {
  Settings restore;
  std::mt19937 rng(4);
  const int64_t n = 200, k = 700;
  for (Layout lb : {Layout::kRows, Layout::kColumns}) {
    Matrix<float> a(200, k, Layout::kRows), b(k, n, lb);
    a.fill(rng);
    b.fill(rng);
    std::vector<float> all(static_cast<size_t>(200 * n));
    matmul(args_of(200, n, k, a, b, all, n));
    for (int64_t rows : {1, 2, 6, 9, 14, 15, 64}) {
      std::vector<float> part(static_cast<size_t>(rows * n));
      MatmulArgs args = args_of(rows, n, k, a, b, part, n);
      args.a = a.data() + 100 * k;
      matmul(args);
      const float* want = all.data() + 100 * n;
      expect_same(part, std::vector<float>(want, want + rows * n), "rows alone");
    }
  }
}

TEST(Matmul, special_values) {
  Settings restore;
  std::mt19937 rng(5);
  const float inf = std::numeric_limits<float>::infinity();
  const uint32_t odd_nan = 0xffc12345u;
  float nan;
  std::memcpy(&nan, &odd_nan, 4);
  const float special[] = {0.0f, -0.0f, inf, -inf, nan, 1e-45f, -1e-38f, 3e38f, -3e38f, 1.0f};
  for (int i = 0; i < 300; ++i) {
    const int64_t m = 1 + rng() % 20, n = 1 + rng() % 40, k = 1 + rng() % (i % 10 == 0 ? 600 : 6);
    Matrix<float> a(m, k, kLayouts[rng() % 2]), b(k, n, kLayouts[rng() % 2]);
    for (auto* x : {&a, &b}) {
      for (float& v : x->memory) v = rng() % 3 ? 1e-30f : special[rng() % std::size(special)];
    }
    std::vector<float> start(static_cast<size_t>(m * n), 7.0f);
    const std::vector<float> want = expected(m, n, k, a, b, start, n);
    for (Isa isa : tiers()) {
      set_isa_for_testing(isa);
      std::vector<float> c = start;
      matmul(args_of(m, n, k, a, b, c, n));
      expect_same(c, want, "special values");
    }
  }
}

// Bias by column, a residual by element, then relu.
struct BiasResidualRelu {
  const float* bias;
  const float* residual;
  int64_t n;
  int64_t m;

  static void apply(const void* context, void* tile, int64_t batch, int64_t row0, int64_t rows,
                    int64_t col0, int64_t cols, int64_t c_row) {
    const auto& self = *static_cast<const BiasResidualRelu*>(context);
    for (int64_t i = 0; i < rows; ++i) {
      float* c = static_cast<float*>(tile) + i * c_row;
      const float* r = self.residual + ((batch * self.m + row0 + i) * self.n + col0);
      for (int64_t j = 0; j < cols; ++j) {
        const float x = c[j] + self.bias[col0 + j] + r[j];
        c[j] = x > 0 ? x : 0;
      }
    }
  }
};

TEST(Matmul, an_epilogue_is_a_pass_afterwards) {
  Settings restore;
  std::mt19937 rng(6);
  const int64_t shapes[][3] = {{7, 9, 5},     {1, 900, 700}, {900, 1, 700},  {8, 700, 600},
                               {130, 150, 1}, {130, 150, 0}, {140, 210, 600}};
  for (const auto& [m, n, k] : shapes) {
    for (Layout lb : {Layout::kRows, Layout::kColumns}) {
      Matrix<float> a(m, k, Layout::kRows), b(k, n, lb);
      Matrix<float> bias(1, n, Layout::kRows), residual(2 * m, n, Layout::kRows);
      a.fill(rng), b.fill(rng), bias.fill(rng), residual.fill(rng);
      std::vector<float> plain(static_cast<size_t>(2 * m * n)), fused = plain;
      const BatchDim twice{2, 0, 0, m * n};
      const BiasResidualRelu context{bias.data(), residual.data(), n, m};
      const Epilogue epilogue{&BiasResidualRelu::apply, &context};
      MatmulArgs args = args_of(m, n, k, a, b, plain, n);
      args.batch = &twice, args.batch_rank = 1;
      matmul(args);
      for (int64_t x = 0; x < 2; ++x) {
        BiasResidualRelu::apply(&context, plain.data() + x * m * n, x, 0, m, 0, n, n);
      }
      args.c = fused.data();
      args.epilogue = &epilogue;
      matmul(args);
      expect_same(fused, plain, text("epilogue ", m, " ", n, " ", k));
    }
  }
}

TEST(Matmul, accurate_over_a_million_steps) {
  std::mt19937 rng(12);
  const int64_t k = 1 << 20, m = 2, n = 3;
  Matrix<float> a(m, k, Layout::kRows), b(k, n, Layout::kRows);
  for (auto* x : {&a, &b}) {
    for (float& v : x->memory) v = static_cast<float>(rng() >> 8) * 0x1p-24f;
  }
  std::vector<float> c(6);
  matmul(args_of(m, n, k, a, b, c, n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double exact = 0;
      for (int64_t x = 0; x < k; ++x) exact += double{a.at(i, x)} * double{b.at(x, j)};
      EXPECT_NEAR(c[static_cast<size_t>(i * n + j)] / exact, 1.0, 4e-6);
    }
  }
}

}  // namespace
}  // namespace weft::kernels
