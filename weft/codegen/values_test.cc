// Elementwise kernels of many Exprs: every tier, every tail, scalars, in place; the exact bits.
#include <gtest/gtest.h>

#include "weft/codegen/jit.h"
#include "weft/codegen/testing.h"

namespace weft::codegen {
namespace {

KernelSpec map_of(std::string key, std::vector<Operand> inputs, std::vector<Expr> outputs) {
  return {std::move(key), LoopShape::kMap, std::move(inputs), std::move(outputs), {}};
}

void add_numbers(std::vector<KernelSpec>& specs, DType d) {
  const std::string name(short_name_of(d));
  const Expr a = Expr::input(0, d), b = Expr::input(1, d), c = Expr::input(2, d);
  const auto add = [&](const char* what, Expr e) {
    specs.push_back(map_of(std::string(what) + "/" + name, {{d}, {d}, {d}}, {e}));
  };
  add("sum", a + b * c);
  add("div", a / b);
  add("min", minimum(a, b));
  add("max", maximum(maximum(a, b), c));
  add("max0", maximum(a, Expr::constant(d, 0.0)));
  add("min0", minimum(a, Expr::constant(d, 0.0)));
  add("max3", maximum(a, Expr::constant(d, 3.0)));
  add("abs", abs(a) - (-b));
  add("select", where((a < b) | (b <= c), a, c));
  add("less", cast(a < b, DType::kI32) + cast(a != c, DType::kI32));
  add("neg0", minimum(a, Expr::constant(d, -0.0)) + maximum(b, Expr::constant(d, -0.0)));
}

void add_floats(std::vector<KernelSpec>& specs, DType d) {
  const std::string name(short_name_of(d));
  const bool is_double = d == DType::kF64;
  const Expr a = Expr::input(0, d), b = Expr::input(1, d);
  const DType word = is_double ? DType::kI64 : DType::kI32;
  const Expr n = Expr::input(2, word);
  const auto add = [&](const char* what, Expr e) {
    specs.push_back(map_of(std::string(what) + "/" + name, {{d}, {d}, {word}}, {e}));
  };
  add("fma", fma(a, b, a));
  add("sqrt", sqrt(abs(a)) + sqrt(b));
  add("floor", floor(a));
  add("ceil", ceil(a));
  add("round", round(a));
  add("trunc", trunc(a));
  add("ldexp", ldexp(a, n));
  add("ldexp_near", ldexp(a, cast(cast(b, DType::kI16), word)));
  add("bits", bitcast(bitcast(abs(a), word) + 1, d));
  for (const size_t entries : {2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
    std::vector<double> table;
    for (size_t i = 0; i < entries; ++i) table.push_back(1.0 / static_cast<double>(i + 3));
    const Expr index = bitcast(n, is_double ? DType::kU64 : DType::kU32);
    add(("lookup" + std::to_string(entries)).c_str(), lookup(table, index, d) * a);
  }
}

void add_integers(std::vector<KernelSpec>& specs, DType d) {
  const std::string name(short_name_of(d));
  const Expr a = Expr::input(0, d), b = Expr::input(1, d);
  const auto add = [&](const char* what, Expr e) {
    specs.push_back(map_of(std::string(what) + "/" + name, {{d}, {d}}, {e}));
  };
  add("rem", a % b);
  add("logic", (a & b) ^ (~a | b));
  add("shl", shift_left(a, b));
  add("shr", shift_right(a, b));
  add("shr3", shift_right(a, Expr::constant(d, 3)));
  if (d == DType::kU32) add("mul_high", mul_high(a, b));
}

void add_others(std::vector<KernelSpec>& specs) {
  const Expr z = Expr::input(0, DType::kC64), w = Expr::input(1, DType::kC64);
  specs.push_back(map_of("complex_mul", {{DType::kC64}, {DType::kC64, true}}, {z * w}));
  specs.push_back(map_of("complex_two", {{DType::kC64}, {DType::kC64}}, {z + w, conj(z)}));
  const Expr y = Expr::input(0, DType::kC128);
  specs.push_back(map_of("complex_real", {{DType::kC128}}, {real(y) - imag(y)}));
  const Expr f = Expr::input(0, DType::kF32), s = Expr::input(1, DType::kF32);
  specs.push_back(map_of("scalar", {{DType::kF32}, {DType::kF32, true}}, {f * s + s}));
  specs.push_back(map_of("two_outputs", {{DType::kF32}, {DType::kF32}}, {f + s, f - s}));
  specs.push_back(
      map_of("position", {{DType::kF32, true}}, {cast(Expr::position(), DType::kF32) * f}));
  const Expr p = cast(Expr::position(), DType::kU32);
  specs.push_back(map_of("hash", {}, {mul_high(p * p + p, p ^ (p + p))}));
  const Expr bools = Expr::input(0, DType::kBool) ^ Expr::input(1, DType::kBool);
  specs.push_back(map_of("bools", {{DType::kBool}, {DType::kBool}}, {!bools}));
  Expr heavy = f;
  for (int i = 0; i < 30; ++i) heavy = fma(heavy, s, Expr::constant(DType::kF32, i * 0.25)) / 3.0;
  specs.push_back(map_of("heavy", {{DType::kF32}, {DType::kF32}}, {heavy, heavy + f}));
  const Expr h = cast(Expr::input(0, DType::kF16), DType::kF32);
  Expr heavy_half = h;
  for (int i = 0; i < 30; ++i) heavy_half = heavy_half * 1.125 + h;
  specs.push_back(map_of("heavy_half", {{DType::kF16}}, {cast(heavy_half, DType::kBF16)}));
}

std::vector<KernelSpec> all_specs() {
  std::vector<KernelSpec> specs;
  for (const DType d : {DType::kU8, DType::kI8, DType::kU16, DType::kI16, DType::kU32, DType::kI32,
                        DType::kU64, DType::kI64}) {
    add_numbers(specs, d);
    add_integers(specs, d);
  }
  for (const DType d : {DType::kF32, DType::kF64}) {
    add_numbers(specs, d);
    add_floats(specs, d);
  }
  add_others(specs);
  return specs;
}

void expect_exact(const KernelSpec& spec, const void* kernel, int tier, int64_t n, Random& random) {
  const std::vector<Bytes> in = random_inputs(spec, n, 1, random);
  const std::vector<Bytes> got = run_map(kernel, spec, in, n, 1, 1000);
  for (size_t k = 0; k < got.size(); ++k) {
    const Bytes want = exact_row(spec.outputs[k], spec.inputs, in, n, 1000);
    ASSERT_EQ(difference(want, got[k], spec.outputs[k].dtype()), "")
        << spec.key << " output " << k << " n " << n << " tier " << tier;
  }
}

TEST(Values, EveryTierGivesTheExactBits) {
  const std::vector<KernelSpec> specs = all_specs();
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      Random random(s + 1);
      for (const int64_t n : {0, 1, 5, 16, 31, 67, 500}) {
        expect_exact(specs[s], kernels.function(s), static_cast<int>(tier), n, random);
      }
    }
  }
}

TEST(Values, EveryTail) {
  std::vector<KernelSpec> specs;
  for (const KernelSpec& spec : all_specs()) {
    for (const char* key : {"sum/f32", "sum/f64", "sum/u8", "sum/i16", "heavy", "heavy_half",
                            "complex_mul", "bools"}) {
      if (spec.key == key) specs.push_back(spec);
    }
  }
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      Random random(s + 1);
      for (int64_t n = 0; n <= 67; ++n) {
        expect_exact(specs[s], kernels.function(s), static_cast<int>(tier), n, random);
      }
    }
  }
}

TEST(Values, InPlace) {
  std::vector<KernelSpec> specs;
  for (const KernelSpec& spec : all_specs()) {
    if (spec.key == "sum/f32" || spec.key == "heavy") specs.push_back(spec);
  }
  for (const Tier tier : runnable_tiers()) {
    const JitKernels kernels(tier, specs);
    for (size_t s = 0; s < specs.size(); ++s) {
      Random random(3);
      const KernelSpec& spec = specs[s];
      std::vector<Bytes> in = random_inputs(spec, 67, 1, random);
      const Bytes want = exact_row(spec.outputs[0], spec.inputs, in, 67);
      Bytes other(want.size());
      std::vector<void*> pointers{in[0].data()};
      if (spec.outputs.size() > 1) pointers.push_back(other.data());
      for (Bytes& bytes : in) pointers.push_back(bytes.data());
      const std::vector<int64_t> strides(pointers.size(), 0);
      kernels.as<MapKernel>(s)(pointers.data(), strides.data(), 67, 1, 0);
      EXPECT_EQ(difference(want, in[0], DType::kF32), "") << spec.key;
    }
  }
}

}  // namespace
}  // namespace weft::codegen
