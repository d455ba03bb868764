// The text of functions: what prints reads back equal, and what does not read says where.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "weft/control/control.h"
#include "weft/core/literal.h"
#include "weft/ir/print.h"
#include "weft/op/registry.h"
#include "weft/runtime/graph.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft {
namespace {

// Texts name the ops of graphs, which a Graph registers.
const Graph kFirst;

std::string round_trip(const std::string& source) {
  const ir::Document document = ir::parse(source);
  return ir::to_text(*document.main(), {}, document.lists);
}

std::string raised(const std::string& source) {
  try {
    ir::parse(source);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "nothing";
}

// A text whose only node is this one, of two f32[n, 2] parameters.
std::string with_node(const std::string& node, const std::string& result = "f32[n, 2]") {
  return text("weft 1\n\nfunction @f(%a: f32[n, 2], %b: f32[n, 2]) -> (", result, ") {\n  ", node,
              "\n  return %c\n}\n");
}

TEST(IrText, constants_of_every_dtype) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::string texts[] = {"bool[2] [true, false]",
                               "u8[1] [255]",
                               "i8[1] [-128]",
                               "u16[1] [65535]",
                               "i16[1] [-32768]",
                               "u32[1] [4294967295]",
                               "i32[] [-5]",
                               "u64[1] [18446744073709551615]",
                               "i64[1] [-9223372036854775808]",
                               "f16[4] [0.5, -inf, nan, 65504]",
                               "bf16[2] [1.5, -0]",
                               "f32[5] [inf, -inf, nan, -0, 1e-45]",
                               "f64[2] [0.1, 5e-324]",
                               "c64[3] [1+2j, -0-infj, nan+nanj]",
                               "c128[] [0.1-0.25j]",
                               "f32[0] []",
                               "f32[2, 0, 3] []",
                               "f32[1] 0x0000c07f01",
                               "i64[3, 1] [1, 2, 3]"};
  for (const std::string& literal : texts) {
    const std::string type = literal.substr(0, literal.find(']') + 1);
    const std::string source =
        text("weft 1\n\nfunction @f() -> (", type, ") {\n  %c = constant() {value=", literal,
             "} : ", type, "\n  return %c\n}\n");
    if (literal == "f32[1] 0x0000c07f01") {  // one byte too many
      EXPECT_EQ(raised(source), "graph: expected ',' at line 4, column 43 [graph.parse]");
    } else {
      EXPECT_EQ(round_trip(source), source);
    }
  }
  // A NaN that is not the usual one keeps its bits.
  std::string out;
  append_literal(out, Tensor::from_bytes(DType::kF32, Shape{1},
                                         std::as_bytes(std::span("\x01\x00\xc0\x7f", 4))));
  EXPECT_EQ(out, "f32[1] 0x0100c07f");
  out.clear();
  append_literal(out, tensor({inf, nan, -0.0f}));
  EXPECT_EQ(out, "f32[3] [inf, nan, -0]");
}

TEST(IrText, many_elements_are_bytes) {
  Graph graph;
  {
    const Graph::Scope scope(graph);
    exp(random::normal(random::Key(1), {10, 10}));
  }
  const std::string source = graph.text();
  EXPECT_EQ(round_trip(source), source);
}

TEST(IrText, names_in_quotes) {
  const std::string source =
      "weft 1\n\n"
      "variable @\"w \\\"1\\\"\": f32[2]\n\n"
      "function @\"a function\"(%\"my x\": f32[2], %\"a:1\": f32[2], %\"naïve\": f32[2]) -> "
      "(f32[2]) {\n"
      "  %r = read_variable() {variable=@\"w \\\"1\\\"\"} : f32[2] on \"cpu \\\"0\\\"\" at "
      "\"a \\\"file\\\".py:3\"\n"
      "  %s/Add = add(%\"my x\", %\"a:1\") : f32[2] after %r\n"
      "  %\"\\x07\" = add(%s/Add, %r) : f32[2]\n"
      "  return %\"\\x07\"\n"
      "}\n";
  EXPECT_EQ(round_trip(source), source);
}

TEST(IrText, sizes) {
  for (const char* const size :
       {"n", "2*n+1", "floor((n+1)/2)", "floor((n)/(m+1))", "max(m,n)", "?nonzero.3", "m*n^2",
        "-floor((-n)/2)", "m-n+3", "2*max(m,n)*n", "floor((floor((n)/2)+1)/m)"}) {
    const std::string source = text("weft 1\n\nfunction @f(%a: f32[n, m], %b: f32[", size,
                                    "]) -> (f32[", size, "]) {\n  return %b\n}\n");
    EXPECT_EQ(round_trip(source), source);
  }
}

TEST(IrText, sizes_read_alike_in_any_order) {
  const Dim b = Dim::symbol("order_b"), a = Dim::symbol("order_a");
  EXPECT_EQ(to_string(b * a), "order_a*order_b");
  EXPECT_EQ(to_string(b + a), "order_a+order_b");
  EXPECT_EQ(to_string(max(b, a)), "max(order_a,order_b)");
  EXPECT_EQ(parse_dim("order_b+order_a"), a + b);
  EXPECT_EQ(parse_dim("max(order_b,order_a)"), max(a, b));
}

TEST(IrText, comments_and_blanks) {
  const std::string plain = with_node("%c = add(%a, %b) : f32[n, 2]");
  const std::string noted =
      text("// a note\n", with_node("// another %x\n\t%c =add( %a,%b ):f32[ n,2 ]"));
  EXPECT_EQ(round_trip(noted), plain);
}

TEST(IrText, index_items) {
  const OpEntry* const op = find_op("slice");
  ASSERT_NE(op, nullptr);
  for (const FieldInfo& field : op->attrs->fields) {
    if (field.type != FieldType::kIndex) continue;
    for (const char* const items : {"[]", "[1, -2]", "[::-1, 1:, :3, 1:3:2]", "[newaxis, ...]"}) {
      const std::string attrs = text(field.name, '=', items);
      const AnyAttrs read = parse_attrs(*op->attrs, attrs);
      EXPECT_NE(print_attrs(*op->attrs, read.data()).find(attrs), std::string::npos);
    }
  }
}

// Of every op, its defaults in a node: what the verifier thinks of the node is another matter.
TEST(IrText, attributes_of_every_op) {
  for (const OpEntry* const entry : registered_ops()) {
    if (entry->op == nullptr || entry->attrs->fields.empty()) continue;
    const AttrsType& type = *entry->attrs;
    const AnyAttrs defaults(&type);
    const std::string printed = print_attrs(type, defaults.data());
    const AnyAttrs read = parse_attrs(type, printed);
    EXPECT_TRUE(equal_attrs(type, defaults.data(), read.data())) << printed;
    const std::string source =
        with_node(text("%c = ", entry->qualified_name(), "(%a) {", printed, "} : f32[n, 2]"));
    const std::string error = raised(source);
    EXPECT_EQ(error.find("[graph.parse]"), std::string::npos) << source << error;
    if (error == "nothing") {
      EXPECT_EQ(round_trip(source), source);
    }
  }
}

TEST(IrText, attributes_that_are_easily_lost) {
  const AttrsType& type = *find_op("sum")->attrs;
  const AnyAttrs sum = parse_attrs(type, "axis=[0, -1], dtype=float16, keepdims=true");
  EXPECT_EQ(print_attrs(type, sum.data()), "axis=[0, -1], dtype=float16, keepdims=true");
  const AttrsType& close = *find_op("isclose")->attrs;
  for (const char* const given :
       {"rtol=inf, atol=-inf, equal_nan=true", "rtol=nan, atol=1e-300, equal_nan=false"}) {
    const AnyAttrs read = parse_attrs(close, given);
    EXPECT_EQ(print_attrs(close, read.data()), given);
    const AnyAttrs again = parse_attrs(close, given);
    EXPECT_TRUE(equal_attrs(close, read.data(), again.data()));
  }
  const AttrsType& einsum = *find_op("einsum")->attrs;
  const char* const odd = "equation=\"a \\\"b\\\" \\\\ {c}, \\n\\t\\x01 d\"";
  EXPECT_EQ(print_attrs(einsum, parse_attrs(einsum, odd).data()), odd);
  const AttrsType& reshape = *find_op("reshape")->attrs;
  const char* const sizes = "shape=[floor((n+1)/2), max(a,b), ?found.3, -1, 2*n^2]";
  EXPECT_EQ(print_attrs(reshape, parse_attrs(reshape, sizes).data()), sizes);
}

TEST(IrText, functions_inside) {
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {Dim::symbol("n")}, "x");
    const Tensors start{Tensor::scalar(DType::kI64, 0), x};
    while_flat([](TensorSpan s) { return Tensors{s[0] < 3}; },
               [](TensorSpan s) { return Tensors{s[0] + 1, s[1] * s[1]}; }, start, {},
               Where::here());
  }
  const std::string source = graph.text();
  EXPECT_EQ(round_trip(source), source);
}

