// Derivatives of vectors that are unique up to a phase: the phase is fixed by one large entry.
#pragma once

#include "weft/ops/linalg/matrices.h"

namespace weft::linalg {

// The columns of complex v are turned so that the first entry whose square is at least 0.3 of the
// greatest is positive (kernels/lapack/phase.h). Real columns change sign only, which has no
// derivative.
class PhaseRule {
 public:
  PhaseRule(const Tensor& v, Where where);

  // The imaginary numbers t for which dv + v diag(t) keeps those entries real: [.., k].
  Tensor turn(const Tensor& dv) const;
  // The adjoint: what a cotangent of t means for dv. `pull` is the imaginary part of what arrives.
  Tensor turned_back(const Tensor& pull) const;

 private:
  Tensor places_;  // i64 [.., 1, k]: the row of each column's entry
  Tensor sizes_;   // [.., 1, k]: that entry, which is real
  DType dtype_;
  Dim rows_;
  Where at_;
};

// Do the columns of v have a phase to speak of: complex numbers, at least one?
inline bool has_phase(const Tensor& v) { return is_complex(v.dtype()) && v.dim(-2) != Dim(0); }

// i x, for real x.
Tensor imaginary(const Tensor& x, Where where);
// 1 / (values[j] - values[i]) at [i, j]; 0 on the diagonal and for equal values.
Tensor reciprocal_gaps(const Tensor& values, Where where);
// x with column j multiplied by scale[j].
Tensor scaled_columns(const Tensor& x, const Tensor& scale, Where where);

}  // namespace weft::linalg
