// Derivatives of what is in a graph: calls that save, custom functions, loops, also from a text.
#include <gtest/gtest.h>

#include "weft/control/control.h"
#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"
#include "weft/trace/halves.h"
#include "weft/weft.h"

namespace weft {
namespace {

std::vector<float> floats(const Tensor& t) { return t.to_vector<float>(); }

// A cube whose derivative says 4 x^2 instead of 3 x^2: one sees which rule ran.
struct OddCube : Function<OddCube> {
  static constexpr const char* name = "OddCube";
  static Tensor forward(CustomContext& cx, const Tensor& x) {
    const Tensor square = x * x;
    cx.save_for_backward(square);
    return square * x;
  }
  static Tensor backward(const CustomContext& cx, const Tensor& g) {
    return g * cx.saved_tensors()[0] * 4.0;
  }
};

FunctionAttr traced(FlatFunction f, TensorSpan in) {
  TracedFunction function({.name = "f"});
  return function.entry_for(f, in, "", Where::here())->trace.function;
}

FunctionAttr reread(const FunctionAttr& f) {
  const ir::Document document = ir::parse(ir::to_text(*f));
  ir::verify(*document.main());
  EXPECT_EQ(ir::to_text(*document.main()), ir::to_text(*f));
  return document.main();
}

Tensor slope_of(const FunctionAttr& f, const Tensor& x) {
  const auto call = [&](const Tensor& y) { return sum(call_function(f, inputs(y), Where())[0]); };
  return grad(call)(x);
}

TEST(Halves, give_each_other_what_is_computed) {
  const Tensor x = tensor({0.5f, -1.0f, 2.0f});
  const auto f = [](TensorSpan in) { return Tensors{exp(tanh(in[0])) * in[0]}; };
  const FunctionAttr function = traced(f, inputs(x));
  const Types types{x.type()};
  const FunctionAttr forward = forward_of(function, {true}, types);
  EXPECT_EQ(forward, forward_of(function, {true}, types));           // made once
  EXPECT_EQ(forward->results.size(), function->results.size() + 2);  // tanh and exp, not x
  const BackwardHalf back = backward_of(function, {true}, forward, {true}, types);
  EXPECT_EQ(back.reached, Flags{true});
  for (const ir::Node& node : back.function->graph.nodes()) {
    EXPECT_NE(node.op->name, "tanh");
    EXPECT_NE(node.op->name, "exp");
  }
  const auto eager = [](const Tensor& y) { return sum(exp(tanh(y)) * y); };
  EXPECT_EQ(floats(slope_of(function, x)), floats(grad(eager)(x)));
}

TEST(Halves, go_on_with_a_sum) {
  const Tensor x = tensor({0.5f, -1.0f, 2.0f}), sum_so_far = tensor({1e8f, -3.0f, 0.1f});
  const auto f = [](TensorSpan in) { return Tensors{exp(in[0]) * tanh(in[0]) + 1.0}; };
  const FunctionAttr function = traced(f, inputs(x, x));
  const Types types{x.type(), x.type()};
  const FunctionAttr forward = forward_of(function, {true, true}, types);
  const BackwardHalf back =
      backward_of(function, {true, true}, forward, {true}, types, {true, true});
  EXPECT_EQ(back.reached, (Flags{true, false}));  // a sum that is begun is not reached by that
  Tensors in{x, x};
  for (const Tensor& t : ir::run(*forward, inputs(x, x))) in.push_back(t);
  for (const Tensor& t : Tensors{ones({3}), sum_so_far, sum_so_far}) in.push_back(t);
  const Tensors found = ir::run(*back.function, in);
  const Tensor expected = Linearization(f, inputs(x), Where::here())
                              .pull_onto(inputs(sum_so_far), inputs(ones({3})))[0];
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(floats(found[0]), floats(expected));
}

TEST(Halves, of_a_text) {
  const Tensor x = tensor({0.5f, -1.0f, 2.0f});
  const auto f = [](TensorSpan in) { return Tensors{exp(tanh(in[0])) * in[0]}; };
  const FunctionAttr function = traced(f, inputs(x));
  const auto slope = [&](TensorSpan in) { return Tensors{slope_of(function, in[0])}; };
  const FunctionAttr slopes = reread(traced(slope, inputs(x)));
  const auto eager = [](const Tensor& y) { return sum(exp(tanh(y)) * y); };
  EXPECT_EQ(floats(ir::run(*slopes, inputs(x))[0]), floats(grad(eager)(x)));
  const auto curve = [&](const Tensor& y) { return sum(grad(eager)(y)); };
  EXPECT_EQ(floats(slope_of(slopes, x)), floats(grad(curve)(x)));
}

TEST(Custom, keeps_its_rule_in_a_text) {
  const Tensor x = tensor({0.5f, -1.0f, 2.0f});
  const auto f = [](TensorSpan in) { return Tensors{OddCube::apply(in[0])}; };
  const FunctionAttr again = reread(traced(f, inputs(x)));
  EXPECT_EQ(floats(ir::run(*again, inputs(x))[0]), floats(x * x * x));
  EXPECT_EQ(floats(slope_of(again, x)), floats(x * x * 4.0));
  const auto eager = [](const Tensor& y) { return sum(OddCube::apply(y)); };
  EXPECT_EQ(floats(grad(eager)(x)), floats(x * x * 4.0));
}

TEST(Custom, in_a_session) {
  const Graph graph;
  Tensor x, slope;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "x");
    slope = gradients(inputs(sum(OddCube::apply(x))), inputs(x))[0];
  }
  const Tensor given = tensor({0.5f, -1.0f, 2.0f});
  EXPECT_EQ(floats(Session(graph).run({slope}, {{x, given}})[0]), floats(given * given * 4.0));
}

