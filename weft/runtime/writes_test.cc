// Writes of conditions, loops and calls in a graph: they happen whenever the op runs, in order.
#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/runtime/session.h"
#include "weft/weft.h"

namespace weft {
namespace {

float now(const Variable& v) { return static_cast<float>(v.value().item()); }
float number(const Tensor& t) { return static_cast<float>(t.item()); }

// v grows by p if that is positive: a condition that gives what v holds then.
struct Conditional {
  const Variable v{tensor(1.0f), {.name = "v"}};
  const Graph graph;
  Tensor p, before, grown, behind, other;
  Operation all;
  Conditional() {
    const Graph::Scope scope(graph);
    p = graph.placeholder(DType::kF32, {}, "p");
    before = v * 10.0;
    grown = grow();
    {
      const Graph::After after(graph, {graph.operation_of(grown)});
      behind = graph.identity(v.read(), "behind");
    }
    all = graph.group({graph.operation_of(grown)});
    other = p * 2.0;
  }
  Tensor grow() const {
    return cond(
        p > 0.0,
        [&] {
          v.assign_add(p);
          return v * 1.0;
        },
        [&] { return v * 1.0; });
  }
};

TEST(Writes, happen_with_the_condition) {
  const Conditional g;
  const Session session(g.graph);
  const Tensor one = tensor(1.0f);
  EXPECT_EQ(number(session.run({g.grown}, {{g.p, one}})[0]), 2);
  EXPECT_EQ(now(g.v), 2);
  EXPECT_EQ(number(session.run({g.grown}, {{g.p, tensor(-1.0f)}})[0]), 2);
  EXPECT_EQ(now(g.v), 2);
  session.run(g.all, {{g.p, one}});
  EXPECT_EQ(now(g.v), 3);
  EXPECT_EQ(number(session.run({g.behind}, {{g.p, one}})[0]), 4);
  EXPECT_EQ(now(g.v), 4);
  // What does not need it leaves it out; what comes before it reads what was there.
  EXPECT_EQ(number(session.run({g.other}, {{g.p, one}})[0]), 2);
  EXPECT_EQ(now(g.v), 4);
  const Tensors both = session.run({g.grown, g.before}, {{g.p, one}});
  EXPECT_EQ(number(both[0]), 5);
  EXPECT_EQ(number(both[1]), 40);
}

TEST(Writes, are_kept_by_texts_and_passes) {
  const Conditional g;
  const std::string text = g.graph.text();
  EXPECT_NE(text.find("with_maker=true"), std::string::npos) << text;
  const std::string name = g.graph.name_of(g.grown);
  for (const bool is_optimized : {false, true}) {
    const Variable v(tensor(1.0f), {.name = "v"});
    const Graph read = Graph::parse(text, {{"v", v}});
    const Tensor grown = read.tensor(name);
    const Graph graph = is_optimized ? read.optimized(inputs(grown)) : read;
    const Tensor fetch = is_optimized ? graph.collection("results")[0] : grown;
    EXPECT_EQ(number(Session(graph).run({fetch}, {{"p", tensor(1.0f)}})[0]), 2);
    EXPECT_EQ(now(v), 2) << is_optimized;
  }
}

TEST(Writes, of_loops_and_calls) {
  const Variable v(tensor(1.0f), {.name = "v"});
  const Graph graph;
  Tensor p, called, looped, slope, optimal;
  {
    const Graph::Scope scope(graph);
    p = graph.placeholder(DType::kF32, {}, "p");
    const auto f = function([&](const Tensor& x) {
      v.assign_add(x);
      return v * x;
    });
    called = f(p);
    looped = fori_loop(
        int64_t{0}, int64_t{3},
        [&](const Tensor&, const Tensor& x) {
          v.assign_add(x);
          return x * 2.0;
        },
        p);
    slope = gradients(inputs(called), inputs(p))[0];
  }
  const Session session(graph);
  const Tensor one = tensor(1.0f);
  EXPECT_EQ(number(session.run({called}, {{p, one}})[0]), 2);
  EXPECT_EQ(now(v), 2);
  EXPECT_EQ(number(session.run({looped}, {{p, one}})[0]), 8);
  EXPECT_EQ(now(v), 9);
  // The gradient of v * x: what was assigned has no history. It needs the call, which writes.
  EXPECT_EQ(number(session.run({slope}, {{p, one}})[0]), 10);
  EXPECT_EQ(now(v), 10);
  // The call stays one where parts of the graph are run, so that its writes still belong to it.
  const Graph better = graph.optimized(inputs(called));
  EXPECT_EQ(number(Session(better).run({better.collection("results")[0]}, {{"p", one}})[0]), 11);
  EXPECT_EQ(now(v), 11);
}

}  // namespace
}  // namespace weft
