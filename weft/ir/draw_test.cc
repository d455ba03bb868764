// Pictures and summaries: what they show, and that they stay small.
#include "weft/ir/draw.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "weft/base/text_width.h"
#include "weft/control/control.h"
#include "weft/ir/drawn_scope.h"
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
  const std::string svg = ir::draw_svg(f), dot = ir::draw_dot(f), page = ir::draw_html(f);
  for (const std::string& drawing : {svg, dot, page}) {
    for (const char* piece :
         {"matmul", "softmax", "layer0", "attention", "mlp", "f32[batch, 16]", "w0", "0.25"}) {
      EXPECT_NE(drawing.find(piece), std::string::npos) << piece;
    }
  }
  EXPECT_EQ(count(dot, "subgraph cluster_"), 4u);
  EXPECT_EQ(count(svg, "class='folded'"), 0u);
  EXPECT_EQ(count(svg, "class='parameter'"), 2u);  // and in the legend
}

TEST(Draw, equal_scopes_in_a_row_are_one) {
  ir::Function f;
  network(f, 20);
  keep("large", f);
  const ir::Picture picture = ir::picture_of(f, {});
  ASSERT_EQ(picture.scopes[0].items.size(), 3u);  // x, the layers, the loss
  EXPECT_EQ(picture.scopes[0].items[1].title, "layer0 × 20");
  EXPECT_EQ(picture.scopes[0].items[1].chips[0].text, "5.1k parameters");
  const ir::DrawOptions all{.depth = 0, .repeats = false};
  EXPECT_EQ(ir::picture_of(f, all).scopes[0].items.size(), 22u);
  EXPECT_EQ(count(ir::draw_svg(f, all), "class='folded'"), 22u);  // and in the legend
  EXPECT_EQ(count(ir::draw_svg(f, {.depth = 0}), "class='folded'"), 3u);
}

// A scope that depends on another one that depends on it stands in the drawing twice.
TEST(Draw, scopes_are_not_their_own_input) {
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {3}, "x");
    graph.staging().scope = "there/";
    const Tensor a = tanh(x);
    graph.staging().scope = "between/";
    const Tensor b = sin(a);
    graph.staging().scope = "there/";
    cos(b);
  }
  ir::Function f;
  take_graph(f, graph);
  const ir::Picture picture = ir::picture_of(f, {});
  std::vector<std::string> titles;
  for (const ir::Picture::Item& item : picture.scopes[0].items) titles.push_back(item.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"x", "there", "between", "there (call 2)"}));
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
  EXPECT_EQ(count(svg, "class='function'"), 3u);  // the loop, what it asks, what it does
  EXPECT_NE(svg.find("cond @"), std::string::npos);
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
  EXPECT_NE(svg.find("f32[2] and 2 more"), std::string::npos);
}

TEST(Draw, writes_and_results) {
  const Variable v(tensor({1.0f, 2.0f}), {.name = "v"});
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    v.assign(v.read() * 2.0);
    graph.identity(v.read());
  }
  ir::Function f;
  take_graph(f, graph);
  f.results.push_back(0);
  keep("assign", f);
  const std::string svg = ir::draw_svg(f);
  EXPECT_EQ(count(svg, "<path class='way order'"), 2u);  // and in the legend
  EXPECT_EQ(count(svg, "class='result'"), 1u);
  EXPECT_NE(svg.find("→ v"), std::string::npos);
}

// What a module is called with and gives, in its box.
TEST(Draw, modules) {
  ir::Function f;
  network(f, 2);
  ir::DrawOptions options{.depth = 0, .repeats = false, .title = "Net"};
  options.modules["layer0"] = {"Layer", 256, true};
  const ir::Picture picture = ir::picture_of(f, options);
  const ir::Picture::Item& layer = picture.scopes[0].items[1];
  EXPECT_EQ(layer.lines,
            (std::vector<std::string>{"Layer", "in   f32[batch, 16]", "out  f32[batch, 16]"}));
  EXPECT_EQ(layer.chips[0].text, "256 parameters");
  EXPECT_NE(ir::draw_svg(f, options).find(">Net</text>"), std::string::npos);
}

TEST(Draw, boxes_are_inside_their_scopes) {
  ir::Function f;
  network(f, 3);
  const ir::Picture picture = ir::picture_of(f, {.repeats = false});
  const ir::DrawnScope whole =
      ir::lay_out_scope(picture, 0, std::vector<bool>(picture.scopes.size(), true), 1500);
  const auto check = [](const ir::DrawnScope& scope, const auto& self) -> size_t {
    size_t boxes = scope.items.size();
    for (size_t i = 0; i < scope.items.size(); ++i) {
      const ir::Rectangle& box = scope.items[i];
      EXPECT_GE(box.x, 0) << i;
      EXPECT_GE(box.y, 0) << i;
      EXPECT_LE(box.right(), scope.width) << i;
      EXPECT_LE(box.bottom(), scope.height) << i;
      if (scope.inside[i]) boxes += self(*scope.inside[i], self);
    }
    for (const std::vector<DrawPoint>& route : scope.routes) {
      for (size_t k = 1; k < route.size(); ++k) {
        EXPECT_TRUE(route[k].x == route[k - 1].x || route[k].y == route[k - 1].y);
      }
    }
    return boxes;
  };
  EXPECT_GT(check(whole, check), 20u);
}

TEST(Draw, texts_are_as_wide_as_helvetica) {
  EXPECT_NEAR(text_width("matmul", 10), 8.33 + 5.56 + 2.78 + 8.33 + 5.56 + 2.22, 1e-9);
  EXPECT_DOUBLE_EQ(text_width("Add", 10, /*is_bold=*/true), 7.22 + 6.11 + 6.11);
  EXPECT_DOUBLE_EQ(text_width("×", 10), 10);
  EXPECT_EQ(shortened("layer_norm", 10, 100), "layer_norm");
  const std::string less = shortened("layer_norm_of_rows", 10, 50);
  EXPECT_TRUE(less.ends_with("…")) << less;
  EXPECT_LE(text_width(less, 10), 50);
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
