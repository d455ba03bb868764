// Isa: the instruction-set tier that kernels run on, found by CPUID, overridable by WEFT_ISA.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

// Every tier gives the same bits; a later one is faster.
enum class Isa : uint8_t {
  portable,  // any CPU
  avx2,      // AVX2, FMA and F16C
  avx512,    // AVX-512 F, VL, DQ and BW besides
};
inline constexpr int kNumIsas = 3;

std::string_view name_of(Isa isa);

// The fastest tier this CPU has.
Isa best_isa();

// The tier in use: WEFT_ISA=avx2|avx512|portable if set, else best_isa(). Raises, at every use, if
// WEFT_ISA names no tier or one that the CPU lacks.
Isa current_isa();

// Overrides current_isa(); raises if the CPU lacks the tier. Not to be called beside running
// kernels.
void set_isa_for_testing(Isa isa);

}  // namespace weft
