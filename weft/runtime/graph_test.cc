// Graphs, sessions and traced functions: the whole way, and what must not happen on it.
#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/control/control.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"
#include "weft/weft.h"

namespace weft {
namespace {

std::vector<float> floats(const Tensor& t) { return t.to_vector<float>(); }

TEST(Graph, runs_what_is_fetched) {
  const Graph graph;
  Tensor x, y, z;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 2}, "x");
    y = exp(x) + 1.0;
    z = sum(y * x);
  }
  const Session session(graph);
  const Tensor given = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  const Tensors out = session.run({y, z}, {{x, given}});
  EXPECT_EQ(floats(out[0]), floats(exp(given) + 1.0));
  EXPECT_EQ(floats(out[1]), floats(sum((exp(given) + 1.0) * given)));
  EXPECT_EQ(session.counters().compiled, 1);
}

TEST(Graph, gradients_are_those_of_the_tape) {
  const Graph graph;
  Tensor x, w, loss;
  Tensors slopes;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 3}, "x");
    w = graph.placeholder(DType::kF32, {3, 2}, "w");
    loss = sum(tanh(matmul(x, w)) * matmul(x, w));
    slopes = gradients(inputs(loss), inputs(x, w));
  }
  const Tensor a = random::normal(random::Key(1), {4, 3}),
               b = random::normal(random::Key(2), {3, 2});
  const Tensors out = Session(graph).run({loss, slopes[0], slopes[1]}, {{x, a}, {w, b}});
  const auto f = [](const Tensor& u, const Tensor& v) {
    return sum(tanh(matmul(u, v)) * matmul(u, v));
  };
  const auto [da, db] = grad<0, 1>(f)(a, b);
  EXPECT_EQ(floats(out[1]), floats(da));
  EXPECT_EQ(floats(out[2]), floats(db));
}

TEST(Graph, assigns_what_is_fetched) {
  const Variable w(tensor({1.0f, 2.0f}));
  const Graph graph;
  Tensor loss, updated;
  {
    const Graph::Scope scope(graph);
    loss = sum(w * w);
    updated = graph.assign_sub(w, gradients(inputs(loss), Tensors{w})[0] * 0.5);
  }
  const Session session(graph);
  EXPECT_EQ(session.run({loss})[0].item(), 5.0);
  EXPECT_EQ(floats(w.value()), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(session.run({updated})[0]), (std::vector<float>{0, 0}));
  EXPECT_EQ(floats(w.value()), (std::vector<float>{0, 0}));
}

TEST(Graph, prints_and_parses) {
  const Graph graph;
  Tensor y;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 2}, "x");
    y = reshape(x + 1.0, Shape{Dim::symbol("n") * 2});
  }
  const std::string text = graph.text();
  const ir::Document document = ir::parse(text);
  EXPECT_EQ(ir::to_text(*document.main()), text) << text;
}

TEST(Traced, one_trace_serves_all_lengths) {
  TracedFunction f({.name = "f"});
  const auto body = [](TensorSpan in) { return Tensors{sum(exp(in[0]) * in[0], Ints{0})}; };
  for (int64_t n = 2; n < 40; ++n) {
    const Tensor x = random::normal(random::Key(static_cast<uint64_t>(n)), {n, 3});
    EXPECT_EQ(floats(f(body, {&x, 1}, "", Where::here())[0]), floats(sum(exp(x) * x, Ints{0})));
  }
  EXPECT_EQ(f.trace_count(), 1u) << f.log().back();
}

TEST(Traced, variables_are_read_and_written) {
  TracedFunction f({.name = "step"});
  const Variable w(tensor({1.0f, 2.0f}));
  const auto body = [&](TensorSpan in) {
    w.assign_add(in[0]);
    return Tensors{w.read() * 2.0};
  };
  const Tensor one = tensor({1.0f, 1.0f});
  EXPECT_EQ(floats(f(body, {&one, 1}, "", Where::here())[0]), (std::vector<float>{4, 6}));
  EXPECT_EQ(floats(f(body, {&one, 1}, "", Where::here())[0]), (std::vector<float>{6, 8}));
  EXPECT_EQ(floats(w.value()), (std::vector<float>{3, 4}));
  EXPECT_EQ(f.trace_count(), 1u);
}

// pow by a loop, as in the lecture notes: its length is known when it has run.
Tensor power(const Tensor& x, const Tensor& n) {
  const Tensors init{Tensor::scalar(DType::kI64, 0), ones(Shape(x.shape()))};
  return while_flat([&](TensorSpan s) { return Tensors{s[0] < n}; },
                    [&](TensorSpan s) { return Tensors{s[0] + 1, s[1] * x}; }, init, {},
                    Where::here())[1];
}

TEST(Control, while_differentiates) {
  const Tensor x = tensor({1.5f, -2.0f});
  const Tensor n = Tensor::scalar(DType::kI64, 4);
  const auto f = [&](const Tensor& v) { return sum(power(v, n)); };
  EXPECT_EQ(floats(power(x, n)), (std::vector<float>{5.0625f, 16.0f}));
  EXPECT_EQ(floats(grad(f)(x)), (std::vector<float>{13.5f, -32.0f}));
  const auto slope = [&](const Tensor& v) { return sum(grad(f)(v)); };
  EXPECT_EQ(floats(grad(slope)(x)), (std::vector<float>{27.0f, 48.0f}));
  const auto third = [&](const Tensor& v) { return sum(grad(slope)(v)); };
  EXPECT_EQ(floats(grad(third)(x)), (std::vector<float>{36.0f, -48.0f}));
}

