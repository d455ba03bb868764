// The tiers: their names, and that a tier the CPU lacks is refused.
#include "weft/base/cpu.h"

#include <gtest/gtest.h>

#include "weft/base/error.h"

namespace weft {
namespace {

TEST(Cpu, tiers_up_to_the_best_can_be_set) {
  const Isa before = current_isa();
  for (int i = 0; i < kNumIsas; ++i) {
    const Isa isa = static_cast<Isa>(i);
    if (isa <= best_isa()) {
      set_isa_for_testing(isa);
      EXPECT_EQ(current_isa(), isa);
    } else {
      EXPECT_THROW(set_isa_for_testing(isa), Error);
    }
  }
  set_isa_for_testing(before);
}

TEST(Cpu, names) {
  EXPECT_EQ(name_of(Isa::portable), "portable");
  EXPECT_EQ(name_of(Isa::avx2), "avx2");
  EXPECT_EQ(name_of(Isa::avx512), "avx512");
}

}  // namespace
}  // namespace weft
