// The table of a tier; included by tier_*.cc inside the namespace of the tier.
#include "weft/kernels/matmul/tier_pack.h"

extern const Tier kTier;
constinit const Tier kTier{
    kProductKernels<float>,
    kProductKernels<double>,
    kProductKernels<uint32_t>,
    kProductKernels<uint64_t>,
    {kDirect<float, float>, kDirect<double, double>, kDirect<uint32_t, uint32_t>,
     kDirect<uint64_t, uint64_t>, kConverted<float, BF16>, kConverted<float, F16>,
     kConverted<uint32_t, uint8_t>, kConverted<uint32_t, uint16_t>, kConverted<float, Bool>,
     kComplex<float>, kComplex<double>},
};
