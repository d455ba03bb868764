// Generated kernels as epilogues of matmul: the bits of the product followed by the separate ops.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "weft/base/thread_pool.h"
#include "weft/codegen/jit.h"
#include "weft/core/half.h"
#include "weft/kernels/matmul/map_epilogue.h"

namespace weft::codegen {
namespace {

using kernels::BatchDim;
using kernels::EpilogueInput;
using kernels::MapEpilogue;
using kernels::MatmulArgs;

Expr gelu(Expr x) { return x * 0.5 * (erf(x * std::sqrt(0.5)) + 1.0); }

// The ops one by one, and the same in one Expr: ops round their results to the dtype.
class Kernels {
 public:
  enum : size_t { kAdd, kGelu, kScale, kFused };

  explicit Kernels(DType d) : jit_(runnable_tiers().back(), specs(d)) {}
  MapKernel operator[](size_t index) const { return jit_.as<MapKernel>(index); }

 private:
  static std::vector<KernelSpec> specs(DType d) {
    const auto value = [&](uint32_t i) { return cast(Expr::input(i, d), compute_of(d)); };
    const auto rounded = [&](Expr e) { return cast(e, d); };
    const auto again = [&](Expr e) { return cast(rounded(e), compute_of(d)); };
    const auto map = [&](const char* key, std::vector<Operand> inputs, Expr out) {
      return KernelSpec{key, LoopShape::kMap, std::move(inputs), {rounded(out)}, {}};
    };
    const Expr x = value(0);
    const Expr activated = again(gelu(again(x + value(1))));
    return {map("add", {{d}, {d}}, x + value(1)), map("gelu", {{d}}, gelu(x)),
            map("scale", {{d}, {d, true}}, x * value(1)),
            map("fused", {{d}, {d}, {d, true}, {d}}, again(activated * value(2)) + value(3))};
  }

  JitKernels jit_;
};

template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr DType dtype = DType::kF32;
  static float of(float x) { return x; }
};
template <>
struct TypeOf<double> {
  static constexpr DType dtype = DType::kF64;
  static double of(float x) { return static_cast<double>(x) * 1.1; }
};
template <>
struct TypeOf<uint16_t> {
  static constexpr DType dtype = DType::kBF16;
  static uint16_t of(float x) { return BFloat16::from_float(x).bits; }
};

struct Case {
  int64_t m, n, k;
  bool transposed_b;
  int64_t batch[2];  // two batch dims; B is shared by the first, A by the second
};
constexpr Case kCases[] = {
    {5, 7, 9, false, {1, 1}},      {5, 7, 9, true, {2, 3}},         // unpacked; columns
    {30, 70, 40, false, {2, 3}},                                    // a batch of small ones
    {1, 900, 700, false, {1, 1}},  {1, 900, 700, true, {1, 1}},     // gemv by rows and by columns
    {900, 1, 700, false, {1, 1}},  {900, 1, 700, true, {1, 2}},     // one column, seen as a row
    {8, 700, 600, false, {1, 1}},  {8, 700, 600, true, {2, 1}},     // few rows
    {140, 210, 600, true, {2, 1}}, {300, 530, 900, false, {1, 1}},  // packed; in tiles
    {40, 50, 0, false, {1, 2}},                                     // nothing to sum
};

template <class T>
class Product {
 public:
  Product(const Case& c, std::mt19937& random) : c_(c) {
    const int64_t count = c.batch[0] * c.batch[1];
    a_ = filled(c.batch[0] * c.m * c.k, random);
    b_ = filled(c.batch[1] * c.k * c.n, random);
    bias_ = filled(c.n, random);
    scale_ = filled(c.m, random);
    residual_ = filled(count * residual_size(), random);
    dims_[0] = {c.batch[0], c.m * c.k, 0, c.batch[1] * c.m * c.n};
    dims_[1] = {c.batch[1], 0, c.k * c.n, c.m * c.n};
  }

