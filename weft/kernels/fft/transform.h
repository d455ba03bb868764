// transform: complex transforms along a plan, in the lanes of a tier.
#pragma once

#include "weft/kernels/fft/plan.h"

namespace weft::kernels::fft {

// Complex numbers: element k of line i is at data + k * element + i * line. In numbers: two a pair.
template <class T>
struct View {
  T* data;
  int64_t element, line;

  T* at(int64_t k, int64_t i) const { return data + k * element + i * line; }
};

template <class T>
struct How {
  int64_t lines = 1;
  bool inverse = false;
  T scale = 1;
  bool side_by_side = false;  // lanes are lines; else, of a matrix, its columns and rows
  bool in_tasks = false;      // one long transform in tasks of the pool
};

// Lines of `from` to lines of `to`, other memory. Side by side either lines are adjacent (line ==
// 2) or, if the plan is no matrix, elements; else elements are.
template <class T>
void transform(const Kernels<T>& kernels, const Plan<T>& plan, View<T> from, View<T> to,
               const How<T>& how);

}  // namespace weft::kernels::fft
