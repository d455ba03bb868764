// Derivatives of what is in a graph: calls that save, custom functions, also from a text.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft
