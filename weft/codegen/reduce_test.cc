// Reductions, scans and row kernels: the canonical order, on every tier.
#include <gtest/gtest.h>

#include "weft/codegen/jit.h"
#include "weft/codegen/row_plan.h"
#include "weft/codegen/testing.h"

namespace weft::codegen {
namespace {

ReduceSpec sum_of(DType dtype, DType total) {
  const Expr a = Expr::input(0, total), b = Expr::input(1, total);
  const Expr x = cast(cast(Expr::input(0, dtype), compute_of(dtype)), total);
  return {{x}, {a + b}, {Expr::constant(total, -0.0)}};
}

// The largest element and the first place it is at; a NaN counts as the largest.
ReduceSpec argmax_of(DType dtype) {
  const Expr x = Expr::input(0, dtype);
  const Expr av = Expr::input(0, dtype), ai = Expr::input(1, DType::kI64);
  const Expr bv = Expr::input(2, dtype), bi = Expr::input(3, DType::kI64);
  Expr better = (av > bv) | ((av == bv) & (ai < bi));
  if (is_floating(dtype))
    better = (isnan(av) & ((!isnan(bv)) | (ai < bi))) | (better & (!isnan(bv)));
  return {{x, cast(Expr::position(), DType::kI64)},
          {where(better, av, bv), where(better, ai, bi)},
          {Expr::constant(dtype, is_floating(dtype) ? -1e300 * 1e300 : 0.0),
           Expr::constant_bits(DType::kI64, uint64_t{1} << 62)}};
}

std::vector<KernelSpec> reduce_specs(LoopShape shape) {
  std::vector<KernelSpec> specs;
  const auto add = [&](std::string key, DType dtype, ReduceSpec spec) {
    specs.push_back({std::move(key), shape, {{dtype}}, {}, std::move(spec)});
  };
  for (const DType d : {DType::kF32, DType::kF64, DType::kC64, DType::kI64}) {
    add("sum/" + std::string(short_name_of(d)), d, sum_of(d, d));
  }
  add("sum/bf16", DType::kBF16, sum_of(DType::kBF16, DType::kF32));
  add("sum/u8", DType::kU8, sum_of(DType::kU8, DType::kU64));
  add("argmax/f32", DType::kF32, argmax_of(DType::kF32));
  const Expr a = Expr::input(0, DType::kBool), b = Expr::input(1, DType::kBool);
  add("any/f32", DType::kF32,
      {{Expr::input(0, DType::kF32) != 0}, {a | b}, {Expr::constant_bits(DType::kBool, 0)}});
  const Expr p = Expr::input(0, DType::kF32), q = Expr::input(1, DType::kF32);
  add("max/f32", DType::kF32,
      {{p}, {maximum(p, q)}, {Expr::constant(DType::kF32, -1e300 * 1e300)}});
  return specs;
}

struct States {
  explicit States(const ReduceSpec& spec, int64_t count) {
    for (const Expr e : spec.identity)
      bytes.push_back(Bytes(static_cast<size_t>(size_of(e.dtype()) * count)));
    for (Bytes& b : bytes) pointers.push_back(b.data());
  }
  Bytes at(const ReduceSpec& spec, size_t k, int64_t i) const {
    const int64_t size = size_of(spec.identity[k].dtype());
    return Bytes(bytes[k].begin() + i * size, bytes[k].begin() + (i + 1) * size);
  }
  std::vector<Bytes> bytes;
  std::vector<void*> pointers;
};

// Every other NaN apart, random floats would hide the order behind infinities: use small ones.
Bytes tame_elements(DType dtype, int64_t count, Random& random, bool special) {
  if (special || !(is_floating(dtype) || is_complex(dtype)) || size_of(dtype) == 2)
    return random_elements(dtype, count, random);
  Bytes out(static_cast<size_t>(size_of(dtype) * count));
  const bool single = real_of(dtype) == DType::kF32;
  const size_t step = single ? 4 : 8;
  for (size_t at = 0; at < out.size(); at += step) {
    const double value = std::normal_distribution<double>(0, 1)(random);
    const auto narrow = static_cast<float>(value);
    std::memcpy(&out[at], single ? static_cast<const void*>(&narrow) : &value, step);
  }
  return out;
}

constexpr int64_t kLengths[] = {1, 2, 15, 16, 17, 63, 64, 65, 130, 500};

TEST(Reduce, RowsInTheCanonicalOrder) {
  const std::vector<KernelSpec> specs = reduce_specs(LoopShape::kRowReduce);
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      const ReduceSpec& spec = specs[s].reduce;
      const DType dtype = specs[s].inputs[0].dtype;
      Random random(1);
      for (const int64_t n : kLengths) {
        const Bytes in = tame_elements(dtype, 3 * n, random, n == 65);
        States states(spec, 3);
        const int64_t stride = n * size_of(dtype);
        kernels.as<RowReduceKernel>(s)(states.pointers.data(), in.data(), stride, n, 3, 100);
        for (int64_t r = 0; r < 3; ++r) {
          const Bytes row(in.begin() + r * stride, in.begin() + (r + 1) * stride);
          const auto want = exact_reduce(spec, dtype, row, n, 100);
          for (size_t k = 0; k < want.size(); ++k) {
            EXPECT_EQ(difference(want[k], states.at(spec, k, r), spec.identity[k].dtype()), "")
                << specs[s].key << " n " << n << " row " << r << " state " << k << " tier "
                << static_cast<int>(tier);
          }
        }
      }
    }
  }
}

