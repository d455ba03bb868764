// References of group_norm, instance_norm and batch_norm, in long double.
#pragma once

#include <cmath>

#include "tests/op_suite/samples.h"

namespace weft::suite {

struct Moments {
  long double mean = 0, variance = 0;
};

// Of the elements of x for which `belongs` holds.
template <class Belongs>
Moments moments_of(const Array& x, const Belongs& belongs) {
  Moments out;
  long double count = 0;
  for (size_t i = 0; i < x.values.size(); ++i) {
    if (belongs(i)) out.mean += x.values[i].re, ++count;
  }
  out.mean /= count;
  for (size_t i = 0; i < x.values.size(); ++i) {
    const long double centred = x.values[i].re - out.mean;
    if (belongs(i)) out.variance += centred * centred / count;
  }
  return out;
}

// [batch, channels, space..] by groups of channels of each example.
inline Array grouped_reference(const Arrays& in, int64_t groups, double eps) {
  const Array& x = in[0];
  Array out = like(x, x.shape);
  const auto channels = static_cast<size_t>(x.shape[1]);
  const size_t space = x.values.size() / static_cast<size_t>(x.shape[0]) / channels;
  const size_t length = channels / static_cast<size_t>(groups) * space;
  for (size_t i = 0; i < x.values.size(); ++i) {
    const Moments m = moments_of(x, [&](size_t j) { return j / length == i / length; });
    const size_t c = i / space % channels;
    const long double normal = (x.values[i].re - m.mean) / std::sqrt(m.variance + eps);
    out.values[i].re = normal * (in.size() > 1 ? in[1].values[c].re : 1) +
                       (in.size() > 2 ? in[2].values[c].re : 0);
  }
  return out;
}

}  // namespace weft::suite
