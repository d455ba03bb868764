// The families of the library, in the order of the docs.
#include "weft/op/registry.h"

namespace weft {

extern const Family kMathFamily, kReduceFamily, kShapeFamily, kSortFamily, kLinalgFamily,
    kFftFamily, kNnFamily, kLossFamily, kNormFamily, kPoolFamily, kDropoutFamily, kAttentionFamily,
    kRecurrentFamily, kCreationFamily, kRandomFamily, kOptimFamily;

std::span<const Family* const> builtin_families() {
  static constexpr const Family* kFamilies[] = {
      &kMathFamily,      &kReduceFamily,   &kShapeFamily,   &kSortFamily,
      &kLinalgFamily,    &kFftFamily,      &kNnFamily,      &kLossFamily,
      &kNormFamily,      &kPoolFamily,     &kDropoutFamily, &kAttentionFamily,
      &kRecurrentFamily, &kCreationFamily, &kRandomFamily,  &kOptimFamily};
  return kFamilies;
}

}  // namespace weft
