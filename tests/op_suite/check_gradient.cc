// Column gradient: the forward rule against central differences, the backward rule against the
// forward one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/op_suite/checks.h"
#include "weft/op/apply.h"
#include "weft/op/grad.h"

namespace weft::suite {
namespace {

constexpr double kStep = 1e-6;
constexpr double kDifferenceTolerance = 1e-6;  // of central differences in f64
constexpr double kAdjointTolerance = 1e-10;

bool has_gradient(const OpDef& op, size_t input, DType dtype) {
  return no_gradient_reason(op, input).empty() && (is_floating(dtype) || is_complex(dtype));
}

// Differences are taken in these dtypes only: others round too coarsely, or are no numbers to
// differentiate.
bool is_precise(DType dtype) { return dtype == DType::kF64 || dtype == DType::kC128; }

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

// One sample, with `moves` saying which inputs are differentiated.
void check_inputs(const Case& c, const Arrays& in, const std::vector<bool>& moves,
                  const AnyAttrs& attrs) {
  const OpDef& op = *c.entry.op;
  Random random(11);
  Arrays directions;
  for (const Array& x : in) directions.push_back(random_like(x, random));
  const Tensors inputs = to_tensors(in);
  const Tensors outputs = run(c.entry, inputs, attrs.data());
  const auto wanted = std::make_unique<bool[]>(in.size());
  Tensors tangents(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    wanted[i] = moves[i];
    if (moves[i]) tangents[i] = to_tensor(directions[i]);
  }
  const GradCtx cx{inputs, outputs, {wanted.get(), in.size()}, Where{}};

  const Tensors forward = call_jvp(op, attrs.data(), cx, tangents);
  const Arrays expected = central_difference(c, in, directions, moves, attrs.data());
  ASSERT_EQ(forward.size(), expected.size());
  Arrays jv;
  for (size_t k = 0; k < forward.size(); ++k) {
    jv.push_back(forward[k].defined() ? to_array(forward[k])
                                      : like(expected[k], expected[k].shape));
    const bool smooth = is_precise(outputs[k].dtype());
    if (smooth) {
      EXPECT_EQ(difference(jv[k], expected[k], kDifferenceTolerance), "") << "JVP of output " << k;
    }
  }

  Tensors cotangents;
  Arrays u;
  long double left = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    u.push_back(random_like(to_array(outputs[k]), random));
    if (!is_precise(outputs[k].dtype())) {
      cotangents.push_back(Tensor());
      continue;
    }
    cotangents.push_back(to_tensor(u[k]));
    left += inner(u[k], jv[k]);
  }
  const Tensors back = call_vjp(op, attrs.data(), cx, cotangents);
  ASSERT_EQ(back.size(), in.size());
  long double right = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!moves[i]) {
      EXPECT_FALSE(back[i].defined()) << "input " << i << " was not asked for";
      continue;
    }
    if (!back[i].defined()) continue;
    EXPECT_EQ(text(back[i].type()), text(inputs[i].type())) << "the cotangent of input " << i;
    right += inner(to_array(back[i]), directions[i]);
  }
  EXPECT_NEAR(static_cast<double>(left), static_cast<double>(right),
              kAdjointTolerance * (1 + std::abs(static_cast<double>(left))))
      << "<u, J v> and <J* u, v> differ: VJP and JVP disagree";
}

}  // namespace

void check_gradient(const Case& c) {
  if (c.entry.op == nullptr) return;  // a composite's gradient follows from its parts
  const OpDef& op = *c.entry.op;
  if (op.grad.kind == GradKind::kNotDifferentiable) {
    EXPECT_FALSE(op.grad.reason.empty()) << "say why it is not differentiable";
    return;
  }
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (DType dtype : c.dtypes) {
      if (!is_precise(dtype)) continue;
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype));
      const Arrays in = sample_inputs(c, s, dtype);
      std::vector<bool> all;
      for (size_t i = 0; i < in.size(); ++i) all.push_back(has_gradient(op, i, in[i].dtype));
      if (std::find(all.begin(), all.end(), true) == all.end()) continue;
      check_inputs(c, in, all, attrs);
      for (size_t i = 0; i < in.size() && in.size() > 1; ++i) {
        if (!all[i]) continue;
        std::vector<bool> one(in.size(), false);
        one[i] = true;
        check_inputs(c, in, one, attrs);
      }
    }
  }
}

}  // namespace weft::suite
