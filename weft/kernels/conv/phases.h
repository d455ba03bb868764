// Phases: a convolution whose input elements lie apart, as several in which they do not.
#pragma once

#include <numeric>

#include "weft/kernels/conv/conv.h"
#include "weft/kernels/matmul/problem.h"

namespace weft::kernels {

// The outputs at phase, phase + period, .. of an axis meet elements of x at taps first, first +
// step, .. only, and lie as in a convolution without input dilation.
struct Phase {
  ConvAxis axis;
  int64_t y_offset;
  int64_t w_offset;
  bool is_empty;  // no tap meets an element
};

inline Phase phase_of(const ConvAxis& a, int64_t phase) {
  const int64_t apart = a.input_dilation;
  const int64_t period = apart / std::gcd(apart, a.stride);
  const int64_t step = apart / std::gcd(apart, a.dilation);
  const int64_t start = phase * a.stride - a.low;
  int64_t first = 0;
  while (first < a.taps && first < step && (start + first * a.dilation) % apart != 0) ++first;
  Phase out{a, phase * a.y_stride, first * a.w_stride, first >= a.taps || first >= step};
  out.axis.out = ceil_div(a.out - phase, period);
  out.axis.taps = ceil_div(a.taps - first, step);
  out.axis.stride = period * a.stride / apart;
  out.axis.dilation = step * a.dilation / apart;
  out.axis.low = -(start + first * a.dilation) / apart;
  out.axis.input_dilation = 1;
  out.axis.y_stride = period * a.y_stride;
  out.axis.w_stride = step * a.w_stride;
  return out;
}

inline int64_t phases_of(const ConvAxis& a) {
  return lesser(a.input_dilation / std::gcd(a.input_dilation, a.stride), a.out);
}

// Calls body for each combination of phases.
template <class Body>
void for_each_phase(const ConvArgs& args, const Body& body) {
  for (int64_t i = 0; i < phases_of(args.axis[0]); ++i) {
    for (int64_t j = 0; j < phases_of(args.axis[1]); ++j) {
      for (int64_t k = 0; k < phases_of(args.axis[2]); ++k) {
        body(phase_of(args.axis[0], i), phase_of(args.axis[1], j), phase_of(args.axis[2], k));
      }
    }
  }
}

}  // namespace weft::kernels
