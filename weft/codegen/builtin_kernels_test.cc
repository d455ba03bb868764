// Every kernel of every op gives the same bits on every tier this CPU has.
#include <gtest/gtest.h>

#include "weft/codegen/jit.h"
#include "weft/codegen/op_kernels.h"
#include "weft/codegen/testing.h"

void weft_register_builtin_kernels();

namespace weft::codegen {
namespace {

void expect_same_bits(const KernelSpec& spec, const KernelEntry& entry, Random& random) {
  for (const int64_t n :
       {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{33}, int64_t{67}, int64_t{200}}) {
    const int64_t rows = n == 33 ? 3 : 1;
    const std::vector<Bytes> in = random_inputs(spec, n, rows, random);
    const auto portable = run_map(entry.functions[0], spec, in, n, rows, 5, entry.scratch);
    for (const Tier tier : runnable_tiers()) {
      const auto got =
          run_map(entry.functions[static_cast<int>(tier)], spec, in, n, rows, 5, entry.scratch);
      for (size_t k = 0; k < got.size(); ++k) {
        EXPECT_EQ(difference(portable[k], got[k], spec.outputs[k].dtype()), "")
            << spec.key << " output " << k << " n " << n << " tier " << static_cast<int>(tier);
      }
    }
  }
}

// What a reduction or scan of n elements writes, as one run of bytes.
Bytes run_other(const void* kernel, const KernelSpec& spec, Bytes in, int64_t n) {
  const int64_t size = size_of(spec.inputs[0].dtype);
  Bytes out[2] = {Bytes(static_cast<size_t>(16 * n)), Bytes(static_cast<size_t>(16 * n))};
  void* states[] = {out[0].data(), out[1].data()};
  void* function = const_cast<void*>(kernel);
  std::vector<double> scratch(64 * static_cast<size_t>(kReduceColumns) * 4);
  switch (spec.shape) {
    case LoopShape::kRowReduce:
      reinterpret_cast<RowReduceKernel>(function)(states, in.data(), size, n, 1, 3);
      break;
    case LoopShape::kColumnReduce:
      reinterpret_cast<ColumnReduceKernel>(function)(states, in.data(), size, n - 3, 4, 3,
                                                     scratch.data());
      break;
    case LoopShape::kCombineRow: {
      void* from[] = {in.data(), in.data()};
      reinterpret_cast<CombineKernel>(function)(states, from, 0, n, 1);
      break;
    }
    default:  // out[1] has the total before the row, and behind it
      reinterpret_cast<ScanKernel>(function)(out[0].data(), in.data(), n, 1, 0, 0, out[1].data());
  }
  out[0].insert(out[0].end(), out[1].begin(), out[1].end());
  return out[0];
}

void expect_same_reduction(const KernelSpec& spec, const KernelEntry& entry, Random& random) {
  DType dtype = spec.inputs[0].dtype;
  if (spec.shape == LoopShape::kCombineRow) dtype = spec.reduce.identity.back().dtype();
  for (const int64_t n : {int64_t{4}, int64_t{67}, int64_t{200}}) {
    const Bytes in = random_elements(dtype, n, random);
    const Bytes portable = run_other(entry.functions[0], spec, in, n);
    for (const Tier tier : runnable_tiers()) {
      const Bytes got = run_other(entry.functions[static_cast<int>(tier)], spec, in, n);
      EXPECT_EQ(difference(portable, got, DType::kU8), "")
          << spec.key << " n " << n << " tier " << static_cast<int>(tier);
    }
  }
}

TEST(BuiltinKernels, SameBitsOnEveryTier) {
  weft_register_builtin_kernels();
  Random random(1);
  int checked = 0;
  for (const OpEntry* op : registered_ops()) {
    for (const KernelSpec& spec : kernels_of(*op)) {
      const KernelEntry* entry = find_kernel_entry(spec.key);
      if (entry == nullptr) continue;
      if (spec.shape == LoopShape::kMap || spec.shape == LoopShape::kRow) {
        expect_same_bits(spec, *entry, random);
      } else {
        expect_same_reduction(spec, *entry, random);
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(BuiltinKernels, FindKernelTakesTheCurrentTier) {
  weft_register_builtin_kernels();
  const KernelEntry* entry = find_kernel_entry("add/f32/cc");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(find_kernel("add/f32/cc", Tier::kPortable), entry->functions[0]);
  EXPECT_NE(find_kernel("add/f32/cc"), nullptr);
  EXPECT_EQ(find_kernel("add/f32/xx"), nullptr);
}

}  // namespace
}  // namespace weft::codegen
