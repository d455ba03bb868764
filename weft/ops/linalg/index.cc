// The ops of linalg/, one line each.
#include "weft/op/registry.h"
#include "weft/ops/linalg/cond.h"
#include "weft/ops/linalg/det.h"
#include "weft/ops/linalg/kron.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/linalg/multi_dot.h"

namespace weft {

static constexpr const OpDef* kOps[] = {
    &kMatmul,   &kCholesky,     &kSolveTriangular, &kSolve, &kInv,     &kLuFactor, &kDiagonal,
    &kQr,       &kEigh,         &kEigvalsh,        &kSvd,   &kSvdvals, &kPinv,     &kMatrixExp,
    &kDetValue, &kDetCofactors, &kInvOrZero,
};
static constexpr const CompositeDef* kComposites[] = {
    &kLu,    &kDet,   &kSlogdet, &kMatrixRank, &kLstsq, &kMatrixPower, &kVectorNorm, &kMatrixNorm,
    &kTrace, &kOuter, &kVecdot,  &kTensordot,  &kCross, &kKron,        &kCond,       &kMultiDot,
};
extern const Family kLinalgFamily;
constinit const Family kLinalgFamily{"linalg", kOps, kComposites};

}  // namespace weft
