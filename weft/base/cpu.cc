// Finding the tier: CPUID once, WEFT_ISA once.
#include "weft/base/cpu.h"

#include <atomic>
#include <cstdlib>

#include "weft/base/error.h"

namespace weft {
namespace {

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (avx2 && avx512) return Isa::avx512;
  if (avx2) return Isa::avx2;
#endif
  return Isa::portable;
}

void require_supported(Isa isa, std::string_view who) {
  if (isa > best_isa()) {
    fail(Code::kInvalid, who, "", "the tier ", name_of(isa), " is asked for, but this CPU has ",
         name_of(best_isa()), " at most; name that one or a lower one");
  }
}

Isa from_environment() {
  const char* value = std::getenv("WEFT_ISA");
  if (value == nullptr || *value == '\0') return best_isa();
  for (int i = 0; i < kNumIsas; ++i) {
    const Isa isa = static_cast<Isa>(i);
    if (name_of(isa) != value) continue;
    require_supported(isa, "WEFT_ISA");
    return isa;
  }
  fail(Code::kInvalid, "WEFT_ISA", "", "the value is \"", std::string_view(value),
       "\"; it may be portable, avx2 or avx512");
}

constexpr int kUndecided = -1;
std::atomic<int> g_current{kUndecided};

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::portable: return "portable";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
  }
  return "?";
}

Isa best_isa() {
  static const Isa best = detect();
  return best;
}

Isa current_isa() {
  int current = g_current.load(std::memory_order_relaxed);
  if (current == kUndecided) {
    current = static_cast<int>(from_environment());
    g_current.store(current, std::memory_order_relaxed);
  }
  return static_cast<Isa>(current);
}

void set_isa_for_testing(Isa isa) {
  require_supported(isa, "set_isa_for_testing");
  g_current.store(static_cast<int>(isa), std::memory_order_relaxed);
}

}  // namespace weft
