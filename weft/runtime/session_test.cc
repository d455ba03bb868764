// Sessions: what runs, what Variables hold, what is refused.
#include "weft/runtime/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "weft/base/test_error.h"
#include "weft/runtime/plan.h"
#include "weft/weft.h"

namespace weft {
namespace {

std::vector<float> floats(const Tensor& t) { return t.to_vector<float>(); }

struct TwoSizes {
  Graph graph;
  Tensor a, b, sum, twice, slope;
  std::string line_of_sum;
  TwoSizes() {
    const Graph::Scope scope(graph);
    a = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "a");
    b = graph.placeholder(DType::kF32, {Dim::symbol("m")}, "b");
    line_of_sum = text("session_test.cc:", Where::here().line + 1);
    sum = a + b;
    twice = a * 2.0;
    slope = gradients(inputs(weft::sum(sum)), inputs(b))[0];
  }
};

TEST(Session, sizes) {
  const TwoSizes g;
  const Session session(g.graph);
  const Tensor one = tensor({1.0f}), two = tensor({1.0f, 2.0f});
  EXPECT_EQ(floats(session.run({g.sum}, {{g.a, two}, {g.b, two}})[0]), (std::vector<float>{2, 4}));
  EXPECT_EQ(
      error_of([&] { session.run({g.sum}, {{g.a, two}, {g.b, one}}); }),
      "Session: the graph was built for n == m, but this run has n = 2, m = 1; feed sizes for "
      "which it holds [Session.sizes]");
  // What is not run assumes nothing.
  EXPECT_EQ(floats(session.run({g.twice, g.b}, {{g.a, two}, {g.b, one}})[0]),
            (std::vector<float>{2, 4}));
  try {
    session.run({g.sum}, {{g.a, two}, {g.b, one}});
    ADD_FAILURE();
  } catch (const Error& error) {
    ASSERT_FALSE(error.notes.empty());
    EXPECT_NE(error.notes[0].find(g.line_of_sum), std::string::npos) << error.notes[0];
  }
}

TEST(Session, sizes_of_one_name) {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor a = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "a");
  const Tensor b = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "b");
  const Tensor c = a + b;
  EXPECT_EQ(
      error_of([&] { Session(graph).run({c}, {{a, tensor({1.0f})}, {b, tensor({1.0f, 2.0f})}}); }),
      "Session: the size n is 1 in a and 2 in b; a name stands for one size [Session.sizes]");
}

TEST(Session, feed_that_is_missing_for_its_size) {
  const TwoSizes g;
  const Session session(g.graph);
  EXPECT_EQ(floats(session.run({g.slope}, {{g.b, tensor({5.0f, 5.0f})}})[0]),
            (std::vector<float>{1, 1}));
  EXPECT_EQ(error_of([&] { session.run({g.slope}); }),
            "Session: the placeholder b (f32[m]) is needed for its size and not fed; give it a "
            "value: run(fetches, {b: value}) [Session.feed]");
}

TEST(Session, unused) {
  const TwoSizes g;
  EXPECT_EQ(error_of([&] {
              Session(g.graph).run({g.twice}, {{g.a, tensor({1.0f})}, {g.b, tensor({1.0f})}});
            }),
            "Session: b (f32[m]) is fed, but what is fetched does not need it; leave it out "
            "[Session.unused]");
}

