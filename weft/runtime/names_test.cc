// Names in graphs: scopes of names and devices, fetches and feeds by name, callables, pictures.
#include <gtest/gtest.h>

#include "weft/base/file.h"
#include "weft/base/test_error.h"
#include "weft/base/test_folder.h"
#include "weft/io/graph_def/graph_def.h"
#include "weft/weft.h"

namespace weft {
namespace {

std::vector<float> floats(const Tensor& t) { return t.to_vector<float>(); }

// Two layers, each with a scope, and a step that trains the first.
struct Layers {
  Graph graph;
  Variable w;
  Tensor x, loss, step;
  Operation both;
  Layers() {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 2}, "x");
    Tensor h;
    {
      const NameScope layer("layer1");
      const DeviceScope device("/cpu:1");
      w = graph.variable(ones({2, 2}), {.name = "w"});
      h = matmul(x, w);
      const NameScope inner("inner");
      h = relu(h);
    }
    const NameScope layer("layer2");
    loss = graph.identity(sum(h * 2.0), "loss");
    step = graph.assign_sub(w, gradients(inputs(loss), inputs(w.read()))[0] * 0.25);
    both = graph.group({graph.operation_of(loss), graph.operation_of(step)}, "both");
  }
};

TEST(NameScope, is_in_front_of_names) {
  const Layers g;
  const ir::Node& product = g.graph.node(g.graph.operation("layer1/Matmul"));
  EXPECT_EQ(product.device, "/cpu:1");
  EXPECT_EQ(product.op->name, "matmul");
  EXPECT_TRUE(product.where.known());
  EXPECT_EQ(g.w.name(), "layer1/w");
  EXPECT_EQ(g.graph.node(g.graph.operation("layer1/inner/Relu")).device, "/cpu:1");
  EXPECT_EQ(g.graph.node(g.graph.operation("layer2/Sum")).device, "");
  EXPECT_EQ(g.graph.name_of(g.loss), "layer2/loss");
  EXPECT_NE(g.graph.text().find("%layer1/inner/Relu = relu(%layer1/Matmul) : f32[n, 2] on"),
            std::string::npos)
      << g.graph.text();
}

TEST(NameScope, outside_of_graphs_nothing_happens) {
  const NameScope layer("layer");
  const DeviceScope device("/cpu:0");
  EXPECT_EQ(floats(ones({2}) * 2.0), (std::vector<float>{2, 2}));
  const Graph graph;
  const Graph::Scope scope(graph);
  EXPECT_EQ(graph.name_of(ones({2}) * graph.placeholder(DType::kF32, {2}, "x")), "Multiply");
  const EagerScope now;
  const NameScope none("none");
  EXPECT_EQ(floats(ones({1})), (std::vector<float>{1}));
}

TEST(NameScope, of_a_traced_function) {
  const auto f = function([](const Tensor& x) {
    const NameScope layer("layer");
    const Tensor h = tanh(x);
    const DeviceScope device("/cpu:0");
    return h * 2.0;
  });
  const std::string text = f.get_concrete_function(ones({3})).text();
  EXPECT_NE(text.find("%layer/Tanh = tanh(%x0)"), std::string::npos) << text;
  EXPECT_NE(text.find("on \"/cpu:0\""), std::string::npos) << text;
}

TEST(NameScope, name) {
  EXPECT_EQ(error_of([] { const NameScope none(""); }),
            "name_scope: the name is empty; give one, such as \"layer1\" [name_scope.name]");
}

TEST(Graph, knows_its_operations) {
  const Layers g;
  const std::vector<Operation> all = g.graph.operations();
  EXPECT_EQ(g.graph.node(all[0]).name, "x");
  EXPECT_EQ(all.back().id, g.both.id);
  const Operation relu = g.graph.operation("layer1/inner/Relu");
  EXPECT_EQ(g.graph.name_of(g.graph.inputs_of(relu)[0]), "layer1/Matmul");
  EXPECT_EQ(g.graph.name_of(g.graph.outputs_of(relu)[0]), "layer1/inner/Relu");
  EXPECT_TRUE(g.graph.outputs_of(g.both).empty());
  EXPECT_EQ(error_of([&] { g.graph.node({12345}); }),
            text("Graph: the operation is none of this graph, which has ", all.size(),
                 " [Graph.operation]"));
  EXPECT_EQ(error_of([&] { g.graph.name_of(ones({2})); }),
            "Graph: the value belongs to no operation of this graph [Graph.value]");
}

TEST(Graph, name) {
  const Layers g;
  EXPECT_EQ(g.graph.name_of(g.graph.tensor("layer2/loss:0")), "layer2/loss");
  EXPECT_EQ(error_of([&] { g.graph.tensor("layer2/los"); }),
            "Graph: there is no value named 'layer2/los'; did you mean 'layer2/loss'? "
            "[Graph.name]");
  EXPECT_EQ(error_of([&] { g.graph.operation("nothing"); }),
            "Graph: there is no operation named 'nothing' [Graph.name]");
  EXPECT_EQ(error_of([&] { g.graph.tensor("layer2/both"); }),
            "Graph: there is no value named 'layer2/both': the operation 'layer2/both' gives none; "
            "run it, for what it does [Graph.name]");
  EXPECT_EQ(error_of([&] { g.graph.tensor("x:1"); }),
            "Graph: there is no value named 'x:1': the operation 'x' gives 1; they are counted "
            "from 0 [Graph.name]");
}

