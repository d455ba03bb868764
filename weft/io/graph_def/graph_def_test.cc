// GraphDefs: the listing of the lecture notes, names, constants, what cannot be written.
#include "weft/io/graph_def/graph_def.h"

#include <gtest/gtest.h>

#include "weft/runtime/graph.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft::io {
namespace {

const NodeDef& find(const GraphDef& def, std::string_view name) {
  for (const NodeDef& node : def.node) {
    if (node.name == name) return node;
  }
  static const NodeDef none;
  ADD_FAILURE() << "there is no node " << name << " in\n" << def.text();
  return none;
}

template <class F>
GraphDef staged(F build, const GraphDefOptions& options = {}) {
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    build(graph);
  }
  return graph_def(graph.staging().graph(), options);
}

TEST(GraphDef, listing_of_the_notes) {
  const GraphDef def = staged([](const Graph&) { add(Tensor(3), Tensor(5)); });
  ASSERT_EQ(def.node.size(), 3u);
  EXPECT_EQ(def.node[0].name, "Add/x");
  EXPECT_EQ(def.node[0].op, "Const");
  EXPECT_EQ(def.node[1].name, "Add/y");
  EXPECT_EQ(def.node[2].name, "Add");
  EXPECT_EQ(def.node[2].op, "AddV2");
  EXPECT_EQ(def.node[2].input, (std::vector<std::string>{"Add/x", "Add/y"}));
  EXPECT_EQ(std::get<DataType>(def.node[2].attr.at("T")), DataType::kInt64);
  EXPECT_TRUE(def.text().starts_with(
      "node {\n  name: \"Add/x\"\n  op: \"Const\"\n  attr {\n    key: \"dtype\"\n    value {\n"
      "      type: DT_INT64\n    }\n  }\n  attr {\n    key: \"value\"\n    value {\n"
      "      tensor {\n        dtype: DT_INT64\n        tensor_shape {\n        }\n"
      "        int64_val: 3\n      }\n    }\n  }\n}\nnode {\n  name: \"Add/y\""))
      << def.text();
}

TEST(GraphDef, bytes_are_protobuf) {
  GraphDef def;
  def.node.push_back({"a", "NoOp", {"^b"}, "", {{"N", int64_t{300}}}});
  def.producer = 5;
  EXPECT_EQ(def.bytes(), std::string("\x0a\x17\x0a\x01"
                                     "a\x12\x04NoOp\x1a\x02^b*\x08\x0a\x01N\x12\x03\x18\xac\x02"
                                     "\x22\x02\x08\x05"));
}

TEST(GraphDef, attributes_become_inputs) {
  const GraphDef def = staged([](const Graph& g) {
    sum(g.placeholder(DType::kF32, {Dim::symbol("n"), 3}, "x"), Ints{1}, true);
  });
  EXPECT_EQ(std::get<TensorShape>(find(def, "x").attr.at("shape")), (TensorShape{{-1, 3}}));
  EXPECT_EQ(find(def, "Sum").input, (std::vector<std::string>{"x", "Sum/reduction_indices"}));
  EXPECT_TRUE(std::get<bool>(find(def, "Sum").attr.at("keep_dims")));
  EXPECT_EQ(std::get<Tensor>(find(def, "Sum/reduction_indices").attr.at("value")).dtype(),
            DType::kI32);
}

TEST(GraphDef, variables_are_resources_or_constants) {
  const Variable v(tensor({1.0f, 2.0f}), {.name = "v"});
  const auto build = [&](const Graph&) { v.assign(v.read() * 2.0); };
  const GraphDef def = staged(build);
  EXPECT_EQ(find(def, "v").op, "VarHandleOp");
  EXPECT_EQ(find(def, "v/Assign").input, (std::vector<std::string>{"v", "v/initial_value"}));
  EXPECT_EQ(find(def, "init").input, (std::vector<std::string>{"^v/Assign"}));
  EXPECT_EQ(find(def, "ReadVariable").op, "ReadVariableOp");
  EXPECT_EQ(find(def, "AssignVariable/Assign").op, "AssignVariableOp");
  const auto reads = [&](const Graph&) { exp(v.read()); };
  EXPECT_EQ(find(staged(reads, {.variables_as_constants = true}), "ReadVariable").op, "Const");
  EXPECT_THROW(staged(build, {.variables_as_constants = true}), Error);
}

TEST(GraphDef, sizes_of_a_run) {
  const GraphDef def = staged([](const Graph& g) {
    const Dim n = Dim::symbol("n");
    const Tensor x = g.placeholder(DType::kF32, {n, 3}, "x");
    broadcast_to(sum(x), {n, 3});
    reshape(x, {n * 3});
  });
  EXPECT_EQ(find(def, "BroadcastTo/shape").op, "Pack");
  EXPECT_EQ(find(def, "BroadcastTo/shape/0").op, "StridedSlice");
  EXPECT_EQ(find(def, "Reshape/shape").op, "Const");
}

TEST(GraphDef, what_has_no_counterpart) {
  try {
    staged([](const Graph& g) { linalg::eigh(g.placeholder(DType::kF32, {3, 3}, "x")); });
    ADD_FAILURE() << "nothing was raised";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "graph_def: Eigh is linalg.eigh, which has no counterpart in TensorFlow "
                 "[graph_def.op]");
  }
}

const FunctionDef& function_named(const GraphDef& def, const AttrValue& name) {
  for (const FunctionDef& function : def.function) {
    if (function.name == std::get<FunctionName>(name).name) return function;
  }
  static const FunctionDef none;
  ADD_FAILURE() << "there is no such function in\n" << def.text();
  return none;
}

