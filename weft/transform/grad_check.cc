// grad_check: central differences for JVPs, the adjoint identity for VJPs; higher orders are the
// first order of derivatives.
#include "weft/transform/grad_check.h"

#include <algorithm>
#include <cmath>

#include "weft/base/fail_at.h"
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/transform/custom.h"
#include "weft/transform/grad_check_numbers.h"
#include "weft/transform/jvp.h"

namespace weft {
namespace {

constexpr double kStep = 6e-6;  // the cube root of f64's epsilon: rounding and curvature balance
// A difference of values around 1 has errors around 1e-10: smaller derivatives cannot be told.
constexpr double kNoise = 1e-3;

DType wide(DType dtype) { return is_complex(dtype) ? DType::kC128 : DType::kF64; }

// Notes the ops that are done with its values.
class WatchingLevel : public GradLevel {
 public:
  explicit WatchingLevel(std::vector<std::string>& ops) : ops_(ops) {}
  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override {
    ops_.emplace_back(shown_name(op, attrs));
    return GradLevel::interpret(op, in, attrs, where);
  }

 private:
  std::vector<std::string>& ops_;
};

std::vector<std::string> ops_of(FlatFunction f, TensorSpan in, Where where) {
  std::vector<std::string> out;
  WatchingLevel level(out);
  Tensors leaves;
  for (const Tensor& x : in) leaves.push_back(make_leaf(level.id, x, where));
  const LevelScope scope(level);
  f(leaves);
  return out;
}

class Checker {
 public:
  Checker(const GradCheckOptions& options, Where where)
      : options_(options), where_(where), directions_(options.seed) {}

  GradCheckReport report;

  // Checks the first derivative of f, which is itself the derivative `made` of the user's function,
  // then that of its derivatives.
  void check(FlatFunction f, TensorSpan in, int order, const std::string& made) {
    const Tensors out = f(in);
    for (int d = 0; d < options_.directions; ++d) {
      for (size_t i = 0; i < in.size(); ++i) check_argument(f, in, out, i, d, order, made);
    }
    if (order == options_.order) return;
    const std::string of = made.empty() ? "" : text(" of ", made);
    if (options_.jvp) {
      const Tensors along = directions_of(in);
      const auto derivative = [&](TensorSpan x) { return pushed(f, x, along); };
      check(derivative, in, order + 1, text("jvp", of));
    }
    if (options_.vjp) {
      const Tensors along = directions_of(out);
      const auto derivative = [&](TensorSpan x) {
        return connected_pull(Linearization(f, x, where_), x, along);
      };
      check(derivative, in, order + 1, text("vjp", of));
    }
  }

 private:
  Tensors directions_of(TensorSpan tensors) {
    Tensors out;
    for (const Tensor& x : tensors) out.push_back(directions_.like(x));
    return out;
  }

  Tensors pushed(FlatFunction f, TensorSpan in, TensorSpan tangents) const {
    JvpResult out = jvp_flat(f, in, tangents, where_);
    for (size_t k = 0; k < out.tangents.size(); ++k) {
      if (!out.tangents[k].defined()) out.tangents[k] = zeros_like(out.outputs[k]);
    }
    return std::move(out.tangents);
  }

  Tensors connected_pull(const Linearization& line, TensorSpan in, TensorSpan cotangents) const {
    return connected(line, line.pull(cotangents), in, Unconnected::kZero, "grad_check", where_);
  }

  void check_argument(FlatFunction f, TensorSpan in, TensorSpan out, size_t i, int direction,
                      int order, const std::string& made) {
    GradCheckEntry entry;
    entry.order = order;
    entry.argument = i < options_.names.size() ? options_.names[i] : text("argument ", i);
    entry.direction = direction;
    Tensors along(in.size());
    along[i] = directions_.like(in[i]);
    const Tensors differences = central_differences(f, in, along, i);
    const std::string of = made.empty() ? "" : text(" of ", made);
    bool forward_is_right = false;
    Tensors tangents;
    if (options_.jvp) {
      tangents = pushed(f, in, along);
      entry.what = text("jvp", of);
      forward_is_right = compare_tangents(f, in, along, out, differences, tangents, entry);
    }
    if (!options_.vjp) return;
    entry.what = text("vjp", of);
    const GradCheckTolerance tolerance = kGradCheckTolerances[order - 1];
    // A forward mode that is right is far more exact than differences.
    entry.tolerance = forward_is_right ? tolerance.adjoint : tolerance.difference;
    compare_adjoint(f, in, along[i], i, out, forward_is_right ? tangents : differences, entry);
  }