TEST(Graph, assignments_are_fetched) {
  const Graph graph;
  const Variable v(tensor({1.0f, 2.0f}), {.name = "v"});
  Tensor set, added, taken, after;
  {
    const Graph::Scope scope(graph);
    set = graph.assign(v, tensor({7.0f, 7.0f}));
    added = graph.assign_add(v, tensor({1.0f, 1.0f}));
    taken = graph.assign_sub(v, tensor({0.5f, 0.5f}));
    const Graph::After first(graph, {graph.operation_of(set)});
    after = v.read() * 2.0;
  }
  const Session session(graph);
  EXPECT_EQ(floats(session.run({added})[0]), (std::vector<float>{2, 3}));
  EXPECT_EQ(floats(v.value()), (std::vector<float>{2, 3}));  // and nothing else was assigned
  EXPECT_EQ(floats(session.run({taken})[0]), (std::vector<float>{1.5, 2.5}));
  EXPECT_EQ(floats(session.run({after})[0]), (std::vector<float>{14, 14}));
  EXPECT_EQ(floats(v.value()), (std::vector<float>{7, 7}));
  session.run(graph.group({graph.operation_of(added)}, "step"));
  EXPECT_EQ(floats(v.value()), (std::vector<float>{8, 8}));
}

TEST(Graph, initializer) {
  const Graph graph;
  Variable drawn, used(tensor({3.0f}), {.name = "used", .trainable = false});
  Tensor step;
  Operation init;
  seed(3);
  {
    const Graph::Scope scope(graph);
    drawn = graph.variable(randn({4}) * 2.0, {.name = "drawn"});
    step = graph.assign_add(drawn, ones({4}));
    graph.assign(used, used.read() * 2.0);
    init = graph.initializer();
  }
  seed(3);
  EXPECT_EQ(floats(drawn.value()), floats(randn({4}) * 2.0));
  ASSERT_EQ(graph.global_variables().size(), 2u);
  ASSERT_EQ(graph.trainable_variables().size(), 1u);
  EXPECT_TRUE(graph.trainable_variables()[0].same_place(drawn));
  const std::vector<float> before = floats(drawn.value());
  const Session session(graph);
  session.run({step});
  used.assign(tensor({5.0f}));
  EXPECT_NE(floats(drawn.value()), before);
  session.run(init);
  EXPECT_EQ(floats(drawn.value()), before);
  EXPECT_EQ(floats(used.value()), (std::vector<float>{3}));
}

TEST(Variable, initial) {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {2}, "x");
  EXPECT_EQ(error_of([&] { graph.variable(x + 1.0); }),
            "Variable: the initial value Add depends on the placeholder x; a Variable has a value "
            "from the beginning: give one that does not wait for a run [Variable.initial]");
}

// The largest number that `run` gives while another thread assigns to the Variable.
template <class F>
float most_beside_a_writer(const Variable& v, const F& run) {
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) {
      v.assign(full({64}, static_cast<double>(i)));
      written.store(i + 1);
    }
  });
  float most = 0;
  while (written.load() < 2000) most = std::max(most, floats(run())[0]);
  writer.join();
  return most;
}

// However often a graph reads a Variable, a run sees one value of it, whatever others assign.
TEST(Session, sees_one_value_of_a_variable) {
  const Graph graph;
  const Variable v(zeros({64}));
  Tensor difference, written;
  {
    const Graph::Scope scope(graph);
    const Tensor first = v.read() * 3.0;
    written = graph.assign(v, first);  // not run below: both reads are of one value
    difference = max(abs(first - v.read() * 3.0));
  }
  const Session session(graph);
  EXPECT_EQ(most_beside_a_writer(v, [&] { return session.run({difference})[0]; }), 0.0f);
}

TEST(Traced, sees_one_value_of_a_variable) {
  const Variable v(zeros({64}));
  const auto f = function([&](const Tensor& x) {
    const Tensor first = v.read() * x;
    return max(abs(first - v.read() * x));
  });
  const Tensor x = full({64}, 3.0);
  EXPECT_EQ(most_beside_a_writer(v, [&] { return f(x); }), 0.0f);
}