TEST(IrText, what_cannot_be_read) {
  const auto node = [](const std::string& n) { return raised(with_node(n)); };
  EXPECT_EQ(raised(""), "graph: expected 'weft ' at line 1, column 1 [graph.parse]");
  EXPECT_EQ(raised("weft 9\n"),
            "graph: the text is of version 9, and this library reads versions 1 to 2 at line 1, "
            "column 7 [graph.parse]");
  EXPECT_EQ(raised("weft 1\n"), "graph: there is no function at line 2, column 1 [graph.parse]");
  EXPECT_EQ(
      node("%c = frobnicate(%a) : f32[n, 2]"),
      "graph: there is no op frobnicate; an op of your own is registered first, and functions "
      "with rules of their own cannot be read back at line 4, column 8 [graph.parse]");
  EXPECT_EQ(
      node("%c = mean(%a) : f32[n, 2]"),
      "graph: mean is made of other ops and is none itself at line 4, column 8 [graph.parse]");
  EXPECT_EQ(node("%c = add(%a, %d) : f32[n, 2]"),
            "graph: there is no value %d above at line 4, column 16 [graph.parse]");
  EXPECT_EQ(node("%c = add(%a, %b:1) : f32[n, 2]"),
            "graph: there is no value %b:1 above at line 4, column 16 [graph.parse]");
  EXPECT_EQ(node("%a = add(%a, %b) : f32[n, 2]"),
            "graph: %a is there already at line 4, column 3 [graph.parse]");
  EXPECT_EQ(node("%c = sum(%a) {axis=[x]} : f32[2]"),
            "graph: expected a number that fits at line 4, column 23 [graph.parse]");
  EXPECT_EQ(node("%c = sum(%a) {depth=1} : f32[2]"),
            "graph: there is no attribute 'depth' at line 4, column 17 [graph.parse]");
  EXPECT_EQ(node("%c = add(%a, %b) : f31[n]"),
            "graph: expected a type at line 4, column 22 [graph.parse]");
  EXPECT_EQ(node("%c = add(%a, %b) : f32[-1]"),
            "graph: a size is at least 0 at line 4, column 26 [graph.parse]");
  EXPECT_EQ(node("%c = add(%a, %b) : f32[9999999999*9999999999]").substr(0, 7), "graph: ");
  EXPECT_EQ(node("%c = add(%a, %b) : f32[n, 2] after %z"),
            "graph: there is no op %z above at line 4, column 38 [graph.parse]");
  EXPECT_EQ(raised(with_node("%c = add(%a, %b) : f32[n, 2]", "f32[2]")),
            "graph: result 0 is f32[n, 2], but @f declares f32[2] at line 5, column 10 "
            "[graph.parse]");
}