TEST(Control, while_under_vmap_stops_lanes) {
  const Tensor x = tensor({2.0f, 3.0f, 0.5f});
  const Tensor n = tensor({1, 3, 0});
  const auto f = [](const Tensor& v, const Tensor& k) { return power(v, k); };
  EXPECT_EQ(floats(vmap(f)(x, n)), (std::vector<float>{2.0f, 27.0f, 1.0f}));
  const auto slopes =
      vmap([&](const Tensor& v, const Tensor& k) { return grad<0>(f)(v, k); })(x, n);
  EXPECT_EQ(floats(slopes), (std::vector<float>{1.0f, 27.0f, 0.0f}));
  const auto bends = vmap([&](const Tensor& v, const Tensor& k) {
    return grad([&](const Tensor& u) { return grad<0>(f)(u, k); })(v);
  })(x, n);
  EXPECT_EQ(floats(bends), (std::vector<float>{0.0f, 18.0f, 0.0f}));
}

TEST(Control, scan_differentiates) {
  const Tensor xs = tensor({1.0f, 2.0f, 3.0f}), a = Tensor(0.5f);
  const auto f = [&](const Tensor& rate, const Tensor& rows) {
    const Tensor start = Tensor::scalar(DType::kF32, 1);
    const ScanResult out = scan_flat(
        [&](TensorSpan s) {
          const Tensor next = s[0] * rate + s[1];
          return Tensors{next, next * next};
        },
        inputs(start), inputs(rows), {}, Where::here());
    return sum(out.rows[0]) + out.carry[0];
  };
  const auto by_hand = [&](const Tensor& rate, const Tensor& rows) {
    Tensor s = Tensor::scalar(DType::kF32, 1), total = Tensor::scalar(DType::kF32, 0);
    for (int64_t i = 0; i < 3; ++i) {
      s = s * rate + select_row(rows, i);
      total = total + s * s;
    }
    return total + s;
  };
  const Tensor r = Tensor::scalar(DType::kF32, 0.5);
  EXPECT_FLOAT_EQ(f(r, xs).item(), by_hand(r, xs).item());
  const auto [dr, dx] = grad<0, 1>(f)(r, xs);
  const auto [er, ex] = grad<0, 1>(by_hand)(r, xs);
  EXPECT_FLOAT_EQ(dr.item(), er.item());
  EXPECT_EQ(floats(dx), floats(ex));
  const auto g = [&](const auto& h) {
    return grad([&](const Tensor& v) { return grad(h)(v, xs); })(r).item();
  };
  EXPECT_FLOAT_EQ(g(f), g(by_hand));
  const auto batch = vmap([&](const Tensor& v) { return f(v, xs); })(tensor({0.5f, 0.25f}));
  EXPECT_FLOAT_EQ(batch.to_vector<float>()[0], by_hand(r, xs).item());
}

TEST(Control, cond_in_a_function) {
  TracedFunction f({.name = "f"});
  const auto body = [](TensorSpan in) {
    const Tensor& x = in[0];
    return cond_flat(
        sum(x) > 0.0, [&](TensorSpan) { return Tensors{exp(x)}; },
        [&](TensorSpan) { return Tensors{x * 2.0}; }, {}, Where::here());
  };
  const Tensor a = tensor({1.0f, 2.0f}), b = tensor({-1.0f, -2.0f, 0.5f});
  EXPECT_EQ(floats(f(body, {&a, 1}, "", Where::here())[0]), floats(exp(a)));
  EXPECT_EQ(floats(f(body, {&b, 1}, "", Where::here())[0]), floats(b * 2.0));
  EXPECT_EQ(f.trace_count(), 1u);
  const auto slope =
      grad([&](const Tensor& x) { return sum(f(body, {&x, 1}, "", Where::here())[0]); });
  EXPECT_EQ(floats(slope(a)), floats(exp(a)));
  EXPECT_EQ(floats(slope(b)), (std::vector<float>{2, 2, 2}));
}

Tensors one_or_two(const Tensor& pred) {
  return cond_flat(
      pred, [](TensorSpan) { return Tensors{Tensor::scalar(DType::kF32, 1)}; },
      [](TensorSpan) { return Tensors{Tensor::scalar(DType::kF32, 2)}; }, {}, Where::here());
}

TEST(Control, cond_under_vmap_of_its_predicate_alone) {
  const auto f = [](const Tensor& pred) { return one_or_two(pred)[0]; };
  EXPECT_EQ(floats(vmap(f)(tensor({1, 0, 1}))), (std::vector<float>{1.0f, 2.0f, 1.0f}));
}

TEST(Control, cond_predicate) {
  TracedFunction traced({.name = "f"});
  const auto body = [](TensorSpan in) { return one_or_two(in[0]); };
  const auto expect_error = [&](const Tensor& pred, std::string_view message) {
    const auto now = [&] { one_or_two(pred); };
    const auto staged = [&] { traced(body, {&pred, 1}, "", Where::here()); };
    EXPECT_EQ(error_of(now), message);
    EXPECT_EQ(error_of(staged), message);
  };
  expect_error(Tensor::scalar(DType::kF32, 0.5),
               "cond: the predicate is of dtype float32; it must be bool or an integer: compare "
               "it, as in x != 0 [cond.predicate]");
  expect_error(tensor({1}),
               "cond: the predicate has shape [1]; it must be one value, of rank 0: reduce it with "
               "any or all [cond.predicate]");
}

}  // namespace
}  // namespace weft
