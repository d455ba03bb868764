// Prints kernels as C: the portable tier, compiled without contraction, with the same bits.
#pragma once

#include <span>
#include <string>

#include "weft/codegen/kernel_spec.h"

namespace weft::codegen {

// A whole C source with one function per spec, named spec.symbol("portable"). Specs are lowered.
std::string print_c(std::span<const KernelSpec> specs);

}  // namespace weft::codegen