TEST(Session, errors_leave_variables_as_before_the_failing_op) {
  const Graph graph;
  const Variable v(tensor({1.0f, 2.0f})), w(tensor({1.0f}));
  Tensor i, first, second;
  {
    const Graph::Scope scope(graph);
    i = graph.placeholder(DType::kI64, {}, "i");
    first = graph.assign(w, tensor({2.0f}));
    const Graph::After after(graph, {graph.operation_of(first)});
    second = graph.assign(v, broadcast_to(take(v.read(), i, 0), {2}));
  }
  const Session session(graph);
  EXPECT_NE(
      error_of([&] { session.run({second}, {{i, Tensor::scalar(DType::kI64, 9)}}); }).find("9"),
      std::string::npos);
  EXPECT_EQ(floats(w.value()), (std::vector<float>{2}));  // it came before
  EXPECT_EQ(floats(v.value()), (std::vector<float>{1, 2}));
  session.run({second}, {{i, Tensor::scalar(DType::kI64, 1)}});
  EXPECT_EQ(floats(v.value()), (std::vector<float>{2, 2}));
}

// A run is done at once and outside of whatever is open on the thread.
TEST(Session, runs_where_graphs_and_tapes_are_open) {
  const Graph graph, other;
  const Variable v(tensor({1.0f})), n(tensor({0.0f}));
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {1}, "x");
  const Tensor twice = graph.assign(v, v.read() * 2.0), added = graph.assign_add(n, x);
  const Session session(graph);
  const size_t nodes = graph.staging().graph().nodes().size();
  EXPECT_EQ(floats(session.run({twice})[0]), (std::vector<float>{2}));
  {
    const Graph::Scope inner(other);
    EXPECT_EQ(floats(session.run({twice})[0]), (std::vector<float>{4}));
    const GradientTape tape;
    EXPECT_EQ(floats(session.run({added}, {{x, tensor({3.0f})}})[0]), (std::vector<float>{3}));
  }
  const SessionCallable add = session.make_callable({added}, {x});
  EXPECT_EQ(floats(add(tensor({4.0f}))[0]), (std::vector<float>{7}));
  EXPECT_EQ(floats(v.value()), (std::vector<float>{4}));
  EXPECT_EQ(floats(n.value()), (std::vector<float>{7}));
  EXPECT_EQ(graph.staging().graph().nodes().size(), nodes);
  EXPECT_TRUE(other.staging().graph().nodes().empty());
}

TEST(EagerScope, computes_now) {
  const Graph graph;
  const Variable v(tensor({2.0f}));
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {1}, "x");
  Tensor y;
  {
    const EagerScope now;
    y = exp(tensor({0.0f})) + v.value();
    EXPECT_EQ(floats(y), (std::vector<float>{3}));
    v.assign(y);
    EXPECT_EQ(floats(v.value()), (std::vector<float>{3}));
    EXPECT_EQ(floats(grad([](const Tensor& t) { return sum(t * t); })(tensor({3.0f}))),
              (std::vector<float>{6}));
    EXPECT_EQ(randn({2}).numel(), 2);
    EXPECT_EQ(error_of([&] { x + y; }),
              "add: an input (graph value %x) is known only when the graph runs, and in an "
              "eager scope ops compute now; use it outside of it [add.eager]");
    EXPECT_EQ(
        error_of([&] { v.assign(x); }),
        "assign: the value (graph value %x) is known only when the graph runs, and a Variable "
        "has a value from the beginning; give one that is there, compute it in an eager scope, "
        "or assign it as part of the graph [assign.traced]");
  }
  EXPECT_EQ(graph.staging().graph().nodes().size(), 1u);  // the placeholder
  EXPECT_TRUE(graph.global_variables().empty());
  EXPECT_EQ(floats(Session(graph).run({x * y}, {{x, tensor({2.0f})}})[0]), (std::vector<float>{6}));
}

