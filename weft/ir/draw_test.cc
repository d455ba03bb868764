// Pictures and summaries: what they show, and that they stay small.
#include "weft/ir/draw.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "weft/control/control.h"
#include "weft/ir/nested_layout.h"
#include "weft/ir/summary.h"
#include "weft/runtime/graph.h"
#include "weft/weft.h"

namespace weft {
namespace {

size_t count(const std::string& text, std::string_view piece) {
  size_t out = 0;
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++out;
  return out;
}

// For those who want to look: WEFT_PICTURES=folder.
void keep(const std::string& name, const ir::Function& f, const ir::DrawOptions& options = {}) {
  const char* const folder = std::getenv("WEFT_PICTURES");
  if (folder == nullptr) return;
  std::ofstream(text(folder, "/", name, ".svg")) << ir::draw_svg(f, options);
  std::ofstream(text(folder, "/", name, ".dot")) << ir::draw_dot(f, options);
}

void take_graph(ir::Function& out, const Graph& graph) {
  out.name = "graph";
  out.graph = graph.staging().graph();
}

// Blocks of a network, each in a scope of its own.
void network(ir::Function& out, int layers) {
  std::vector<Variable> weights;
  for (int i = 0; i < layers; ++i) {
    weights.emplace_back(zeros({16, 16}), VariableOptions{.name = text("w", i)});
  }
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("batch"), 16}, "x");
    for (int i = 0; i < layers; ++i) {
      graph.staging().scope = text("layer", i, "/attention/");
      const Variable& w = weights[static_cast<size_t>(i)];
      const Tensor scores = softmax(matmul(x, w.read()) * 0.25);
      graph.staging().scope = text("layer", i, "/mlp/");
      x = relu(scores + x) - mean(x, Ints{1}, true);
    }
    graph.staging().scope = "loss/";
    sum(square(x));
  }
  take_graph(out, graph);
}

TEST(Draw, ops_scopes_and_types) {
  ir::Function f;
  network(f, 1);
  keep("small", f);
  const std::string svg = ir::draw_svg(f), dot = ir::draw_dot(f);
  for (const std::string& picture : {svg, dot}) {
    for (const char* piece :
         {"matmul", "softmax", "layer0", "attention", "mlp", "f32[batch, 16]", "w0", "0.25"}) {
      EXPECT_NE(picture.find(piece), std::string::npos) << piece;
    }
  }
  EXPECT_EQ(count(dot, "subgraph cluster_"), 4u);
  EXPECT_NE(svg.find("folded"), std::string::npos) << "its style is there";
  EXPECT_EQ(count(svg, "class='folded'"), 0u);
}

TEST(Draw, folds_what_is_large) {
  ir::Function medium, large;
  network(medium, 5);
  network(large, 20);
  keep("medium", medium);
  keep("large", large);
  keep("large_open", large, {.depth = 9});
  EXPECT_GT(large.graph.nodes().size(), 200u);
  const std::string svg = ir::draw_svg(large);
  EXPECT_LT(count(svg, "<rect"), 80u);
  EXPECT_GT(count(svg, "class='folded'"), 15u);
  EXPECT_EQ(count(ir::draw_svg(large, {.depth = 0}), "class='folded'"), 22u);  // and the legend's
  EXPECT_EQ(count(ir::draw_svg(medium), "class='folded'"), 0u);
  EXPECT_EQ(count(ir::draw_svg(medium, {.depth = 1}), "class='folded'"), 11u);
}

TEST(Draw, functions_inside) {
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "x");
    const Tensors start{Tensor::scalar(DType::kI64, 0), x};
    while_flat([](TensorSpan s) { return Tensors{s[0] < 3}; },
               [](TensorSpan s) { return Tensors{s[0] + 1, s[1] * s[1]}; }, start, {},
               Where::here());
  }
  ir::Function f;
  take_graph(f, graph);
  keep("loop", f);
  const std::string svg = ir::draw_svg(f);
  EXPECT_EQ(count(svg, "class='function'"), 2u);
  EXPECT_NE(svg.find("cond @"), std::string::npos);
  EXPECT_NE(ir::draw_dot(f).find("style=dotted"), std::string::npos);
}