TEST(IrText, variables_keep_their_types) {
  const std::string source =
      "weft 1\n\nvariable @w: f32[2]\n\nfunction @f() -> (f32[2]) {\n"
      "  %w = read_variable() {variable=@w} : f32[2]\n  return %w\n}\n";
  const Variable w(tensor({1.0f, 2.0f}), {.name = "w"});
  const ir::Document document = ir::parse(source, {{"w", w}});
  EXPECT_TRUE(document.variables.at("w").same_place(w));
  const Variable other(tensor({1.0f}), {.name = "w"});
  EXPECT_THROW(ir::parse(source, {{"w", other}}), Error);
  // One that is not given is zeros, and takes no memory while it is large.
  const std::string large =
      "weft 1\nvariable @w: f64[100000, 100000] constant\n"
      "function @f() -> (f64[100000, 100000]) {\n"
      "  %w = read_variable() {variable=@w} : f64[100000, 100000]\n  return %w\n}\n";
  const ir::Document made = ir::parse(large);
  EXPECT_FALSE(made.variables.at("w").trainable());
  EXPECT_EQ(to_string(made.variables.at("w").shape()[0]), "100000");
}

Types nothing(const NoAttrs&, const InferCtx&, TypeSpan) { return {}; }
Tensors none(const NoAttrs&, TensorSpan, TypeSpan) { return {}; }
constinit const OpDef kMine{.name = "mine",
                            .module = "user",
                            .doc = "An op of one program.",
                            .inputs = {"x: any"},
                            .outputs = {},
                            .infer = rule<nothing>(),
                            .grad = derive::not_differentiable("it is a test"),
                            .batch = batch::broadcasting(),
                            .kernel = kernel::host<none>()};

