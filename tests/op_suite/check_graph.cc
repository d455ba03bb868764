// Columns graph and function: staged and run later, an op gives the bits it gives now; so do its
// gradients.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/op_suite/derivatives.h"
#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"

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

// Staged with the shapes it has, run in a session.
void check_session(const Case& c, Size size, TensorSpan in, const AnyAttrs& attrs) {
  const Tensors wanted = run(c.entry, in, attrs.data());
  const Graph graph;
  Tensors places, outputs;
  {
    const Graph::Scope scope(graph);
    places = placeholders(graph, in);
    outputs = run(c.entry, places, attrs.data());
  }
  expect_runs(size, [&] { return fetched(graph, outputs, places, in); }, wanted, "output");
}

void check_session_gradients(Size size, const Differentiable& f) {
  const Tensors in = f.point();
  Random random(23);
  const Tensors cotangents = random_like(f(in), random);
  const Tensors wanted = filled(pulled(f, in, cotangents), in);
  const Graph graph;
  Tensors places, slopes;
  {
    const Graph::Scope scope(graph);
    places = placeholders(graph, in);
    slopes = gradients(f(places), places, cotangents, /*zero_unconnected=*/true);
  }
  expect_runs(size, [&] { return fetched(graph, slopes, places, in); }, wanted, "gradient");
}

// Traced with a symbol for every size above 1, and run.
void check_traced(Size size, FlatFunction f, TensorSpan in, std::string_view what) {
  const Tensors wanted = f(in);
  TracedFunction traced({.name = "f"});
  const Shared<const TraceEntry> entry = traced.entry_for(f, in, "", Where{});
  ir::verify(*entry->trace.function);
  expect_runs(size, [&] { return TracedFunction::call(*entry, in, Where{}); }, wanted, what);
}

void check_traced_gradients(Size size, const Differentiable& f) {
  const Tensors in = f.point();
  Random random(29);
  const Tensors cotangents = random_like(f(in), random);
  const auto slopes = [&](TensorSpan x) { return filled(pulled(f, x, cotangents), x); };
  check_traced(size, slopes, in, "gradient");
}

bool has_dtype(const Case& c, DType dtype) {
  return std::find(c.dtypes.begin(), c.dtypes.end(), dtype) != c.dtypes.end();
}

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
  const DType dtype = has_dtype(c, DType::kF32) ? DType::kF32 : c.dtypes.back();
  for (const Sample& sample : large_samples(c)) {
    SCOPED_TRACE(text(c.test.op, ", a large sample in ", dtype));
    const AnyAttrs attrs = attrs_of(c.entry, sample.attrs);
    const Tensors in = inputs_of(c, sample, dtype);
    check(Size::kLarge, in, attrs);
    if (!has_gradients(c)) continue;
    const Differentiable f(c, in, attrs);
    if (f.places().empty() || f(f.point()).empty()) continue;
    check_gradients(Size::kLarge, f);
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
      [&](Size size, TensorSpan in, const AnyAttrs& attrs) { check_session(c, size, in, attrs); },
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
