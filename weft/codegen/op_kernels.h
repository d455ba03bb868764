// The kernels an op needs: from its registry entry to specs, for every dtype it takes.
#pragma once

#include <vector>

#include "weft/codegen/kernel_spec.h"
#include "weft/op/registry.h"

namespace weft::codegen {

// All kernels of the op: its own, and its fused backward kernels. Not lowered.
std::vector<KernelSpec> kernels_of(const OpEntry& op);

}  // namespace weft::codegen