  // (f(x + h v) - f(x - h v)) / 2h
  Tensors central_differences(FlatFunction f, TensorSpan in, TensorSpan along, size_t i) const {
    const double step = kStep * std::max(1.0, greatest(numbers(in[i])));
    const Tensors ahead = f(moved(in, along, i, step)), behind = f(moved(in, along, i, -step));
    Tensors out;
    for (size_t k = 0; k < ahead.size(); ++k)
      out.push_back((ahead[k] - behind[k]) * (1 / (2 * step)));
    return out;
  }

  static Tensors moved(TensorSpan in, TensorSpan along, size_t i, double step) {
    Tensors out(in.begin(), in.end());
    out[i] = in[i] + along[i] * step;
    return out;
  }

  // Every element of the tangent of every output; the entry is the worst.
  bool compare_tangents(FlatFunction f, TensorSpan in, TensorSpan along, TensorSpan out,
                        TensorSpan differences, TensorSpan tangents, GradCheckEntry entry) {
    entry.tolerance = kGradCheckTolerances[entry.order - 1].difference;
    entry.error = -1;
    for (size_t k = 0; k < out.size(); ++k) {
      const std::vector<double> expected = numbers(differences[k]), got = numbers(tangents[k]);
      const double scale = std::max({greatest(expected), kNoise * greatest(numbers(out[k])), 1e-9});
      for (size_t j = 0; j < expected.size(); ++j) {
        const double error = std::abs(got[j] - expected[j]) / scale;
        if (error <= entry.error) continue;
        if (std::isnan(entry.error)) break;
        entry.error = error;
        entry.expected = expected[j], entry.got = got[j];
        const size_t position = is_complex(out[k].dtype()) ? j / 2 : j;
        entry.at = text("output ", k, " at ", index_text(out[k].shape(), position));
        if (is_complex(out[k].dtype())) entry.at += j % 2 == 0 ? " (real part)" : " (imaginary)";
      }
    }
    if (entry.error < 0) entry.error = 0;  // no elements
    entry.passed = entry.error <= entry.tolerance;
    if (!entry.passed) entry.note = kink(f, in, along, out);
    report.entries.push_back(entry);
    return entry.passed;
  }

  // <J* u, v> against <u, J v>.
  void compare_adjoint(FlatFunction f, TensorSpan in, const Tensor& along, size_t i, TensorSpan out,
                       TensorSpan tangents, GradCheckEntry entry) {
    const Tensors weights = directions_of(out);
    const Linearization line(f, in, where_);
    const Tensors gradients = connected_pull(line, in, weights);
    const std::vector<double> v = numbers(along), pulled = numbers(gradients[i]);
    entry.got = inner(pulled, v);
    double scale = std::sqrt(inner(pulled, pulled) * inner(v, v));
    double value_scale = 0;
    for (size_t k = 0; k < out.size(); ++k) {
      const std::vector<double> u = numbers(weights[k]), jv = numbers(tangents[k]);
      entry.expected += inner(u, jv);
      scale = std::max(scale, std::sqrt(inner(u, u) * inner(jv, jv)));
      value_scale = std::max(value_scale, greatest(numbers(out[k])));
    }
    scale = std::max({scale, kNoise * value_scale, 1e-9});
    entry.at = "<J* u, v>";
    entry.error = std::abs(entry.got - entry.expected) / scale;
    entry.passed = entry.error <= entry.tolerance;
    report.entries.push_back(std::move(entry));
  }

  // Says so if the function has different slopes on the two sides.
  static std::string kink(FlatFunction f, TensorSpan in, TensorSpan along, TensorSpan out) {
    for (size_t i = 0; i < in.size(); ++i) {
      if (!along[i].defined()) continue;
      const double step = kStep * std::max(1.0, greatest(numbers(in[i])));
      const Tensors ahead = f(moved(in, along, i, step)), behind = f(moved(in, along, i, -step));
      for (size_t k = 0; k < out.size(); ++k) {
        const std::vector<double> here = numbers(out[k]), after = numbers(ahead[k]),
                                  before = numbers(behind[k]);
        for (size_t j = 0; j < here.size(); ++j) {
          const double right = (after[j] - here[j]) / step, left = (here[j] - before[j]) / step;
          if (std::abs(right - left) > 1e-3 * (std::abs(right) + std::abs(left) + 1e-6)) {
            return text("the function has a kink or a jump there: its slope is ", left,
                        " on one side and ", right, " on the other");
          }
        }
      }
    }
    return "";
  }

