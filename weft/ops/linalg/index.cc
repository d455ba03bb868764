// The ops of linalg/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/linalg/linalg.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kMatmul, &kCholesky, &kSolveTriangular, &kSolve, &kInv,     &kLuFactor, &kDiagonal,
    &kQr,     &kEigh,     &kEigvalsh,        &kSvd,   &kSvdvals,
};
static constexpr const CompositeDef* kComposites[] = {
    &kLu,
    &kDet,
    &kSlogdet,
};
extern const Family kLinalgFamily;
constinit const Family kLinalgFamily{"linalg", kOps, kComposites};

}  // namespace weft