TEST(Graph, parse) {
  const Graph graph;
  const Variable w(tensor({1.0f, 2.0f}), {.name = "w"});
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 2}, "x");
    graph.assign(w, sum(x * w, Ints{0}));
  }
  const Variable other(tensor({10.0f, 20.0f}), {.name = "w"});
  const Graph read = Graph::parse(graph.text(), {{"w", other}});
  EXPECT_EQ(read.text(), graph.text());
  const Tensor x = read.staging().tensor_of(read.staging().graph().find_value("x"));
  const Tensor last = read.staging().tensor_of(read.staging().graph().find_value("AssignVariable"));
  const Tensor more = last + 1.0;  // it grows
  const Tensor given = tensor({{1.0f, 1.0f}, {2.0f, 2.0f}});
  EXPECT_EQ(floats(Session(read).run({more}, {{x, given}})[0]), (std::vector<float>{31, 61}));
  EXPECT_EQ(floats(other.value()), (std::vector<float>{30, 60}));
  EXPECT_EQ(floats(w.value()), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(Graph::parse(graph.text()).global_variables()[0].value()),
            (std::vector<float>{0, 0}));
}

TEST(Graph, variables) {
  EXPECT_EQ(error_of([] {
              Graph::parse("weft 1\nfunction @f() -> () {\n  return\n}\n",
                           {{"w", Variable(tensor({1.0f}))}});
            }),
            "Graph: a Variable is given for @w, but the text has none of that name; leave it out "
            "[Graph.variables]");
}

TEST(Graph, optimized) {
  const Graph graph;
  Tensor x, y;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "x");
    y = exp(x * 1.0) + exp(x * 1.0);
    x * 5.0;
  }
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "weft_dump";
  std::filesystem::remove_all(folder);
  const Graph better = graph.optimized(inputs(y), folder.string());
  EXPECT_TRUE(std::filesystem::exists(folder / "00_before.ir"));
  EXPECT_TRUE(std::filesystem::exists(folder / "08_dead_code.ir"));
  const ir::Graph& nodes = better.staging().graph();
  EXPECT_EQ(nodes.nodes().size(), 3u) << better.text();  // x, exp, add
  const Tensor given = tensor({1.0f, 2.0f});
  const Tensors got = Session(better).run(
      better.collection("results"),
      std::vector<Feed>{{better.staging().tensor_of(nodes.find_value("x")), given}});
  EXPECT_EQ(floats(got[0]), floats(Session(graph).run({y}, {{x, given}})[0]));
  EXPECT_EQ(graph.optimized().collection("results").size(), 2u);  // y, and what nobody reads
  std::ofstream(folder / "file") << "in the way";
  EXPECT_NE(
      error_of([&] { graph.optimized({}, (folder / "file").string()); }).find("[optimize.dump]"),
      std::string::npos);
}

TEST(Planned, draws_and_profiles) {
  const Graph graph;
  Tensor x, y;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 16}, "x");
    y = sum(tanh(matmul(x, ones({16, 16}))) * 2.0);
  }
  const Planned plan = Session(graph).plan({y}, {{x, ones({8, 16})}});
  EXPECT_NE(plan.text().find("product matmul %Matmul : f32[8, 16] in arena"), std::string::npos)
      << plan.text();
  EXPECT_TRUE(plan.draw().starts_with("<svg"));
  EXPECT_EQ(plan.profile(2).instructions.size(), plan.plan().instructions.size());
  EXPECT_NE(plan.profile(1).text().find("matmul"), std::string::npos);
  EXPECT_EQ(error_of([&] { plan.profile(0); }),
            "profile: rounds is 0; it is at least 1 [profile.rounds]");
}