TEST(Reduce, ColumnsInTheSameOrder) {
  const std::vector<KernelSpec> specs = reduce_specs(LoopShape::kColumnReduce);
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      const ReduceSpec& spec = specs[s].reduce;
      const DType dtype = specs[s].inputs[0].dtype;
      const int64_t size = size_of(dtype);
      Random random(1);
      for (const int64_t n : {1, 3, 16, 40, 64, 65, 200}) {
        const int64_t columns = n == 40 ? 200 : n % 37 + 2;
        const Bytes in = tame_elements(dtype, columns * n, random, n == 65);
        States states(spec, columns);
        std::vector<double> scratch(64 * static_cast<size_t>(kReduceColumns) * 3);
        kernels.as<ColumnReduceKernel>(s)(states.pointers.data(), in.data(), columns * size, n,
                                          columns, 7, scratch.data());
        for (const int64_t c : {int64_t{0}, columns / 2, columns - 1}) {
          Bytes column;
          for (int64_t j = 0; j < n; ++j) {
            const auto* at = in.data() + (j * columns + c) * size;
            column.insert(column.end(), at, at + size);
          }
          const auto want = exact_reduce(spec, dtype, column, n, 7);
          for (size_t k = 0; k < want.size(); ++k) {
            EXPECT_EQ(difference(want[k], states.at(spec, k, c), spec.identity[k].dtype()), "")
                << specs[s].key << " n " << n << " column " << c << " state " << k << " tier "
                << static_cast<int>(tier);
          }
        }
      }
    }
  }
}

TEST(Reduce, CombinesStates) {
  const std::vector<KernelSpec> specs = reduce_specs(LoopShape::kCombineRow);
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      const ReduceSpec& spec = specs[s].reduce;
      if (spec.states() > 1) continue;
      Random random(1);
      const DType dtype = spec.identity[0].dtype();
      ReduceSpec plain = spec;
      plain.map = {Expr::input(0, dtype)};
      for (const int64_t n : kLengths) {
        Bytes in = tame_elements(dtype, n, random, false);
        States states(spec, 1);
        void* from[] = {in.data()};
        kernels.as<CombineKernel>(s)(states.pointers.data(), from, 0, n, 1);
        EXPECT_EQ(difference(exact_reduce(plain, dtype, in, n)[0], states.bytes[0], dtype), "")
            << specs[s].key;
      }
    }
  }
}

