// What a tier of triangular solves offers.
//
// Plain data only: the tiers are compiled with their own instruction sets, so nothing here may
// become inline code.
#pragma once

#include <cstdint>

namespace weft::kernels::triangular {

// a x = b with a lower triangle a: element (i, j) is at a + i * row_stride + j * column_stride.
// Strides count elements and may be negative: an upper triangle is a lower one read from its end.
template <class T>
struct System {
  const T* a;
  int64_t n, row_stride, column_stride;
  bool unit_diagonal;
};

// Lines of elements side by side: `first` in the first line, then one more (grows) or less in each.
template <class T>
struct Triangle {
  const T* data;
  int64_t lines, step, first;
  bool grows;
};

// Both solvers find x[0], x[1], .. in turn; element x[i] is b[i], from which a[i, j] * x[j] is
// subtracted by one fma for each j in ascending order, divided by a[i, i].
template <class T>
struct Kernels {
  int64_t lanes;
  // `vectors` (1 or 2) times `lanes` columns side by side: row i of `x`, which holds b and becomes
  // the solution, is at x + i * vectors * lanes.
  void (*solve_panel)(const System<T>& system, T* x, int64_t vectors);
  // One column, of a triangle with a stride of 1 or -1. `x` has room for whole vectors. False if an
  // element of the triangle is not finite.
  bool (*solve_line)(const System<T>& system, T* x);
  // Whether no element is NaN or infinite.
  bool (*all_finite)(const Triangle<T>& triangle);
};

struct Tier {
  Kernels<float> f32;
  Kernels<double> f64;
};

namespace portable {
extern const Tier kTier;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Tier kTier;
}
namespace avx512 {
extern const Tier kTier;
}
#endif

}  // namespace weft::kernels::triangular
