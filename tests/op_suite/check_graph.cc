// Columns graph and function: staged and run later, an op gives the bits it gives now; so do its
// gradients.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/op_suite/derivatives.h"
#include "weft/base/error.h"
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

// Staged with the shapes it has, run in a session.
void check_session(const Case& c, TensorSpan in, const AnyAttrs& attrs) {
  const Tensors wanted = run(c.entry, in, attrs.data());
  const Graph graph;
  Tensors places, outputs;
  {
    const Graph::Scope scope(graph);
    places = placeholders(graph, in);
    outputs = run(c.entry, places, attrs.data());
  }
  expect_same(fetched(graph, outputs, places, in), wanted, "output");
}

void check_session_gradients(const Differentiable& f) {
  const Tensors in = f.point();
  Random random(23);
  const Tensors cotangents = random_like(f(in), random);
  const Tensors wanted = pulled(f, in, cotangents);
  const Graph graph;
  Tensors places, slopes;
  {
    const Graph::Scope scope(graph);
    places = placeholders(graph, in);
    slopes = gradients(f(places), places, cotangents, /*zero_unconnected=*/true);
  }
  expect_same(fetched(graph, slopes, places, in), filled(wanted, in), "gradient");
}

// Traced with a symbol for every size above 1, and run.
Tensors by_function(FlatFunction f, TensorSpan in) {
  TracedFunction traced({.name = "f"});
  const Shared<const TraceEntry> entry = traced.entry_for(f, in, "", Where{});
  ir::verify(*entry->trace.function);
  return TracedFunction::call(*entry, in, Where{});
}

// Numbers that decide a shape are no tensors of a graph: their law is `concrete`.
template <class Check>
void unless_concrete(const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    if (error.law != "concrete") ADD_FAILURE() << error.what();
  }
}

template <class Check>
void for_samples(const Case& c, const Check& check) {
  std::vector<DType> dtypes{c.dtypes.back(), c.dtypes.front()};
  if (std::find(c.dtypes.begin(), c.dtypes.end(), DType::kF32) != c.dtypes.end()) {
    dtypes.push_back(DType::kF32);
  }
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (const DType dtype : dtypes) {
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype));
      const Tensors in = to_tensors(sample_inputs(c, s, dtype));
      unless_concrete([&] { check(in, attrs); });
    }
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
  for_samples(c, [&](TensorSpan in, const AnyAttrs& attrs) { check_session(c, in, attrs); });
  if (!has_gradients(c)) return;
  for_each_differentiable(c, {DType::kF32, DType::kF64, DType::kC128}, Samples::kAll,
                          [&](const Differentiable& f, const Sample&, const AnyAttrs&) {
                            unless_concrete([&] { check_session_gradients(f); });
                          });
}

void check_function(const Case& c) {
  if (!c.test.untraced_law.empty()) return;
  for_samples(c, [&](TensorSpan in, const AnyAttrs& attrs) {
    const auto f = [&](TensorSpan x) { return run(c.entry, x, attrs.data()); };
    expect_same(by_function(f, in), f(in), "output");
  });
  if (!has_gradients(c)) return;
  const auto check = [](const Differentiable& f) {
    const Tensors in = f.point();
    Random random(29);
    const Tensors cotangents = random_like(f(in), random);
    const auto slopes = [&](TensorSpan x) { return filled(pulled(f, x, cotangents), x); };
    expect_same(by_function(slopes, in), slopes(in), "gradient");
  };
  for_each_differentiable(c, {DType::kF32, DType::kF64, DType::kC128}, Samples::kAll,
                          [&](const Differentiable& f, const Sample&, const AnyAttrs&) {
                            unless_concrete([&] { check(f); });
                          });
}

}  // namespace weft::suite
