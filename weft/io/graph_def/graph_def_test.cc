// GraphDefs: the listing of the lecture notes, names, constants, what cannot be written.
#include "weft/io/graph_def/graph_def.h"

#include <gtest/gtest.h>

#include "weft/runtime/graph.h"
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
    staged([](const Graph& g) { sort(g.placeholder(DType::kF32, {3}, "x")); });
    ADD_FAILURE() << "nothing was raised";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "graph_def: Sort is sort, which has no counterpart in TensorFlow [graph_def.op]");
  }
}

TEST(GraphDef, names_that_tensorflow_takes) {
  const GraphDef def =
      staged([](const Graph& g) { exp(g.placeholder(DType::kF32, {3}, "_my x:0")); });
  EXPECT_EQ(def.node[0].name, "n_my_x_0");
}

}  // namespace
}  // namespace weft::io