TEST(Scan, LeftToRightAlongSeveralRows) {
  std::vector<KernelSpec> specs;
  for (const DType d : {DType::kF32, DType::kF16, DType::kI32, DType::kC64}) {
    const DType total = d == DType::kI32 ? DType::kI64 : compute_of(d);
    const DType stored = d == DType::kI32 ? DType::kI64 : d;
    specs.push_back({"scan/" + std::string(short_name_of(d)),
                     LoopShape::kScan,
                     {{d}},
                     {cast(Expr::input(0, total), stored)},
                     sum_of(d, total)});
  }
  const JitKernels portable(Tier::kPortable, specs);
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      Random random(1);
      const Bytes in = tame_elements(specs[s].inputs[0].dtype, 100, random, false);
      Bytes alone(1600), together(1600), totals(7 * 16), totals_together(7 * 16);
      const int64_t item = size_of(specs[s].inputs[0].dtype),
                    out = size_of(specs[s].outputs[0].dtype());
      // 7 rows of 14: four in step, three by themselves.
      for (int64_t r = 0; r < 7; ++r) {
        unsigned char* const total =
            totals.data() + r * size_of(specs[s].reduce.identity[0].dtype());
        // In two calls: the second one resumes from the total of the first.
        portable.as<ScanKernel>(s)(alone.data() + r * 14 * out, in.data() + r * 14 * item, 5, 1, 0,
                                   0, total);
        portable.as<ScanKernel>(s)(alone.data() + (r * 14 + 5) * out,
                                   in.data() + (r * 14 + 5) * item, 9, 1, 0, 0, total);
      }
      kernels.as<ScanKernel>(s)(together.data(), in.data(), 14, 7, 14 * out, 14 * item,
                                totals_together.data());
      EXPECT_EQ(difference(alone, together, specs[s].outputs[0].dtype()), "") << specs[s].key;
      EXPECT_EQ(difference(totals, totals_together, DType::kU8), "") << specs[s].key;
    }
  }
  float x[] = {1, 2, 3}, y[3], total = 4;
  portable.as<ScanKernel>(0)(y, x, 3, 1, 0, 0, &total);
  EXPECT_EQ(y[2], 10);
  EXPECT_EQ(total, 10);
}

std::vector<KernelSpec> row_specs() {
  std::vector<KernelSpec> specs;
  for (const DType d : {DType::kF32, DType::kF64, DType::kBF16}) {
    const Expr x = cast(Expr::input(0, d), compute_of(d));
    const Expr y = cast(Expr::input(1, d), compute_of(d));
    const std::string name(short_name_of(d));
    const auto add = [&](const char* what, std::vector<Expr> out) {
      for (Expr& e : out) e = cast(e, d);
      specs.push_back({what + ("/" + name), LoopShape::kRow, {{d}, {d}}, std::move(out), {}});
    };
    const Expr shifted = x - row_max(x);
    Expr weight = shifted;  // as long as an exp
    for (int i = 0; i < 12; ++i)
      weight = fma(weight, shifted, Expr::constant(x.dtype(), 0.125 * i));
    add("softmax", {weight / row_sum(weight)});
    add("softmax_with_input", {weight / row_sum(weight) + y});
    const Expr n = cast(Expr::row_length(), x.dtype());
    const Expr mean = row_sum(x) / n, centred = x - mean;
    const Expr inverse = rsqrt(row_sum(centred * centred) / n + 1e-5);
    add("norm", {centred * inverse * y, mean, inverse});
    add("vjp", {x * (y - row_sum(x * y))});
    add("extremes", {row_max(x) - row_min(y), row_prod(x)});
  }
  return specs;
}

TEST(Row, PassesGiveTheExactBits) {
  const std::vector<KernelSpec> specs = row_specs();
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      const KernelSpec& spec = specs[s];
      Random random(1);
      for (const int64_t n : kLengths) {
        std::vector<Bytes> in;
        for (const Operand& operand : spec.inputs)
          in.push_back(tame_elements(operand.dtype, n, random, n == 17));
        const auto got = run_map(kernels.function(s), spec, in, n, 1, 0, row_scratch_bytes(spec));
        for (size_t k = 0; k < got.size(); ++k) {
          Bytes want = exact_row(spec.outputs[k], spec.inputs, in, n);
          want.resize(got[k].size());
          EXPECT_EQ(difference(want, got[k], spec.outputs[k].dtype()), "")
              << spec.key << " output " << k << " n " << n << " tier " << static_cast<int>(tier);
        }
      }
    }
  }
}

TEST(Row, ComputesDearThingsOnce) {
  const std::vector<KernelSpec> specs = row_specs();
  const RowPlan plan(specs[0]);
  ASSERT_EQ(plan.passes.size(), 3u);
  ASSERT_EQ(plan.temporaries.size(), 1u);
  EXPECT_EQ(plan.temporaries[0].output, 0);  // the output's own memory serves
  EXPECT_EQ(plan.scratch_bytes, 0);
  EXPECT_EQ(plan.passes[2].nodes.size(), 1u);  // only the division
  const RowPlan beside(specs[1]);              // reads an input later, which the output may lie on
  EXPECT_EQ(beside.temporaries[0].output, -1);
  EXPECT_EQ(beside.scratch_bytes, 8);
}

}  // namespace
}  // namespace weft::codegen