// As custom functions are: they live in one program.
TEST(IrText, ops_that_are_not_registered_print) {
  ir::Function f;
  const auto x = f.graph.add_parameter({DType::kF32, {2}}, "x");
  f.graph.add(kMine, {x}, new_shared<const AnyAttrs>(kMine.attrs), {}, {});
  const std::string printed = ir::to_text(f);
  EXPECT_EQ(
      printed,
      "weft 1\n\nfunction @f(%x: f32[2]) -> () {\n  %mine = user.mine(%x) : ()\n  return\n}\n");
  EXPECT_EQ(raised(printed),
            "graph: there is no op user.mine; an op of your own is registered first, and functions "
            "with rules of their own cannot be read back at line 4, column 11 [graph.parse]");
}

TEST(IrText, functions_do_not_nest_without_end) {
  std::string source = "weft 1\n\nfunction @f0(%x: f32[2]) -> (f32[2]) {\n  return %x\n}\n";
  for (int i = 1; i < 1000; ++i) {
    source += text("function @f", i, "(%x: f32[2]) -> (f32[2]) {\n  %y = call(%x) {function=@f",
                   i - 1, "} : f32[2]\n  return %y\n}\n");
  }
  EXPECT_TRUE(raised(source).starts_with("graph: functions call each other deeper than 200 at "));
}

TEST(IrText, collections_and_unused_variables) {
  const std::string source =
      "weft 2\n\nvariable @w: f32[2]\nvariable @unused: f32[3]\n\n"
      "function @f(%a: f32[2]) -> () {\n"
      "  %w = read_variable() {variable=@w} : f32[2]\n"
      "  %all = no_op() : () after %w\n"
      "  collect \"a b\" %w, op %all, @unused\n"
      "  collect \"c\" %a\n"
      "  return\n}\n";
  EXPECT_EQ(round_trip(source), source);
  const ir::Lists lists = ir::parse(source).lists;
  EXPECT_EQ(lists.variables.size(), 2u);
  EXPECT_EQ(lists.collections.at("a b").size(), 3u);
  EXPECT_EQ(lists.collections.at("a b")[1].node, 1u);
  EXPECT_NE(raised("weft 3\n").find("this library reads versions 1 to 2"), std::string::npos);
}

}  // namespace
}  // namespace weft
