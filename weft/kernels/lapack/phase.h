// Which of the equally good singular or eigenvectors is given: the one with a positive entry where
// it is large.
#pragma once

#include "weft/kernels/lapack/matrices.h"
#include "weft/kernels/lapack/routines.h"

namespace weft::kernels::lapack {

inline float squared(float x) { return x * x; }
inline double squared(double x) { return x * x; }
template <class T>
T squared(std::complex<T> x) {
  return x.real() * x.real() + x.imag() * x.imag();
}

// The phase (for reals the sign) of the first entry whose square is at least 0.3 of the greatest:
// the first large one, and rarely one of two that are equally large but for rounding. The
// gradients of eigh and svd find it by the same rule.
template <class T>
T phase_of(const T* vector, int64_t n) {
  Real<T> greatest = 0;
  for (int64_t i = 0; i < n; ++i) greatest = std::max(greatest, squared(vector[i]));
  for (int64_t i = 0; i < n; ++i) {
    if (greatest > 0 && squared(vector[i]) >= Real<T>(0.3) * greatest) {
      return vector[i] / std::abs(vector[i]);
    }
  }
  return T(1);
}

}  // namespace weft::kernels::lapack