TEST(Custom, forged_texts_raise) {
  const Tensor x = tensor({0.5f, -1.0f});
  const auto f = [](TensorSpan in) { return Tensors{OddCube::apply(in[0])}; };
  const std::string text = ir::to_text(*traced(f, inputs(x)));
  for (const auto& [from, to] :
       {std::pair{"arguments=1", "arguments=7"}, std::pair{"outputs=1", "outputs=-1"},
        std::pair{"saved=1", "saved=5"}, std::pair{"gives=[0]", "gives=[3]"}}) {
    std::string forged = text;
    const size_t at = forged.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    forged.replace(at, std::string_view(from).size(), to);
    EXPECT_THROW(ir::verify(*ir::parse(forged).main()), Error) << to;
  }
}

// d^2/dx^2 of x to the n, by a loop of n steps.
Tensors bend_of_power(TensorSpan in) {
  const auto power = [&](const Tensor& x) {
    const Tensors init{Tensor::scalar(DType::kI64, 0), Tensor::scalar(DType::kF32, 1)};
    return while_flat([&](TensorSpan s) { return Tensors{s[0] < in[1]}; },
                      [&](TensorSpan s) { return Tensors{s[0] + 1, s[1] * x}; }, init, {},
                      Where::here())[1];
  };
  return {grad([&](const Tensor& x) { return grad(power)(x); })(in[0])};
}

TEST(Loops, of_a_text_stop_lane_by_lane) {
  const Tensors one{Tensor::scalar(DType::kF32, 2), Tensor::scalar(DType::kI64, 3)};
  const FunctionAttr bend = reread(traced(bend_of_power, one));
  EXPECT_EQ(ir::run(*bend, one)[0].item(), 12.0);
  const auto each = vmap([&](const Tensor& x, const Tensor& n) {
    return call_function(bend, inputs(x, n), Where())[0];
  });
  EXPECT_EQ(floats(each(tensor({2.0f, 3.0f, 0.5f, 1.5f}), tensor({2, 3, 0, 1}))),
            (std::vector<float>{2.0f, 18.0f, 0.0f, 0.0f}));
}

TEST(Loops, scan_lanes) {
  const Tensors one{Tensor::scalar(DType::kF32, 2), Tensor::scalar(DType::kI64, 3)};
  const std::string text = ir::to_text(*traced(bend_of_power, one));
  const size_t first = text.find("lanes=[") + 7, comma = text.find(',', first);
  const size_t last = text.find(']', comma);
  ASSERT_NE(last, std::string::npos) << text;
  const std::string test = text.substr(first, comma - first);
  const auto error_of = [&](const std::string& lanes) {
    std::string forged = text;
    try {
      ir::verify(*ir::parse(forged.replace(first, last - first, lanes)).main());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto says = [&](const std::string& lanes, std::string_view message) {
    EXPECT_NE(error_of(lanes).find(message), std::string::npos) << error_of(lanes);
  };
  says(test,
       "scan: has 1 functions for the examples of a batch; they are a test and a step "
       "[scan.lanes]");
  const std::string step = text.substr(comma + 2, last - comma - 2);
  says(step + ", " + step, "scan: the test of an example must give one bool [scan.lanes]");
  says(test + ", " + test, "[scan.results]");
}

}  // namespace
}  // namespace weft
