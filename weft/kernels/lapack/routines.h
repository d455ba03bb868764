// LAPACK's routines under one name for all four element types; matrices are column-major.
//
// Each returns LAPACK's info: 0, or what its manual says. Workspace is the caller's.
#pragma once

#include <complex>

#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapack.h>

namespace weft::kernels::lapack {

using Int = lapack_int;

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;
template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

// Calls M(letter, type) for the four types.
#define WEFT_LAPACK_TYPES(M) \
  M(s, float) M(d, double) M(c, std::complex<float>) M(z, std::complex<double>)

#define WEFT_POTRF(x, T)                          \
  inline Int potrf(char uplo, Int n, T* a) {      \
    Int info = 0, lda = n;                        \
    LAPACK_##x##potrf(&uplo, &n, a, &lda, &info); \
    return info;                                  \
  }
WEFT_LAPACK_TYPES(WEFT_POTRF)
#undef WEFT_POTRF

#define WEFT_TRTRS(x, T)                                                                  \
  inline Int trtrs(char uplo, char trans, char diag, Int n, Int nrhs, const T* a, T* b) { \
    Int info = 0, ld = n;                                                                 \
    LAPACK_##x##trtrs(&uplo, &trans, &diag, &n, &nrhs, a, &ld, b, &ld, &info);            \
    return info;                                                                          \
  }
WEFT_LAPACK_TYPES(WEFT_TRTRS)
#undef WEFT_TRTRS

#define WEFT_GETRF(x, T)                               \
  inline Int getrf(Int m, Int n, T* a, Int* pivots) {  \
    Int info = 0, lda = m;                             \
    LAPACK_##x##getrf(&m, &n, a, &lda, pivots, &info); \
    return info;                                       \
  }
WEFT_LAPACK_TYPES(WEFT_GETRF)
#undef WEFT_GETRF

#define WEFT_GETRS(x, T)                                                   \
  inline Int getrs(Int n, Int nrhs, const T* a, const Int* pivots, T* b) { \
    Int info = 0, ld = n;                                                  \
    const char trans = 'N';                                                \
    LAPACK_##x##getrs(&trans, &n, &nrhs, a, &ld, pivots, b, &ld, &info);   \
    return info;                                                           \
  }
WEFT_LAPACK_TYPES(WEFT_GETRS)
#undef WEFT_GETRS

#define WEFT_GETRI(x, T)                                                 \
  inline Int getri(Int n, T* a, const Int* pivots, T* work, Int lwork) { \
    Int info = 0, lda = n;                                               \
    LAPACK_##x##getri(&n, a, &lda, pivots, work, &lwork, &info);         \
    return info;                                                         \
  }
WEFT_LAPACK_TYPES(WEFT_GETRI)
#undef WEFT_GETRI

#define WEFT_GEQRF(x, T)                                             \
  inline Int geqrf(Int m, Int n, T* a, T* tau, T* work, Int lwork) { \
    Int info = 0, lda = m;                                           \
    LAPACK_##x##geqrf(&m, &n, a, &lda, tau, work, &lwork, &info);    \
    return info;                                                     \
  }
WEFT_LAPACK_TYPES(WEFT_GEQRF)
#undef WEFT_GEQRF

// The first n columns of the orthogonal matrix that k reflections make; a is m x n.
#define WEFT_ORGQR(x, name, T)                                                    \
  inline Int orgqr(Int m, Int n, Int k, T* a, const T* tau, T* work, Int lwork) { \
    Int info = 0, lda = m;                                                        \
    LAPACK_##x##name(&m, &n, &k, a, &lda, tau, work, &lwork, &info);              \
    return info;                                                                  \
  }
WEFT_ORGQR(s, orgqr, float)
WEFT_ORGQR(d, orgqr, double)
WEFT_ORGQR(c, ungqr, std::complex<float>)
WEFT_ORGQR(z, ungqr, std::complex<double>)
#undef WEFT_ORGQR

// Eigenvalues, ascending, and with jobz 'V' eigenvectors in the place of a.
#define WEFT_SYEVD(x, T)                                                                  \
  inline Int heevd(char jobz, Int n, T* a, T* w, T* work, Int lwork, T*, Int, Int* iwork, \
                   Int liwork) {                                                          \
    Int info = 0, lda = n;                                                                \
    const char uplo = 'L';                                                                \
    LAPACK_##x##syevd(&jobz, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info); \
    return info;                                                                          \
  }
WEFT_SYEVD(s, float)
WEFT_SYEVD(d, double)
#undef WEFT_SYEVD
#define WEFT_HEEVD(x, T)                                                                          \
  inline Int heevd(char jobz, Int n, T* a, Real<T>* w, T* work, Int lwork, Real<T>* rwork,        \
                   Int lrwork, Int* iwork, Int liwork) {                                          \
    Int info = 0, lda = n;                                                                        \
    const char uplo = 'L';                                                                        \
    LAPACK_##x##heevd(&jobz, &uplo, &n, a, &lda, w, work, &lwork, rwork, &lrwork, iwork, &liwork, \
                      &info);                                                                     \
    return info;                                                                                  \
  }
WEFT_HEEVD(c, std::complex<float>)
WEFT_HEEVD(z, std::complex<double>)
#undef WEFT_HEEVD

// a = u diag(s) vt, by divide and conquer: jobz 'N' values only, 'S' reduced, 'A' complete.
#define WEFT_GESDD(x, T)                                                                           \
  inline Int gesdd(char jobz, Int m, Int n, T* a, T* s, T* u, T* vt, Int ldvt, T* work, Int lwork, \
                   T*, Int* iwork) {                                                               \
    Int info = 0, lda = m, ldu = m;                                                                \
    LAPACK_##x##gesdd(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, &info);  \
    return info;                                                                                   \
  }
WEFT_GESDD(s, float)
WEFT_GESDD(d, double)
#undef WEFT_GESDD
#define WEFT_GESDD(x, T)                                                                         \
  inline Int gesdd(char jobz, Int m, Int n, T* a, Real<T>* s, T* u, T* vt, Int ldvt, T* work,    \
                   Int lwork, Real<T>* rwork, Int* iwork) {                                      \
    Int info = 0, lda = m, ldu = m;                                                              \
    LAPACK_##x##gesdd(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, rwork, iwork, \
                      &info);                                                                    \
    return info;                                                                                 \
  }
WEFT_GESDD(c, std::complex<float>)
WEFT_GESDD(z, std::complex<double>)
#undef WEFT_GESDD
#undef WEFT_LAPACK_TYPES

}  // namespace weft::kernels::lapack