TEST(Session, fetches_and_feeds_by_name) {
  const Layers g;
  const Session session(g.graph);
  const Tensor batch = ones({3, 2});
  EXPECT_EQ(session.run("layer2/loss", {{"x:0", batch}}).item(), 24);
  EXPECT_EQ(session.run({"layer2/loss:0"}, {{g.x, batch}})[0].item(), 24);
  EXPECT_EQ(session.run({g.loss}, {{"x", batch}})[0].item(), 24);
  const std::string name = "layer1/Matmul";
  EXPECT_EQ(session.run("layer2/loss", {{name, ones({1, 2})}}).item(), 4);  // any value

  // A result for each fetch: none of an operation, of a Variable what it holds in the end.
  const Tensors out = session.run({"layer2/both", g.w, g.loss, g.both}, {{"x", batch}});
  EXPECT_FALSE(out[0].defined());
  EXPECT_EQ(floats(out[1]), (std::vector<float>(4, -0.5)));
  EXPECT_EQ(out[2].item(), 24);
  EXPECT_FALSE(out[3].defined());
  EXPECT_EQ(session.counters().runs, 5);

  const std::vector<Fetch> fetches{"layer2/loss", g.w};
  const Feed feeds[] = {{"x", batch}};
  EXPECT_EQ(session.run(fetches, feeds)[0].item(), 0);
  EXPECT_NE(session.plan({"layer2/loss"}, {{"x", batch}}).text().find("%layer1/Matmul"),
            std::string::npos);
}

TEST(Session, names_that_are_wrong) {
  const Layers g;
  const Session session(g.graph);
  const Tensor batch = ones({3, 2});
  EXPECT_EQ(error_of([&] { session.run("layer2/lost", {{"x", batch}}); }),
            "Graph: there is no value named 'layer2/lost'; did you mean 'layer2/loss'? "
            "[Graph.name]");
  EXPECT_EQ(error_of([&] { session.run({g.loss}, {{"y", batch}}); }),
            "Graph: there is no value named 'y' [Graph.name]");
  EXPECT_EQ(error_of([&] { session.run({g.loss}, {{"x", batch}, {g.x, batch}}); }),
            "Session: x is fed twice, by feed 1 again; feed it once, by the value or by its name "
            "[Session.feed]");
  EXPECT_EQ(error_of([&] { session.run({Operation{12345}}); }).find("Graph: the operation is none"),
            0u);
}

TEST(Session, callable) {
  const Layers g;
  const Session session(g.graph);
  const SessionCallable loss = session.make_callable({"layer2/loss", g.w}, {"x"});
  EXPECT_EQ(loss(ones({3, 2}))[0].item(), 24);
  EXPECT_EQ(loss(ones({5, 2}))[0].item(), 40);
  const SessionCallable train = session.make_callable({g.both}, {g.x});
  EXPECT_FALSE(train(ones({3, 2}))[0].defined());
  EXPECT_EQ(floats(loss(Tensors{ones({3, 2})})[1]), (std::vector<float>(4, -0.5)));
  EXPECT_EQ(session.counters().compiled, 2);
  EXPECT_EQ(error_of([&] { loss(); }),
            "Session: the callable takes 1 values, one for each of its feeds, but got 0 "
            "[Session.callable]");
  EXPECT_EQ(error_of([&] { loss(ones({3})); }),
            "Session: x is f32[n, 2] but f32[3] is fed [Session.feed]");
  EXPECT_EQ(error_of([&] { session.make_callable({"loss"}, {}); }).find("Graph: there is no value"),
            0u);
}

TEST(Graph, draws_and_tells_of_itself) {
  const Layers g;
  EXPECT_NE(g.graph.summary().find("matmul"), std::string::npos) << g.graph.summary();
  const TestFolder folder;
  const std::string svg = folder.path() + "/graph.svg", dot = folder.path() + "/graph.dot";
  const std::string picture = g.graph.draw(svg);
  EXPECT_EQ(read_file(svg), picture);
  EXPECT_TRUE(g.graph.draw().starts_with("<svg"));
  EXPECT_TRUE(g.graph.draw(dot).starts_with("digraph"));
  EXPECT_EQ(g.graph.draw(dot, 0).find("inner"), std::string::npos);  // folded
  EXPECT_EQ(error_of([&] { g.graph.draw("graph.png"); }),
            "draw: 'graph.png' names no format of drawings; end it in .svg, .html, .dot or .gv "
            "[draw.path]");
  const io::GraphDef def = io::graph_def(g.graph);
  EXPECT_EQ(def.node[0].name, "x");
  EXPECT_EQ(def.node[0].op, "Placeholder");
}

}  // namespace
}  // namespace weft
