// What the tests of losses share: references in long double, and the common errors.
#pragma once

#include <cmath>
#include <string>

#include "tests/op_suite/samples.h"

namespace weft::suite {

// 16-bit floats give losses of float32.
inline Array widened(Array losses) {
  losses.dtype = compute_of(losses.dtype);
  return losses;
}

// The losses as the attribute `reduction` says.
inline Arrays reduced(const Attrs& at, Array losses) {
  losses = widened(losses);
  const std::string& reduction = at.get<std::string>("reduction");
  if (reduction == "none") return {losses};
  Array out = like(losses, {});
  for (const ScalarValue& v : losses.values) out.values[0].re += v.re;
  if (reduction == "mean") out.values[0].re /= static_cast<long double>(losses.values.size());
  return {out};
}

// The greater of both, but NaN if x is.
inline long double at_least(long double low, long double x) {
  return std::isnan(x) ? x : std::fmax(low, x);
}

// f(input, target) for each element.
template <class F>
Arrays loss_reference(const Attrs& at, const Arrays& in, F f) {
  Array losses = like(in[0], in[0].shape);
  for (size_t i = 0; i < losses.values.size(); ++i) {
    losses.values[i].re = f(in[0].values[i].re, in[1].values[i].re);
  }
  return reduced(at, losses);
}

// `reduction` and shapes. `more`: attributes that all samples have, like "margin=0.5, ".
inline void loss_errors(OpTest& t, const std::string& op, const std::vector<Arg>& inputs) {
  t.error("reduction", inputs, "reduction=\"average\"",
          op + ": reduction is \"average\"; it must be \"mean\", \"sum\" or \"none\" [" + op +
              ".reduction]");
}
inline void shape_error(OpTest& t, const std::string& op, std::vector<Arg> inputs) {
  t.error("shape", std::move(inputs), "",
          op + ": input has shape [3, 1] but target has shape [3]; they must be equal [" + op +
              ".shape]");
}

// Inputs between low and high, targets between 0.1 and 0.9, in all reductions and shapes.
inline void loss_samples(OpTest& t, double low = -2, double high = 2) {
  for (const char* reduction : {"mean", "sum", "none"}) {
    const std::string at = std::string("reduction=\"") + reduction + "\"";
    t.sample({in({3, 4}, low, high), in({3, 4}, 0.1, 0.9)}, at);
  }
  t.sample({in({}, low, high), in({}, 0.1, 0.9)});
  t.sample({in({0, 3}, low, high), in({0, 3}, 0.1, 0.9)}, "reduction=\"none\"");
  t.large({in({300, 301}, low, high), in({300, 301}, 0.1, 0.9)});
}

}  // namespace weft::suite
