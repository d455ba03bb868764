// Graphs that grow on one thread while sessions run them on others; what a session keeps ready.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "weft/base/test_error.h"
#include "weft/runtime/session.h"
#include "weft/weft.h"

namespace weft {
namespace {

TEST(Growing, while_others_run) {
  const Graph graph;
  Tensor x, y;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "x");
    y = graph.identity(tanh(x) * 2.0, "y");
  }
  const Session session(graph);
  std::atomic<bool> stops{false};
  std::atomic<int> wrong{0};
  const Tensor fed = zeros({3});
  const auto run_until_stopped = [&] {
    while (!stops) {
      const Session fresh(graph);  // which has no signature ready
      for (const Session* const one : {&session, &fresh}) {
        const Tensor by_value = one->run({y}, {{x, fed}})[0];
        const Tensor by_name = one->run({"y:0"}, {{"x", fed}})[0];
        if (by_value.dim(0) != Dim(3) || by_name.dim(0) != Dim(3)) ++wrong;
      }
    }
  };
  const auto run = [&] {
    try {
      run_until_stopped();
    } catch (const Error&) {
      ++wrong;
    }
  };
  std::thread first(run), second(run);
  for (int i = 0; i < 500; ++i) {
    const Graph::Scope scope(graph);
    const Tensor more = sin(y) + 1.0;
    graph.placeholder(DType::kF32, {Dim::symbol("m")});
    if (i % 100 == 0) gradients(inputs(more), inputs(x));
  }
  stops = true;
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Growing, signatures_that_are_kept) {
  const Graph graph;
  Tensor x;
  Tensors ys;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {}, "x");
    for (int i = 0; i < 260; ++i) ys.push_back(x * static_cast<double>(i));
  }
  const Session session(graph);
  const Tensor one = tensor(1.0f);
  const auto compiled_by = [&](const Tensor& y) {
    const int64_t before = session.counters().compiled;
    session.run({y}, {{x, one}});
    return session.counters().compiled - before;
  };
  for (const Tensor& y : ys) {
    compiled_by(y);
    compiled_by(ys[0]);  // in use all the time
  }
  EXPECT_EQ(session.counters().kept, 256);
  EXPECT_EQ(compiled_by(ys[0]), 0);
  EXPECT_EQ(compiled_by(ys[259]), 0);
  EXPECT_EQ(compiled_by(ys[1]), 1);  // it went first
  EXPECT_EQ(session.counters().kept, 256);
}

TEST(Growing, grad_ys_that_do_not_fit) {
  const Graph graph;
  const Graph::Scope scope(graph);
  const Tensor x = graph.placeholder(DType::kF32, {3}, "x");
  const Tensor y = x * x;
  EXPECT_EQ(error_of([&] { gradients(inputs(y), inputs(x), inputs(ones({3}, DType::kF64))); }),
            "gradients: grad_y 0 is f64[3] but y 0 is f32[3]; they must have one dtype and shape "
            "[gradients.cotangent]");
  EXPECT_EQ(
      error_of([&] { gradients(inputs(y), inputs(x), inputs(ones({2, 3}))); }),
      "gradients: grad_y 0 is f32[2, 3] but y 0 is f32[3]; they must have one dtype and shape "
      "[gradients.cotangent]");
  EXPECT_EQ(error_of([&] { gradients(inputs(y), inputs(x), inputs(ones({3}), ones({3}))); }),
            "gradients: there are 2 grad_ys for 1 ys; give one for each [gradients.count]");
}

TEST(Growing, lines_of_reads) {
  const Variable v(tensor(1.0f), {.name = "v"});
  const Graph graph;
  const Graph::Scope scope(graph);
  const uint32_t line = Where::here().line + 1;
  graph.assign_add(v, tensor(1.0f));
  for (const Operation one : graph.operations()) EXPECT_EQ(graph.node(one).where.line, line);
}

}  // namespace
}  // namespace weft