  const GradCheckOptions& options_;
  const Where where_;
  Directions directions_;
};

void check_options(const GradCheckOptions& options, Where where) {
  if (options.order < 1 || options.order > 3)
    fail_at(where, Code::kInvalid, "grad_check", "order", "order is ", options.order,
            "; it is 1, 2 or 3");
  if (!options.jvp && !options.vjp)
    fail_at(where, Code::kInvalid, "grad_check", "modes",
            "there is no mode; modes are 'jvp' and 'vjp'");
  if (options.directions < 1) {
    fail_at(where, Code::kInvalid, "grad_check", "directions", "directions is ", options.directions,
            "; at least 1 is needed");
  }
}

// Differences need values that are precise, finite and the same at every call.
void check_values(TensorSpan first, TensorSpan second, Where where) {
  if (first.empty())
    fail_at(where, Code::kType, "grad_check", "result",
            "the function gives no floating tensor to differentiate");
  for (size_t k = 0; k < first.size(); ++k) {
    if (first[k].dtype() != wide(first[k].dtype())) {
      fail_at(where, Code::kType, "grad_check", "dtype", "output ", k, " has dtype ",
              first[k].dtype(),
              " though all inputs are float64; differences need float64 throughout, so leave "
              "out the cast");
    }
    const std::vector<double> a = numbers(first[k]), b = numbers(second[k]);
    for (size_t j = 0; j < a.size(); ++j) {
      if (!std::isfinite(a[j]))
        fail_at(where, Code::kInvalid, "grad_check", "finite", "output ", k, " is ", a[j],
                " somewhere; choose arguments where it is finite");
      if (a[j] != b[j])
        fail_at(where, Code::kInvalid, "grad_check", "pure", "output ", k, " is ", a[j],
                " at one call and ", b[j],
                " at the next for the same arguments; draw random numbers from a key");
    }
  }
}

// The floating inputs of f; the others are constants.
struct Widened {
  Tensors all;
  std::vector<size_t> places;
  GradCheckOptions options;

  Widened(TensorSpan in, const GradCheckOptions& given) : options(given) {
    options.names.clear();
    for (size_t i = 0; i < in.size(); ++i) {
      all.push_back(is_differentiable(in[i].dtype()) ? cast(in[i], wide(in[i].dtype())) : in[i]);
      if (!is_differentiable(in[i].dtype())) continue;
      places.push_back(i);
      options.names.push_back(i < given.names.size() ? given.names[i] : text("argument ", i));
    }
  }
  Tensors chosen() const {
    Tensors out;
    for (const size_t i : places) out.push_back(all[i]);
    return out;
  }
  Tensors call(FlatFunction f, TensorSpan values) const {
    Tensors given = all, out;
    for (size_t i = 0; i < places.size(); ++i) given[places[i]] = values[i];
    for (const Tensor& t : f(given)) {
      if (is_differentiable(t.dtype())) out.push_back(t);
    }
    return out;
  }
};

}  // namespace

GradCheckReport grad_check_flat(FlatFunction f, TensorSpan in, const GradCheckOptions& options,
                                Where where) {
  check_options(options, where);
  const NoGrad no_tape;
  const Widened widened(in, options);
  if (widened.places.empty())
    fail_at(where, Code::kType, "grad_check", "dtype",
            "no argument is floating, so there is no derivative");
  const auto wide_f = [&](TensorSpan values) { return widened.call(f, values); };
  const Tensors at = widened.chosen();
  const Tensors again = wide_f(at);
  check_values(wide_f(at), again, where);
  Checker checker(widened.options, where);
  checker.check(wide_f, at, 1, "");
  if (!checker.report.passed()) checker.report.ops = ops_of(wide_f, at, where);
  return std::move(checker.report);
}

}  // namespace weft
