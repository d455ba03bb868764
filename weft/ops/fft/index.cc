// The ops of fft/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/fft/fft.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kFftC2c,
    &kFftR2c,
    &kFftC2r,
};
static constexpr const CompositeDef* kComposites[] = {
    &kFftFft,   &kFftIfft,   &kFftRfft,    &kFftIrfft,    &kFftHfft,     &kFftIhfft,
    &kFftFftn,  &kFftIfftn,  &kFftRfftn,   &kFftIrfftn,   &kFftFft2,     &kFftIfft2,
    &kFftRfft2, &kFftIrfft2, &kFftFftfreq, &kFftRfftfreq, &kFftFftshift, &kFftIfftshift,
};
extern const Family kFftFamily;
constinit const Family kFftFamily{"fft", kOps, kComposites};

}  // namespace weft
