// Columns graph and function: staged and run later, an op gives the bits it gives now; so do its
// gradients.
//
// A result that is returned has memory of its own. In the arena of a plan are results that other
// ops read; so each call is checked as it is and with others that read what it gives, and gradients
// are subtracted from Variables, too, as optimizers do.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/op_suite/derivatives.h"
#include "tests/op_suite/equal_axes.h"
#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"
#include "weft/weft.h"

namespace weft::suite {
namespace {

// In a graph scope: a placeholder for each input.
Tensors placeholders(const Graph& graph, TensorSpan like) {
  Tensors out;
  for (const Tensor& t : like) out.push_back(graph.placeholder(t.dtype(), Shape(t.shape()), "x"));
  return out;
}

std::vector<Feed> feeds(TensorSpan places, TensorSpan values) {
  std::vector<Feed> out;
  for (size_t i = 0; i < places.size(); ++i) out.push_back({places[i], values[i]});
  return out;
}

// The values, from a run that fetches what is fed as well: an op need not read all of its inputs.
Tensors fetched(const Graph& graph, TensorSpan values, TensorSpan places, TensorSpan in) {
  Tensors all(values);
  for (const Tensor& place : places) all.push_back(place);
  Tensors out = Session(graph).run(all, feeds(places, in));
  out.resize(values.size());
  return out;
}

void expect_same(TensorSpan got, TensorSpan wanted, std::string_view what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(bit_difference(got[k], wanted[k]), "") << what << ' ' << k;
  }
}

// Each value read by an op that goes over its tensor, and by one that may replace it in place.
Tensors consumed(TensorSpan values) {
  Tensors out;
  for (const Tensor& y : values) {
    const Tensor row = reshape(y, {-1});
    out.push_back(concat(inputs(row, row), 0));
    out.push_back(y.dtype() == DType::kBool ? logical_not(y) : y + y);
  }
  return out;
}

// A small call, which no threads share, runs once; a large one on 1 thread and on 2.
enum class Size : uint8_t { kSmall, kLarge };

template <class Run>
void expect_runs(Size size, const Run& run, TensorSpan wanted, std::string_view what) {
  if (size == Size::kSmall) {
    expect_same(run(), wanted, what);
    return;
  }
  const int before = num_threads();
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    expect_same(run(), wanted, text("on ", threads, " threads: ", what));
  }
  set_num_threads(before);
}

// Staged with the shapes it has, run in a session: what `f` gives, and what others make of it.
void check_session(Size size, FlatFunction f, TensorSpan in, std::string_view what) {
  const Tensors wanted = f(in), wanted_by_others = consumed(wanted);
  const Graph graph;
  Tensors places, values, others;
  {
    const Graph::Scope scope(graph);
    places = placeholders(graph, in);
    values = f(places);
    others = consumed(values);
  }
  expect_runs(size, [&] { return fetched(graph, values, places, in); }, wanted, what);
  expect_runs(
      size, [&] { return fetched(graph, others, places, in); }, wanted_by_others,
      text("consumed ", what));
}

void check_session_gradients(Size size, const Differentiable& f) {
  const Tensors in = f.point();
  Random random(23);
  const Tensors cotangents = random_like(f(in), random);
  const auto slopes = [&](TensorSpan x) {
    const bool is_staged = !x.empty() && !x[0].is_concrete();
    return is_staged ? gradients(f(x), x, cotangents, /*zero_unconnected=*/true)
                     : filled(pulled(f, x, cotangents), x);
  };
  check_session(size, slopes, in, "gradient");
}

// Traced with a symbol for every size above 1, and run.
void check_trace(Size size, FlatFunction f, TensorSpan in, std::string_view what) {
  const Tensors wanted = f(in);
  TracedFunction traced({.name = "f"});
  const Shared<const TraceEntry> entry = traced.entry_for(f, in, "", Where{});
  ir::verify(*entry->trace.function);
  expect_runs(size, [&] { return TracedFunction::call(*entry, in, Where{}); }, wanted, what);
}

void check_traced(Size size, FlatFunction f, TensorSpan in, std::string_view what) {
  check_trace(size, f, in, what);
  const auto others = [&](TensorSpan x) { return consumed(f(x)); };
  check_trace(size, others, in, text("consumed ", what));
}

