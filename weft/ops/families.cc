// The families of the library, in the order of the docs.
#include "weft/op/registry.h"

namespace weft {

extern const Family kMathFamily, kReduceFamily, kShapeFamily, kNnFamily, kCreationFamily;

std::span<const Family* const> builtin_families() {
  static constexpr const Family* kFamilies[] = {&kMathFamily, &kReduceFamily, &kShapeFamily,
                                                &kNnFamily, &kCreationFamily};
  return kFamilies;
}

}  // namespace weft
