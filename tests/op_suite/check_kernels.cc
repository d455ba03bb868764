// Column kernels: what the signature promises is in the table of generated kernels, on every tier.
#include <gtest/gtest.h>

#include <bit>

#include "tests/op_suite/checks.h"
#include "weft/core/kernel_abi.h"
#include "weft/eager/runtime.h"
#include "weft/op/kernel_key.h"
#include "weft/op/scan_order.h"

namespace weft::suite {
namespace {

std::vector<DType> dtypes_of(DTypeSet set) {
  std::vector<DType> out;
  for (int i = 0; i < kNumDTypes; ++i) {
    if (contains(set, static_cast<DType>(i))) out.push_back(static_cast<DType>(i));
  }
  return out;
}

// Written down here once more, not asked of kernelgen: it must not decide what it may leave out.
std::vector<std::string> variants_of(int arity) {
  if (arity == 1) return {"c"};
  if (arity == 2) return {"cc", "cs", "sc"};
  return {"ccc", "ccs", "csc", "css"};
}

// The dtypes of the inputs: those that are open have `open`.
std::vector<std::vector<DType>> signatures(const OpEntry& entry) {
  std::vector<std::vector<DType>> out;
  for (DType open : open_dtypes(entry)) {
    std::vector<DType> one;
    for (size_t i = 0; i < entry.inputs.size(); ++i) one.push_back(input_dtype(entry, i, open));
    out.push_back(one);
  }
  return out;
}

void add_forward(const OpEntry& entry, std::vector<std::string>& keys) {
  const KernelRule& kernel = entry.op->kernel;
  std::vector<std::string> variants;
  switch (kernel.kind) {
    case KernelKind::kElementwise: variants = variants_of(kernel.arity); break;
    case KernelKind::kReduction: variants = {"row", "column", "combine"}; break;
    case KernelKind::kRow: variants = {"row"}; break;
    case KernelKind::kUpdate: variants = {"update"}; break;
    case KernelKind::kScan:
      variants = {"scan", "step"};
      if (!scans_in_blocks(kernel)) break;
      variants.insert(variants.end(), {"offset", "carry", "offset_step"});
      for (const std::vector<DType>& dtypes : signatures(entry)) {
        if (scan_total_of(dtypes[0]) != dtypes[0])
          keys.push_back(kernel_key(entry, dtypes, "totals"));
      }
      break;
    case KernelKind::kFill:
      for (DType dtype : dtypes_of(entry.outputs[0].dtypes)) {
        keys.push_back(text(entry.qualified_name(), '/', short_name_of(dtype), '/',
                            std::string(entry.inputs.size(), 's')));
      }
      break;
    case KernelKind::kCast:
      for (DType from : dtypes_of(entry.inputs[0].dtypes)) {
        for (DType to : dtypes_of(entry.outputs[0].dtypes)) {
          if (from != to) keys.push_back(cast_key(entry, from, to, "c"));
        }
      }
      break;
    default: break;
  }
  for (const std::string& variant : variants) {
    for (const std::vector<DType>& dtypes : signatures(entry)) {
      keys.push_back(kernel_key(entry, dtypes, variant));
    }
  }
}

// One for every set of inputs whose cotangents may be asked for, real and complex.
void add_backward(const OpEntry& entry, std::vector<std::string>& keys) {
  if (entry.op->grad.kind != GradKind::kPartials) return;
  for (DType dtype : open_dtypes(entry)) {
    if (!is_floating(dtype) && !is_complex(dtype)) continue;
    for (uint32_t wanted = 1; wanted < 1u << entry.op->grad.partials; ++wanted) {
      keys.push_back(vjp_key(entry, dtype, wanted));
    }
  }
}

}  // namespace

std::string kernels_untested(const Case& c) {
  if (c.entry.op == nullptr) return "its parts have kernels";
  const KernelKind kind = c.entry.op->kernel.kind;
  const bool is_native =
      kind == KernelKind::kNative || kind == KernelKind::kHost || kind == KernelKind::kView;
  return is_native ? "its kernel is native" : "";
}

void check_kernels(const Case& c) {
  ensure_kernels();
  std::vector<std::string> keys;
  add_forward(c.entry, keys);
  add_backward(c.entry, keys);
  EXPECT_FALSE(keys.empty());
  for (const std::string& key : keys) {
    const KernelEntry* const entry = find_kernel_entry(key);
    ASSERT_NE(entry, nullptr) << "there is no kernel " << key;
    for (int tier = 0; tier < kNumTiers; ++tier) {
      EXPECT_NE(entry->functions[tier], nullptr) << key << " on tier " << tier;
    }
  }
}

}  // namespace weft::suite