// A step of training: Variables go down their slopes, written in place where the runtime can.
void check_traced_step(Size size, const Differentiable& f, TensorSpan cotangents) {
  const auto values_after_steps = [&](bool is_traced) {
    std::vector<Variable> variables;
    for (const Tensor& x : f.point()) variables.emplace_back(x);
    const auto step = [&](TensorSpan) {
      Tensors at;
      for (const Variable& v : variables) at.push_back(v.read());
      const Tensors slopes = filled(pulled(f, at, cotangents), at);
      for (size_t k = 0; k < slopes.size(); ++k) variables[k].assign_sub(slopes[k] * 0.001);
      return Tensors{};
    };
    TracedFunction traced({.name = "step"});
    const NoGrad off;
    for (int round = 0; round < 2; ++round) is_traced ? traced(step, {}, "", Where{}) : step({});
    Tensors out;
    for (const Variable& v : variables) out.push_back(v.value());
    return out;
  };
  Tensors wanted;
  try {
    wanted = values_after_steps(false);
  } catch (const Error&) {  // the first step led out of the op's domain: edges do not ascend
    return;
  }
  expect_runs(size, [&] { return values_after_steps(true); }, wanted, "variable");
}

void check_traced_gradients(Size size, const Differentiable& f) {
  const Tensors in = f.point();
  Random random(29);
  const Tensors cotangents = random_like(f(in), random);
  const auto slopes = [&](TensorSpan x) { return filled(pulled(f, x, cotangents), x); };
  check_traced(size, slopes, in, "gradient");
  check_traced_step(size, f, cotangents);
}

bool has_dtype(const Case& c, DType dtype) {
  return std::find(c.dtypes.begin(), c.dtypes.end(), dtype) != c.dtypes.end();
}

// Axes of large samples that are made equal have at least this size: channels, not taps.
constexpr int64_t kLargeAxis = 8;
constexpr size_t kMostLarge = 6;  // of a sample

// A column: what is checked of an op's calls and of their gradients.
template <class CheckCall, class CheckGradients>
void for_samples(const Case& c, const CheckCall& check, const CheckGradients& check_gradients) {
  std::vector<DType> dtypes{c.dtypes.back(), c.dtypes.front()};
  if (has_dtype(c, DType::kF32)) dtypes.push_back(DType::kF32);
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (const DType dtype : dtypes) {
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype));
      const Tensors in = to_tensors(sample_inputs(c, s, dtype));
      check(Size::kSmall, in, attrs);
    }
  }
  if (has_gradients(c)) {
    for_each_differentiable(c, {DType::kF32, DType::kF64, DType::kC128}, Samples::kAll,
                            [&](const Differentiable& f, const Sample&, const AnyAttrs&) {
                              check_gradients(Size::kSmall, f);
                            });
  }
  const auto check_both = [&](Size size, const Sample& sample, std::string_view what) {
    const DType dtype = equal_axes_dtype(c);
    SCOPED_TRACE(text(c.test.op, ", ", what, " in ", dtype, ": ", shapes_of(sample)));
    const AnyAttrs attrs = attrs_of(c.entry, sample.attrs);
    const Tensors in = inputs_of(c, sample, dtype);
    check(size, in, attrs);
    if (!has_gradients(c)) return;
    const Differentiable f(c, in, attrs);
    if (f.places().empty() || f(f.point()).empty()) return;
    check_gradients(size, f);
  };
  for (const Sample& sample : with_equal_axes(c, c.test.samples, 2)) {
    check_both(Size::kSmall, sample, "a sample with equal axes");
  }
  const std::vector<Sample> large = large_samples(c);
  for (const Sample& sample : large) check_both(Size::kLarge, sample, "a large sample");
  for (const Sample& sample : with_equal_axes(c, large, kLargeAxis, kMostLarge)) {
    check_both(Size::kLarge, sample, "a large sample with equal axes");
  }
}

// Ops whose shapes follow from values say so.
bool expects_law(const Case& c) {
  if (c.test.untraced_law.empty()) return false;
  const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[0].attrs);
  const Tensors in = to_tensors(sample_inputs(c, 0, c.dtypes.back()));
  const Graph graph;
  const Graph::Scope scope(graph);
  try {
    run(c.entry, placeholders(graph, in), attrs.data());
    ADD_FAILURE() << "nothing was raised";
  } catch (const Error& error) {
    EXPECT_EQ(error.law, c.test.untraced_law) << error.what();
  }
  return true;
}

}  // namespace

void check_graph(const Case& c) {
  if (expects_law(c)) return;
  for_samples(
      c,
      [&](Size size, TensorSpan in, const AnyAttrs& attrs) {
        const auto f = [&](TensorSpan x) { return run(c.entry, x, attrs.data()); };
        check_session(size, f, in, "output");
      },
      check_session_gradients);
}

void check_function(const Case& c) {
  if (!c.test.untraced_law.empty()) return;
  for_samples(
      c,
      [&](Size size, TensorSpan in, const AnyAttrs& attrs) {
        const auto f = [&](TensorSpan x) { return run(c.entry, x, attrs.data()); };
        check_traced(size, f, in, "output");
      },
      check_traced_gradients);
}

}  // namespace weft::suite