  std::vector<T> run(const kernels::Epilogue* epilogue) const {
    std::vector<T> out(static_cast<size_t>(c_.batch[0] * c_.batch[1] * c_.m * c_.n));
    MatmulArgs args;
    args.dtype = TypeOf<T>::dtype;
    args.m = c_.m, args.n = c_.n, args.k = c_.k;
    args.a = a_.data(), args.a_row = c_.k;
    args.b = b_.data(), args.b_row = c_.transposed_b ? 1 : c_.n;
    args.b_col = c_.transposed_b ? c_.k : 1;
    args.c = out.data(), args.c_row = c_.n;
    args.batch = dims_, args.batch_rank = 2;
    args.epilogue = epilogue;
    kernels::matmul(args);
    return out;
  }

  // The residual lies in rows with a gap, or column by column.
  std::vector<T> run_fused(const Kernels& jit, bool by_columns) const {
    const int64_t strides[] = {c_.batch[1] * residual_size(), residual_size()};
    const int64_t size = static_cast<int64_t>(sizeof(T));
    const EpilogueInput inputs[] = {
        {.data = bias_.data(), .item = size, .col = 1},
        {.data = scale_.data(), .item = size, .row = 1, .one_value = true},
        {.data = residual_.data(),
         .item = size,
         .row = by_columns ? 1 : c_.n + 3,
         .col = by_columns ? c_.m : 1,
         .batch = strides},
    };
    MapEpilogue map;
    map.kernel = jit[Kernels::kFused];
    map.item = size;
    map.inputs = inputs, map.count = 3;
    map.batch = dims_, map.batch_rank = 2;
    const kernels::Epilogue hook = map.hook();
    return run(&hook);
  }

  // The product, then pass after pass over all of it.
  std::vector<T> run_apart(const Kernels& jit, bool by_columns) const {
    std::vector<T> out = run(nullptr);
    const int64_t size = static_cast<int64_t>(sizeof(T)), row = c_.n * size;
    for (int64_t item = 0; item < c_.batch[0] * c_.batch[1]; ++item) {
      T* c = out.data() + item * c_.m * c_.n;
      std::vector<T> residual(static_cast<size_t>(c_.m * c_.n));
      const T* from = residual_.data() + item * residual_size();
      for (int64_t i = 0; i < c_.m; ++i) {
        for (int64_t j = 0; j < c_.n; ++j) {
          residual[static_cast<size_t>(i * c_.n + j)] =
              from[by_columns ? j * c_.m + i : i * (c_.n + 3) + j];
        }
      }
      pass(jit[Kernels::kAdd], c, bias_.data(), 0);
      pass(jit[Kernels::kGelu], c, nullptr, 0);
      pass(jit[Kernels::kScale], c, scale_.data(), size);
      pass(jit[Kernels::kAdd], c, residual.data(), row);
    }
    return out;
  }

 private:
  static std::vector<T> filled(int64_t count, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<T> out(static_cast<size_t>(count));
    for (T& x : out) x = TypeOf<T>::of(normal(random));
    return out;
  }
  int64_t residual_size() const { return c_.m * (c_.n + 3); }

  void pass(MapKernel kernel, T* c, const T* other, int64_t other_row) const {
    void* const operands[] = {c, c, const_cast<T*>(other)};
    const int64_t row = c_.n * static_cast<int64_t>(sizeof(T));
    const int64_t strides[] = {row, row, other_row};
    kernel(operands, strides, c_.n, c_.m, 0);
  }

  Case c_;
  std::vector<T> a_, b_, bias_, scale_, residual_;
  BatchDim dims_[2];
};

template <class T>
void check_epilogues() {
  const int threads = num_threads();
  const Kernels jit(TypeOf<T>::dtype);
  std::mt19937 random(3);
  for (const Case& c : kCases) {
    const Product<T> product(c, random);
    for (const bool by_columns : {false, true}) {
      set_num_threads(1);
      const std::vector<T> want = product.run_apart(jit, by_columns);
      ASSERT_NE(want, product.run(nullptr));
      for (const int count : {1, 2, 4}) {
        set_num_threads(count);
        EXPECT_EQ(product.run_fused(jit, by_columns), want)
            << c.m << " " << c.n << " " << c.k << " on " << count << " threads";
      }
    }
  }
  set_num_threads(threads);
}

TEST(MatmulEpilogue, generated_for_f32) { check_epilogues<float>(); }
TEST(MatmulEpilogue, generated_for_f64) { check_epilogues<double>(); }
TEST(MatmulEpilogue, generated_for_bf16) { check_epilogues<uint16_t>(); }

}  // namespace
}  // namespace weft::codegen
