// The verifier: graphs that mean nothing, and the node it names.
#include <gtest/gtest.h>

#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/ops/math/math.h"
#include "weft/runtime/graph.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft {
namespace {

// Texts name the ops of graphs, which a Graph registers.
const Graph kFirst;

std::string raised_by(const auto& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

// Of two parameters, a: f32[n, 2] and b: f32[n, 2].
std::string raised_for(const std::string& node) {
  return raised_by([&] {
    ir::parse(text("weft 1\nfunction @f(%a: f32[n, 2], %b: f32[n, 2], %i: i64[2]) -> () {\n  ",
                   node, "\n  return\n}\n"));
  });
}

TEST(Verify, names_the_node) {
  EXPECT_EQ(raised_for("%c = add(%a, %b) : f32[n, 2]"), "nothing");
  EXPECT_EQ(raised_for("%c = add(%a, %b) : f32[n, 3]"),
            "graph: in function @f, %c: gives f32[n, 2], but the graph says f32[n, 3] "
            "[graph.verify]");
  EXPECT_EQ(raised_for("%c = add(%a, %b) : f32[n, 2], f32[2]"),
            "graph: in function @f, %c: gives 1 values, but the graph says 2 [graph.verify]");
  EXPECT_EQ(raised_for("%c = add(%a) : f32[n, 2]"),
            "graph: in function @f, %c: add does not take 1 inputs [graph.verify]");
  EXPECT_EQ(raised_for("%c = add(%a, %i) : f32[n, 2]"),
            "graph: in function @f, %c: inputs of float32 and int64 are not of one dtype "
            "[graph.verify]");
  EXPECT_EQ(raised_for("%c = exp(%i) : i64[2]"),
            "graph: in function @f, %c: input x is i64[2], which exp does not take [graph.verify]");
  EXPECT_EQ(raised_for("%c = add(%a, none) : f32[n, 2]"),
            "graph: in function @f, %c: the input b is left out [graph.verify]");
  EXPECT_EQ(raised_for("%c = reshape(%a) {shape=[m]} : f32[m]"),
            "graph: in function @f, %c: no parameter gives the size m a value [graph.verify]");
}

TEST(Verify, an_ops_own_law_names_the_node) {
  EXPECT_EQ(raised_for("%c = sum(%a) {axis=[5]} : f32[n]"),
            "sum: axis 5 is out of range for shape [n, 2]; axes go from -2 to 1 [sum.axis]\n"
            "  at %c in function @f");
}

TEST(Verify, what_a_trace_took_for_granted) {
  const char* const source =
      "weft 1\nfunction @f(%a: f32[n], %b: f32[m]) -> (f32[n]) {\n"
      "  assume n == m\n  %c = add(%a, %b) : f32[n]\n  return %c\n}\n";
  EXPECT_EQ(raised_by([&] { ir::parse(source); }), "nothing");
}

TEST(Verify, reads_nothing_that_comes_later) {
  ir::Function f;
  const Type type{DType::kF32, {2}};
  const auto x = f.graph.add_parameter(type, "x");
  f.graph.add(kAdd, {x, x}, new_shared<const AnyAttrs>(kAdd.attrs), {type}, {.after = {1}});
  EXPECT_EQ(raised_by([&] { ir::verify(f); }),
            "graph: in function @f, %add: runs after a node that comes later [graph.verify]");
  f.results.push_back(77);
  EXPECT_NE(raised_by([&] { ir::verify(f); }), "nothing");
}

}  // namespace
}  // namespace weft