TEST(GraphDef, conditions_name_functions) {
  const GraphDef def = staged([](const Graph& g) {
    const Tensor x = g.placeholder(DType::kF32, {3}, "x");
    cond(sum(x) > 0.0, [&] { return exp(x); }, [&] { return x * 2.0; });
  });
  const NodeDef& node = find(def, "Switch");
  EXPECT_EQ(node.op, "StatelessIf");
  EXPECT_EQ(std::get<std::vector<DataType>>(node.attr.at("Tin")),
            (std::vector<DataType>{DataType::kFloat}));
  EXPECT_EQ(std::get<std::vector<TensorShape>>(node.attr.at("output_shapes")),
            (std::vector<TensorShape>{{{3}}}));
  const FunctionDef& then = function_named(def, node.attr.at("then_branch"));
  ASSERT_EQ(then.node.size(), 1u);
  EXPECT_EQ(then.node[0].op, "Exp");
  EXPECT_EQ(then.node[0].input, (std::vector<std::string>{then.input[0].name}));
  EXPECT_EQ(then.ret, (std::vector<std::string>{then.node[0].name + ":y:0"}));
  EXPECT_FALSE(then.is_stateful);
  EXPECT_EQ(def.function.size(), 2u);
}

TEST(GraphDef, loops_go_on_with_all_they_read) {
  const GraphDef def = staged([](const Graph& g) {
    const Tensor x = g.placeholder(DType::kF32, {3}, "x");
    while_loop([](Tensor i, Tensor) { return i < 5; },
               [&](Tensor i, Tensor r) { return std::tuple(i + 1, r * x); },
               std::tuple(Tensor(0), x));
  });
  const NodeDef& node = find(def, "While/loop");
  EXPECT_EQ(node.op, "StatelessWhile");
  EXPECT_EQ(std::get<std::vector<DataType>>(node.attr.at("T")),
            (std::vector<DataType>{DataType::kInt64, DataType::kFloat, DataType::kFloat}));
  const FunctionDef& body = function_named(def, node.attr.at("body"));
  ASSERT_EQ(body.ret.size(), 3u);
  EXPECT_EQ(body.ret[2], body.input[2].name);
  EXPECT_EQ(find(def, "While").op, "IdentityN");
  EXPECT_EQ(find(def, "While").input, (std::vector<std::string>{"While/loop", "While/loop:1"}));
}

TEST(GraphDef, checks_make_functions_stateful) {
  const GraphDef def = staged([](const Graph& g) {
    const Tensor x = g.placeholder(DType::kF32, {}, "x");
    const auto checked = [&] {
      assert_true(x < 9.0, "too great");
      return x;
    };
    cond(x > 0.0, checked, [&] { return -x; });
  });
  EXPECT_EQ(find(def, "Switch").op, "If");
  EXPECT_TRUE(function_named(def, find(def, "Switch").attr.at("then_branch")).is_stateful);
  EXPECT_NE(def.text().find("string_val: \"too great\""), std::string::npos);
}

// TensorFlow has no formats of numbers; its placeholder is one that the text does not have.
TEST(GraphDef, texts_with_values) {
  const GraphDef def = staged([](const Graph& g) {
    const Tensor x = g.placeholder(DType::kF32, {}, "x");
    print_values("{{}} x is {:.2f}", Tensors{x});
    assert_true(x < 9.0, "{:.1f} is too great", Tensors{x}, Where::here());
  });
  const std::string all = def.text();
  EXPECT_NE(all.find("\"{} x is {-}\""), std::string::npos) << all;
  EXPECT_NE(all.find("string_val: \"{} is too great\""), std::string::npos);
}

TEST(GraphDef, functions_are_protobuf) {
  GraphDef def;
  FunctionDef f;
  f.name = "f";
  f.input = {{"x", DataType::kFloat}};
  f.output = {{"y", DataType::kFloat}};
  f.ret = {"x"};
  f.is_stateful = true;
  def.function.push_back(f);
  def.producer = 5;
  EXPECT_EQ(def.bytes(),
            std::string("\x12\x20\x0a\x1e\x0a\x14\x0a\x01"
                        "f\x12\x05\x0a\x01x\x18\x01\x1a\x05\x0a\x01y\x18\x01\x88\x01\x01"
                        "\x22\x06\x0a\x01y\x12\x01x\x22\x02\x08\x05"));
  EXPECT_EQ(def.text(),
            "library {\n  function {\n    signature {\n      name: \"f\"\n      input_arg {\n"
            "        name: \"x\"\n        type: DT_FLOAT\n      }\n      output_arg {\n"
            "        name: \"y\"\n        type: DT_FLOAT\n      }\n      is_stateful: true\n"
            "    }\n    ret {\n      key: \"y\"\n      value: \"x\"\n    }\n  }\n}\n"
            "versions {\n  producer: 5\n}\n");
}

TEST(GraphDef, sizes_that_are_sums) {
  const GraphDef def = staged([](const Graph& g) {
    const Dim n = Dim::symbol("n");
    broadcast_to(sum(g.placeholder(DType::kF32, {n, 3}, "x")), {2 * n + 1, floor_div(n, 2)});
  });
  EXPECT_EQ(find(def, "BroadcastTo/shape/0/AddV2").op, "AddV2");
  EXPECT_EQ(find(def, "BroadcastTo/shape/1/FloorDiv").op, "FloorDiv");
}

TEST(GraphDef, names_that_tensorflow_takes) {
  const GraphDef def =
      staged([](const Graph& g) { exp(g.placeholder(DType::kF32, {3}, "_my x:0")); });
  EXPECT_EQ(def.node[0].name, "n_my_x_0");
}

}  // namespace
}  // namespace weft::io
