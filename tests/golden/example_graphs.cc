// The graphs of short programs: a sum, a network with its gradients, loops, conditions.
#include "tests/golden/example_graphs.h"

#include "weft/control/control.h"
#include "weft/ir/print.h"
#include "weft/ops/nn/conv_call.h"
#include "weft/runtime/graph.h"
#include "weft/weft.h"

namespace weft::golden {
namespace {

// Lines of this file would change with every edit.
std::string text_of(const Graph& graph) {
  ir::Function all;
  all.name = "graph";
  all.graph = graph.staging().graph();
  all.assumptions = graph.staging().assumptions();
  return ir::to_text(all, {.lines = false});
}

std::string add_of_the_notes() {
  const Graph graph;
  const Graph::Scope scope(graph);
  add(Tensor(3), Tensor(5));
  return text_of(graph);
}

// Two layers, the loss, and the step of gradient descent.
std::string network() {
  const Variable w1(zeros({4, 8}), {.name = "hidden/w"}), b1(zeros({8}), {.name = "hidden/b"});
  const Variable w2(zeros({8, 3}), {.name = "output/w"});
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("batch"), 4}, "x");
  const Tensor labels = graph.placeholder(DType::kI64, {Dim::symbol("batch")}, "labels");
  graph.staging().scope = "hidden/";
  const Tensor w = w1.read(), b = b1.read();
  const Tensor hidden = relu(matmul(x, w) + b);
  graph.staging().scope = "output/";
  const Tensor v = w2.read();
  const Tensor loss = nn::cross_entropy(matmul(hidden, v), labels);
  graph.staging().scope = "step/";
  const Tensors slopes = gradients(inputs(loss), inputs(w, b, v));
  w1.assign(w - slopes[0] * 0.1);
  b1.assign(b - slopes[1] * 0.1);
  w2.assign(v - slopes[2] * 0.1);
  return text_of(graph);
}

std::string loop() {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "x");
  const Tensors start{Tensor::scalar(DType::kI64, 0), x};
  const Tensors out = while_flat([](TensorSpan s) { return Tensors{s[0] < 10}; },
                                 [](TensorSpan s) { return Tensors{s[0] + 1, sin(s[1])}; }, start,
                                 {}, Where::here());
  gradients(inputs(out[1]), inputs(x));
  return text_of(graph);
}

std::string scanned() {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor xs = graph.placeholder(DType::kF32, {Dim::symbol("time"), 3}, "xs");
  const Tensor start = zeros({3});
  scan_flat(
      [](TensorSpan s) {
        const Tensor next = s[0] * 0.5 + s[1];
        return Tensors{next, next * next};
      },
      inputs(start), inputs(xs), {}, Where::here());
  return text_of(graph);
}

std::string branches() {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {2, 2}, "x");
  cond_flat(
      sum(x) > 0.0, [&](TensorSpan) { return Tensors{exp(x)}; },
      [&](TensorSpan) { return Tensors{-x}; }, {}, Where::here());
  return text_of(graph);
}

std::string sizes_that_values_decide() {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n"), Dim::symbol("m")}, "x");
  const Tensor places = argwhere(x);
  sum(cast(places, DType::kF32), Ints{0});
  reshape(x, Shape{Dim::symbol("n") * Dim::symbol("m")});
  return text_of(graph);
}

std::string convolution() {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 8, 8, 3}, "x");
  const Tensor w = graph.placeholder(DType::kF32, {4, 3, 3, 3}, "w");
  ConvCallAttrs conv;
  conv.padding = {1, 1};
  conv.data_format = "NHWC";
  MaxPoolAttrs pool;
  pool.kernel_size = {2, 2};
  pool.data_format = "NHWC";
  nn::max_pool2d(relu(nn::conv2d(x, w, Tensor(), conv)), pool);
  return text_of(graph);
}

}  // namespace

std::vector<Example> example_graphs() {
  return {
      {"add", add_of_the_notes()},   {"network", network()}, {"while", loop()},
      {"scan", scanned()},           {"cond", branches()},   {"sizes", sizes_that_values_decide()},
      {"convolution", convolution()}};
}

}  // namespace weft::golden