TEST(Draw, devices_and_few_types) {
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {2}, "x");
    graph.staging().device = "gpu:1";
    const Tensor y = exp(x);
    graph.staging().scope = "folded/";
    const Tensor a = y + 1.0, b = cast(y, DType::kF64), c = cast(y, DType::kI64);
    graph.staging().scope = "";
    graph.identity(a);
    graph.identity(b);
    graph.identity(c);
  }
  ir::Function f;
  take_graph(f, graph);
  keep("devices", f, {.depth = 0});
  const std::string svg = ir::draw_svg(f, {.depth = 0});
  EXPECT_NE(svg.find("on gpu:1"), std::string::npos);
  EXPECT_NE(ir::draw_dot(f).find("on gpu:1"), std::string::npos);
  EXPECT_NE(svg.find("and 2 more types"), std::string::npos);
}

TEST(Draw, order_and_results) {
  const Variable v(tensor({1.0f, 2.0f}), {.name = "v"});
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    v.assign(v.read() * 2.0);
  }
  ir::Function f;
  take_graph(f, graph);
  f.results.push_back(0);
  keep("assign", f);
  EXPECT_EQ(count(ir::draw_svg(f), "<path class='order'"), 2u);  // and in the legend
  EXPECT_EQ(count(ir::draw_svg(f), "class='result'"), 2u);
}

// One that nothing reads stands in the last layer, beside the way out.
TEST(Draw, boxes_are_inside_their_scopes) {
  ir::Picture picture;
  picture.scopes = {{"graph"}, {"loss"}, {"train"}};
  for (const size_t scope : {1, 1, 1, 2}) {
    picture.boxes.push_back({ir::Picture::Kind::kOp, "op", "", scope});
  }
  picture.edges = {{0, 1, ""}, {1, 2, ""}, {1, 3, ""}};
  const std::vector<DrawPoint> sizes(4, {60, 30});
  const ir::NestedLayout layout(picture, sizes, std::vector<double>(4, 60), {40, 40, 40});
  for (size_t i = 0; i < picture.boxes.size(); ++i) {
    const ir::Rectangle &box = layout.box(i), &scope = layout.scope(picture.boxes[i].scope);
    EXPECT_GE(box.x, scope.x) << i;
    EXPECT_GE(box.y, scope.y) << i;
    EXPECT_LE(box.x + box.width, scope.x + scope.width) << i;
    EXPECT_LE(box.bottom(), scope.bottom()) << i;
  }
}

TEST(Draw, nothing_at_all) {
  const ir::Function f;
  EXPECT_NE(ir::draw_svg(f).find("</svg>"), std::string::npos);
  EXPECT_NE(ir::draw_dot(f).find("digraph"), std::string::npos);
}

TEST(Summary, is_a_table) {
  ir::Function f;
  network(f, 2);
  EXPECT_EQ(ir::summary(f),
            "function @graph: 25 ops\n"
            "inputs\n"
            "  x  f32[batch, 16]\n"
            "Variables\n"
            "  w0  f32[16, 16]    256  1.0 KB\n"
            "  w1  f32[16, 16]    256  1.0 KB\n"
            "ops\n"
            "  constant       4\n"
            "  sum            3\n"
            "  add            2\n"
            "  divide         2\n"
            "  matmul         2\n"
            "  multiply       2\n"
            "  read_variable  2\n"
            "  relu           2\n"
            "  softmax        2\n"
            "  subtract       2\n"
            "  placeholder    1\n"
            "  square         1\n"
            "parameters: 512 (512 trainable), 2.0 KB\n"
            "constants: 4, 16 B\n");
  const ir::Summary s = ir::summarize(f);
  EXPECT_EQ(s.parameters, 512);
  EXPECT_EQ(s.trainable, 512);
}

}  // namespace
}  // namespace weft
