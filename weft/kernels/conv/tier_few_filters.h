// Few filters: lanes are neighbouring places of a line, not filters; see PlaneProduct.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/conv/tier_line_product.h"

// Sums of F filters for R vectors of places, their inputs and one weight fit into the registers.
inline constexpr int kRegisters = WEFT_TIER_BYTES == 64 ? 32 : 16;
template <int F>
inline constexpr int kPlaneVectors =
    (kRegisters - 2) / (F + 1) < 8 ? (kRegisters - 2) / (F + 1) : 8;

// A vector of places: where its inputs begin, where its outputs, and how many of them there are.
template <class T>
struct PlaneVector {
  const T* x;
  T* y;
  int places;
};

template <class T, int F, int R>
[[gnu::noinline]] void plane_micro(const PlaneProduct<T>& p, const PlaneVector<T>* vectors) {
  constexpr int L = kLanes<T>;
  Vector<T> acc[F][R] = {};
  const T* x[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) x[r] = vectors[r].x;
  const T* b = p.b;
  for (int64_t k = 0; k < p.steps; ++k, b += L) {
    const int64_t offset = p.offsets[k];
    Vector<T> xv[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) xv[r] = load(x[r] + offset);
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f) {
      const Vector<T> bv = broadcast(b[f]);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) acc[f][r] = step<T>(xv[r], bv, acc[f][r]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    T sums[F][L];
#pragma GCC unroll 8
    for (int f = 0; f < F; ++f) store(sums[f], canonical<T>(acc[f][r]));
    T* y = vectors[r].y;
    for (int i = 0; i < vectors[r].places; ++i, y += p.y_step) {
#pragma GCC unroll 8
      for (int f = 0; f < F; ++f) y[f] = sums[f][i];
    }
  }
}

template <class T, int F>
void plane_product_of(const PlaneProduct<T>& p) {
  constexpr int L = kLanes<T>, R = kPlaneVectors<F>;
  PlaneVector<T> some[R];
  int count = 0;
  for (int64_t line = 0; line < p.lines; ++line) {
    for (int64_t i = 0; i < p.width; i += L) {
      const int64_t left = p.width - i;
      some[count++] = {p.x + (line * p.x_line + i), p.y + (line * p.y_line + i * p.y_step),
                       static_cast<int>(left < L ? left : L)};
      if (count < R) continue;
      plane_micro<T, F, R>(p, some);
      count = 0;
    }
  }
  for (int r = 0; r < count; ++r) plane_micro<T, F, 1>(p, some + r);
}

template <class T>
void plane_product(const PlaneProduct<T>& p) {
  switch (p.filters) {
    case 1: return plane_product_of<T, 1>(p);
    case 2: return plane_product_of<T, 2>(p);
    case 3: return plane_product_of<T, 3>(p);
    case 4: return plane_product_of<T, 4>(p);
    case 5: return plane_product_of<T, 5>(p);
    case 6: return plane_product_of<T, 6>(p);
    case 7: return plane_product_of<T, 7>(p);
    default: return plane_product_of<T, 8>(p);
  }
}