TEST(expect, names_sizes) {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("x.0"), Dim::symbol("x.1")}, "x");
  const Tensor labels = graph.placeholder(DType::kF32, {Dim::symbol("y.0")}, "labels");
  const Tensor named = expect(x, "batch 4");
  expect(labels, "batch");
  EXPECT_EQ(text(named.type()), "f32[batch, 4]");
  EXPECT_EQ(text((sum(x, Ints{1}) + labels).type()), "f32[batch]");  // by handles of before, too
  EXPECT_TRUE(graph.staging().assumptions().empty());
  EXPECT_EQ(error_of([&] { expect(named, "batch 5"); }),
            "expect: \"batch 5\" is expected, but axis 1 of x (f32[batch, 4]) has size 4, not 5 "
            "[expect.size]");
  EXPECT_EQ(error_of([&] { expect(named, "batch"); }),
            "expect: x has shape [batch, 4], which has 2 axes, but \"batch\" has 1 [expect.rank]");
  EXPECT_EQ(error_of([&] { expect(named, "batch 4!"); }),
            "expect: '4!' in \"batch 4!\" is no size; sizes are numbers, names, and _ for any "
            "[expect.sizes]");
  // A size with a name is assumed to be the number, and a run checks it.
  const Tensor three = expect(labels, "3") * 2.0;
  EXPECT_EQ(error_of([&] { Session(graph).run({three}, {{labels, tensor({1.0f})}}); }),
            "Session: the graph was built for batch == 3, but this run has batch = 1; feed sizes "
            "for which it holds [Session.sizes]");
}

TEST(expect, in_functions) {
  const auto f = function([](const Tensor& a, const Tensor& b) {
    return matmul(expect(a, "batch k"), expect(b, "k _"));
  });
  EXPECT_EQ(f(ones({4, 3}), ones({3, 5})).shape()[1], Dim(5));
  EXPECT_EQ(f(ones({5, 7}), ones({7, 2})).shape()[0], Dim(5));
  EXPECT_EQ(f.trace_count(), 1u);
  EXPECT_NE(error_of([&] { f(ones({5, 7}), ones({6, 2})); }).find("[expect.size]"),
            std::string::npos);
  const Tensor x = ones({2, 3});
  EXPECT_TRUE(expect(x, "n m").shares_memory_with(x));
  EXPECT_EQ(error_of([&] { expect(x, "n n"); }),
            "expect: \"n n\" is expected, but axis 1 of x (f32[2, 3]) has size 3, not 2 "
            "[expect.size]");
}

TEST(Session, a_value_is_fed_once_and_sizes_fit) {
  const Graph graph;
  Tensor x, y, z;
  {
    const Graph::Scope scope(graph);
    const Dim n = Dim::symbol("n");
    x = graph.placeholder(DType::kF32, {n}, "x");
    y = graph.placeholder(DType::kF32, {n * Dim(2)}, "y");
    z = sum(y);
  }
  const Session session(graph);
  const auto message = [&](std::span<const Feed> feeds) -> std::string {
    try {
      session.run(Tensors{z}, feeds);
    } catch (const Error& error) {
      return error.message;
    }
    return "nothing";
  };
  const Feed twice[] = {{y, ones({6})}, {x, ones({3})}, {y, ones({6})}};
  EXPECT_EQ(message(twice),
            "y is fed twice, by feed 2 again; feed it once, by the value or by its name");
  const Feed other[] = {{x, ones({3})}, {y, ones({7})}};
  EXPECT_EQ(message(other), "the size 2*n is 7 in y, but n is 3; feed 6");
  const Feed fits[] = {{x, ones({3})}, {y, ones({6})}};
  EXPECT_EQ(message(fits), "nothing");
}

TEST(Session, collections_survive_text_and_passes) {
  const Graph graph;
  const Variable unused(ones({2}), {.name = "unused"});
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {2}, "x");
    const Tensor y = exp(x) * 1.0;
    graph.add_to_collection("values", y);
    graph.add_to_collection("values", unused);
    graph.add_to_collection("values", graph.operation_of(y));
    graph.identity(sum(y), "loss");
  }
  for (const Graph& other : {Graph::parse(graph.text()), graph.optimized()}) {
    EXPECT_EQ(other.collection("values").size(), 1u);
    EXPECT_GE(other.members("values").size(), 2u);
    EXPECT_EQ(other.global_variables().size(), 1u);
  }
  EXPECT_EQ(Graph::parse(graph.text()).text(), graph.text());
}

}  // namespace
}  // namespace weft
