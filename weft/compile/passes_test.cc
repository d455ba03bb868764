// Passes on text: IR in, pass, IR out.
#include "weft/compile/passes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "weft/control/ops.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft::compile {
namespace {

// The lines of the last function, without its header and the brace behind it.
std::string body_of(const ir::Function& function) {
  const std::string all = ir::to_text(function, {.lines = false});
  const size_t first = all.rfind("function @"), begin = all.find("{\n", first) + 2;
  return all.substr(begin, all.rfind('}') - begin);
}

ir::Document parsed(const std::string& text) {
  register_state_ops();
  register_control_ops();
  return ir::parse("weft 1\n\n" + text);
}

void expect_pass(Pass pass, const std::string& text, const std::string& want) {
  const ir::Document document = parsed(text);
  ir::verify(*document.main());
  const FunctionPtr out = pass(*document.main());
  ir::verify(*out);
  EXPECT_EQ(body_of(*out), want);
}

TEST(DeadCode, leaves_out_what_nobody_reads) {
  expect_pass(dead_code,
              "function @f(%x: f32[n]) -> (f32[n]) {\n"
              "  %a = exp(%x) : f32[n]\n"
              "  %b = tanh(%a) : f32[n]\n"
              "  %c = sin(%x) : f32[n]\n"
              "  return %c\n}\n",
              "  %c = sin(%x) : f32[n]\n"
              "  return %c\n");
}

TEST(DeadCode, keeps_effects_and_what_others_wait_for) {
  expect_pass(dead_code,
              "variable @w: f32[2]\n\n"
              "function @f(%x: f32[2]) -> (f32[2]) {\n"
              "  %old = read_variable() {variable=@w} : f32[2]\n"
              "  %new = exp(%x) : f32[2]\n"
              "  %set = assign_variable(%new) {variable=@w} : f32[2] follows %old\n"
              "  %mark = tanh(%x) : f32[2]\n"
              "  %y = sin(%x) : f32[2] after %mark\n"
              "  return %y\n}\n",
              "  %new = exp(%x) : f32[2]\n"
              "  %set = assign_variable(%new) {variable=@w} : f32[2]\n"
              "  %mark = tanh(%x) : f32[2]\n"
              "  %y = sin(%x) : f32[2] after %mark\n"
              "  return %y\n");
}

TEST(CommonSubexpressions, computes_once) {
  expect_pass(common_subexpressions,
              "function @f(%x: f32[n, 3]) -> (f32[n], f32[n]) {\n"
              "  %a = exp(%x) : f32[n, 3]\n"
              "  %b = exp(%x) : f32[n, 3]\n"
              "  %s = sum(%a) {axis=[1], dtype=none, keepdims=false} : f32[n]\n"
              "  %t = sum(%b) {axis=[1], dtype=none, keepdims=false} : f32[n]\n"
              "  return %s, %t\n}\n",
              "  %a = exp(%x) : f32[n, 3]\n"
              "  %s = sum(%a) {axis=[1], dtype=none, keepdims=false} : f32[n]\n"
              "  return %s, %s\n");
}

// The symbol of the size that the second node would have found goes with it.
TEST(CommonSubexpressions, sizes_that_are_found_twice) {
  expect_pass(common_subexpressions,
              "function @f(%x: f32[n]) -> (i64[?nonzero.0], i64[?nonzero.1], i64[2*?nonzero.1]) {\n"
              "  %a = argwhere(%x) : i64[?nonzero.0, 1]\n"
              "  %s = sum(%a) {axis=none, dtype=none, keepdims=false} : i64[]\n"
              "  %u = broadcast_to(%s) {shape=[?nonzero.0]} : i64[?nonzero.0]\n"
              "  %b = argwhere(%x) : i64[?nonzero.1, 1]\n"
              "  %t = sum(%b) {axis=none, dtype=none, keepdims=false} : i64[]\n"
              "  %v = broadcast_to(%t) {shape=[?nonzero.1]} : i64[?nonzero.1]\n"
              "  %w = broadcast_to(%t) {shape=[2*?nonzero.1]} : i64[2*?nonzero.1]\n"
              "  return %u, %v, %w\n}\n",
              "  %a = argwhere(%x) : i64[?nonzero.0, 1]\n"
              "  %s = sum(%a) {axis=none, dtype=none, keepdims=false} : i64[]\n"
              "  %u = broadcast_to(%s) {shape=[?nonzero.0]} : i64[?nonzero.0]\n"
              "  %w = broadcast_to(%s) {shape=[2*?nonzero.0]} : i64[2*?nonzero.0]\n"
              "  return %u, %u, %w\n");
}

TEST(CommonSubexpressions, leaves_effects_alone) {
  const std::string body =
      "  %a = read_variable() {variable=@w} : f32[2]\n"
      "  %set = assign_variable(%x) {variable=@w} : f32[2] follows %a\n"
      "  %b = read_variable() {variable=@w} : f32[2] follows %set\n"
      "  %k = next_key() : u32[2]\n"
      "  %l = next_key() : u32[2] follows %k\n"
      "  return %a, %b, %k, %l\n";
  expect_pass(common_subexpressions,
              "variable @w: f32[2]\n\n"
              "function @f(%x: f32[2]) -> (f32[2], f32[2], u32[2], u32[2]) {\n" +
                  body + "}\n",
              body);
}

TEST(FoldConstants, computes_now) {
  expect_pass(fold_constants,
              "function @f(%x: f32[]) -> (f32[]) {\n"
              "  %two = constant() {value=f32[] [2]} : f32[]\n"
              "  %four = multiply(%two, %two) : f32[]\n"
              "  %y = add(%x, %four) : f32[]\n"
              "  return %y\n}\n",
              "  %two = constant() {value=f32[] [2]} : f32[]\n"
              "  %four = constant() {value=f32[] [4]} : f32[]\n"
              "  %y = add(%x, %four) : f32[]\n"
              "  return %y\n");
}

TEST(InlineCalls, puts_the_ops_in) {
  expect_pass(inline_calls,
              "function @g(%u: f32[k]) -> (f32[2*k]) {\n"
              "  %e = exp(%u) : f32[k]\n"
              "  %c = broadcast_to(%e) {shape=[2, k]} : f32[2, k]\n"
              "  %r = reshape(%c) {shape=[2*k]} : f32[2*k]\n"
              "  return %r\n}\n\n"
              "function @f(%x: f32[n]) -> (f32[2*n]) {\n"
              "  %a = call(%x) {function=@g} : f32[2*n]\n"
              "  return %a\n}\n",
              "  %a/e = exp(%x) : f32[n]\n"
              "  %a/c = broadcast_to(%a/e) {shape=[2, n]} : f32[2, n]\n"
              "  %a/r = reshape(%a/c) {shape=[2*n]} : f32[2*n]\n"
              "  return %a/r\n");
}

TEST(SinkReshapes, behind_elementwise_ops) {
  expect_pass(sink_reshapes,
              "function @f(%x: f32[n, 3], %y: f32[n, 3]) -> (f32[3, n]) {\n"
              "  %t = permute_dims(%x) {axes=[1, 0]} : f32[3, n]\n"
              "  %u = permute_dims(%y) {axes=[1, 0]} : f32[3, n]\n"
              "  %a = add(%t, %u) : f32[3, n]\n"
              "  return %a\n}\n",
              "  %t = permute_dims(%x) {axes=[1, 0]} : f32[3, n]\n"
              "  %u = permute_dims(%y) {axes=[1, 0]} : f32[3, n]\n"
              "  %a = add(%x, %y) : f32[n, 3]\n"
              "  %a_1 = permute_dims(%a) {axes=[1, 0]} : f32[3, n]\n"
              "  return %a_1\n");
}

TEST(TransposeProducts, turns_the_factors) {
  expect_pass(transpose_products,
              "function @f(%x: f32[n, 3], %g: f32[n, 4]) -> (f32[4, 3]) {\n"
              "  %t = permute_dims(%x) {axes=[1, 0]} : f32[3, n]\n"
              "  %m = matmul(%t, %g) : f32[3, 4]\n"
              "  %y = permute_dims(%m) {axes=[1, 0]} : f32[4, 3]\n"
              "  return %y\n}\n",
              "  %t = permute_dims(%x) {axes=[1, 0]} : f32[3, n]\n"
              "  %m = matmul(%t, %g) : f32[3, 4]\n"
              "  %y = permute_dims(%g) {axes=[1, 0]} : f32[4, n]\n"
              "  %y_1 = permute_dims(%t) {axes=[1, 0]} : f32[n, 3]\n"
              "  %y_2 = matmul(%y, %y_1) : f32[4, 3]\n"
              "  return %y_2\n");
}

// A product that is read as it is, too, is computed once; complex products add in an order.
TEST(TransposeProducts, leaves_what_is_read_twice_and_complex_numbers) {
  const std::string twice =
      "  %m = matmul(%x, %x) : f32[3, 3]\n"
      "  %y = permute_dims(%m) {axes=[1, 0]} : f32[3, 3]\n"
      "  %s = add(%m, %y) : f32[3, 3]\n"
      "  return %s\n";
  expect_pass(transpose_products, "function @f(%x: f32[3, 3]) -> (f32[3, 3]) {\n" + twice + "}\n",
              twice);
  const std::string complex =
      "  %m = matmul(%x, %x) : c64[3, 3]\n"
      "  %y = permute_dims(%m) {axes=[1, 0]} : c64[3, 3]\n"
      "  return %y\n";
  expect_pass(transpose_products, "function @f(%x: c64[3, 3]) -> (c64[3, 3]) {\n" + complex + "}\n",
              complex);
}

TEST(Optimize, transposes_meet_and_cancel) {
  const auto all = [](const ir::Function& function) { return optimize(function); };
  expect_pass(all,
              "function @f(%x: f32[n, 3]) -> (f32[n, 3]) {\n"
              "  %t = permute_dims(%x) {axes=[1, 0]} : f32[3, n]\n"
              "  %e = exp(%t) : f32[3, n]\n"
              "  %u = permute_dims(%e) {axes=[1, 0]} : f32[n, 3]\n"
              "  return %u\n}\n",
              "  %e = exp(%x) : f32[n, 3]\n"
              "  return %e\n");
}

TEST(Optimize, writes_the_text_after_every_pass) {
  const std::string folder = ::testing::TempDir() + "weft_dump";
  std::filesystem::remove_all(folder);
  const ir::Document document = parsed(
      "function @f(%x: f32[n]) -> (f32[n]) {\n"
      "  %y = identity(%x) : f32[n]\n"
      "  return %y\n}\n");
  const FunctionPtr out = optimize(*document.main(), {.dump = folder});
  std::ifstream last(folder + "/08_dead_code.ir");
  const std::string text((std::istreambuf_iterator<char>(last)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, ir::to_text(*out));
  EXPECT_TRUE(std::filesystem::exists(folder + "/00_before.ir"));
  EXPECT_EQ(passes().size(), 8u);
}

TEST(Optimize, verifies_what_a_pass_made) {
  ir::Function f;
  const ir::ValueId x = f.graph.add_parameter({DType::kF32, {2}}, "x");
  const ir::NodeId y = f.graph.add(kExp, {x}, ir::keep(*kExp.attrs, &kNoAttrs),
                                   {Type{DType::kF32, {3}}}, {.name = "y"});
  f.results = {f.graph.node(y).outputs[0]};
  try {
    optimize(f, {.verifies = true});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "graph: in function @f, %y: gives f32[2], but the graph says f32[3] "
                 "[graph.verify]\n  after the pass inline_calls");
  }
}

}  // namespace
}  // namespace weft::compile
