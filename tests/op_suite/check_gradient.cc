// Column gradient: the forward rule against central differences, the backward rule against the
// forward one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/op_suite/checks.h"
#include "tests/op_suite/trace.h"
#include "weft/op/grad.h"

namespace weft::suite {
namespace {

constexpr double kStep = 1e-6;
constexpr double kDifferenceTolerance = 1e-6;  // of central differences in f64
constexpr double kAdjointTolerance = 1e-10;

// Differences are taken in these dtypes only: others round too coarsely, or are no numbers to
// differentiate.
bool is_precise(DType dtype) { return dtype == DType::kF64 || dtype == DType::kC128; }

bool has_gradient(const OpEntry& entry, size_t input, DType dtype) {
  if (entry.op != nullptr && !no_gradient_reason(*entry.op, input).empty()) return false;
  return is_precise(dtype);
}

Array random_like(const Array& x, Random& random) {
  Array out = x;
  for (ScalarValue& v : out.values)
    v = value_of(x.dtype, random.uniform(-1, 1), random.uniform(-1, 1));
  return out;
}

Array moved(const Array& x, const Array& direction, double step) {
  Array out = x;
  for (size_t i = 0; i < x.values.size(); ++i) {
    out.values[i].re += step * direction.values[i].re;
    out.values[i].im += step * direction.values[i].im;
  }
  return out;
}

// (f(x + h v) - f(x - h v)) / 2h
Arrays central_difference(const Case& c, const Arrays& in, const Arrays& direction,
                          const std::vector<bool>& moves, const void* attrs) {
  Arrays ahead = in, behind = in;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!moves[i]) continue;
    ahead[i] = moved(in[i], direction[i], kStep);
    behind[i] = moved(in[i], direction[i], -kStep);
  }
  const Tensors high = run(c.entry, to_tensors(ahead), attrs);
  const Tensors low = run(c.entry, to_tensors(behind), attrs);
  Arrays out;
  for (size_t k = 0; k < high.size(); ++k) {
    Array difference = to_array(high[k]);
    const Array subtrahend = to_array(low[k]);
    for (size_t i = 0; i < difference.values.size(); ++i) {
      difference.values[i].re = (difference.values[i].re - subtrahend.values[i].re) / (2 * kStep);
      difference.values[i].im = (difference.values[i].im - subtrahend.values[i].im) / (2 * kStep);
    }
    out.push_back(std::move(difference));
  }
  return out;
}

// The real inner product: for complex numbers, of the pairs of parts.
long double inner(const Array& a, const Array& b) {
  long double out = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    out += a.values[i].re * b.values[i].re + a.values[i].im * b.values[i].im;
  }
  return out;
}

// The forward derivative in the directions of the inputs that move, against differences.
Arrays check_forward(const Case& c, const Trace& trace, const Arrays& in, const Arrays& directions,
                     const std::vector<bool>& moves, const AnyAttrs& attrs) {
  Tensors tangents(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    if (moves[i]) tangents[i] = to_tensor(directions[i]);
  }
  const Tensors forward = trace.jvp(tangents);
  const Arrays expected = central_difference(c, in, directions, moves, attrs.data());
  Arrays out;
  for (size_t k = 0; k < forward.size(); ++k) {
    out.push_back(forward[k].defined() ? to_array(forward[k])
                                       : like(expected[k], expected[k].shape));
    if (is_precise(expected[k].dtype)) {
      EXPECT_EQ(difference(out[k], expected[k], kDifferenceTolerance), "") << "JVP of output " << k;
    }
  }
  return out;
}

// The backward derivative against the forward one: <u, J v> == <J* u, v>.
void check_backward(const Trace& trace, const Arrays& in, const Arrays& directions,
                    const std::vector<bool>& moves, const Arrays& forward, Random& random) {
  Tensors cotangents;
  long double left = 0;
  for (const Array& tangent : forward) {
    const bool smooth = is_precise(tangent.dtype);
    const Array u = random_like(tangent, random);
    cotangents.push_back(smooth ? to_tensor(u) : Tensor());
    if (smooth) left += inner(u, tangent);
  }
  const auto wanted = std::make_unique<bool[]>(in.size());
  for (size_t i = 0; i < in.size(); ++i) wanted[i] = moves[i];
  const Tensors back = trace.vjp({wanted.get(), in.size()}, cotangents);
  long double right = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!back[i].defined()) continue;
    EXPECT_TRUE(moves[i]) << "input " << i << " was not asked for";
    const Array cotangent = to_array(back[i]);
    EXPECT_EQ(cotangent.dtype, in[i].dtype) << "the cotangent of input " << i;
    EXPECT_EQ(cotangent.shape, in[i].shape) << "the cotangent of input " << i;
    right += inner(cotangent, directions[i]);
  }
  EXPECT_NEAR(static_cast<double>(left), static_cast<double>(right),
              kAdjointTolerance * (1 + std::abs(static_cast<double>(left))))
      << "<u, J v> and <J* u, v> differ: VJP and JVP disagree";
}

// One sample, with `moves` saying which inputs are differentiated.
void check_inputs(const Case& c, const Arrays& in, const std::vector<bool>& moves,
                  const AnyAttrs& attrs) {
  Random random(11);
  Arrays directions;
  for (const Array& x : in) directions.push_back(random_like(x, random));
  const Trace trace(c.entry, to_tensors(in), attrs.data());
  const Arrays forward = check_forward(c, trace, in, directions, moves, attrs);
  check_backward(trace, in, directions, moves, forward, random);
}

}  // namespace

std::string gradient_untested(const Case& c) {
  if (c.entry.inputs.empty()) return "it has no inputs";
  if (c.entry.op != nullptr) return std::string(c.entry.op->grad.reason);
  for (DType dtype : c.dtypes) {
    if (is_precise(dtype)) return "";
  }
  return "its inputs are integers";
}

void check_gradient(const Case& c) {
  int checked = 0;
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    if (!c.test.samples[s].kink.empty()) continue;
    for (DType dtype : c.dtypes) {
      if (!is_precise(dtype)) continue;
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype));
      const Arrays in = sample_inputs(c, s, dtype);
      std::vector<bool> all;
      for (size_t i = 0; i < in.size(); ++i) all.push_back(has_gradient(c.entry, i, in[i].dtype));
      if (std::find(all.begin(), all.end(), true) == all.end()) continue;
      ++checked;
      check_inputs(c, in, all, attrs);
      for (size_t i = 0; i < in.size() && in.size() > 1; ++i) {
        if (!all[i]) continue;
        std::vector<bool> one(in.size(), false);
        one[i] = true;
        check_inputs(c, in, one, attrs);
      }
    }
  }
  EXPECT_GT(checked, 0) << c.test.op << " has a gradient, but no sample in float64 to check it";
}

}  // namespace weft::suite
