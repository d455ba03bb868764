// Saver: nodes that save and restore the Variables of a graph.
#include "weft/io/saver/saver.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/base/folder.h"
#include "weft/base/test_folder.h"
#include "weft/io/graph_def/graph_def.h"
#include "weft/io/save.h"
#include "weft/io/saver/checkpoint_state.h"
#include "weft/weft.h"

namespace weft {
namespace {

class SaverTest : public testing::Test {
 protected:
  SaverTest() {
    const Graph::Scope scope(graph_);
    w_ = graph_.variable(zeros({2}), {.name = "w"});
    b_ = graph_.variable(ones({1}), {.name = "layer/b"});
    step_ = graph_.assign_add(w_, ones({2}));
    sum_ = w_ + b_;
  }
  std::string path(std::string_view name) const { return text(folder_, "/", name); }
  std::vector<float> w() const { return w_.value().to_vector<float>(); }

  const TestFolder made_;
  const std::string& folder_ = made_.path();
  Graph graph_;
  Variable w_, b_;
  Tensor step_, sum_;
};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return text(error.op, ": ", error.message, " [", error.op, ".", error.law, "]");
  }
  return "no error";
}

TEST_F(SaverTest, saves_and_restores) {
  const Saver saver(graph_);
  const Session session(graph_);
  session.run({step_});
  EXPECT_EQ(saver.save(session, path("model"), 100), path("model-100"));
  session.run({step_});
  EXPECT_EQ(w(), (std::vector<float>{2, 2}));
  saver.restore(session, path("model-100"));
  EXPECT_EQ(w(), (std::vector<float>{1, 1}));
  EXPECT_EQ(latest_checkpoint(folder_), path("model-100"));
  EXPECT_EQ(names_in(folder_), (std::vector<std::string>{"checkpoint", "model-100"}));
  const TensorDict tensors = load(path("model-100"));
  EXPECT_EQ(tensors.at("w").to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_TRUE(tensors.contains("layer/b"));
}

TEST_F(SaverTest, keeps_the_last_files) {
  const Saver saver(graph_, std::vector<Variable>{}, {.max_to_keep = 2});
  const Session session(graph_);
  EXPECT_EQ(latest_checkpoint(folder_), std::nullopt);
  write_file_atomically(path(".weft-saver-model-7"), "left by a save that was killed");
  for (int64_t step = 1; step <= 4; ++step) saver.save(session, path("model"), step);
  EXPECT_EQ(names_in(folder_), (std::vector<std::string>{"checkpoint", "model-3", "model-4"}));
  EXPECT_EQ(read_file(path("checkpoint")),
            "model_checkpoint_path: \"model-4\"\nall_model_checkpoint_paths: \"model-3\"\n"
            "all_model_checkpoint_paths: \"model-4\"\n");
  EXPECT_EQ(saver.last_checkpoints(), (std::vector<std::string>{path("model-3"), path("model-4")}));
}

TEST_F(SaverTest, is_part_of_the_text_and_the_graph_def) {
  const Saver saver(graph_);
  const std::string printed = graph_.text();
  EXPECT_NE(printed.find("save_tensors"), std::string::npos);
  EXPECT_NE(printed.find("values=\"w: f32[2], layer/b: f32[1]\""), std::string::npos) << printed;
  const Graph again = Graph::parse(printed, {{"w", w_}, {"layer/b", b_}});
  EXPECT_EQ(again.text(), printed);

  const io::GraphDef def = io::graph_def(graph_.staging().graph());
  std::map<std::string, const io::NodeDef*> nodes;
  for (const io::NodeDef& node : def.node) nodes[node.name] = &node;
  ASSERT_TRUE(nodes.contains("save/SaveTensors") && nodes.contains("save/RestoreTensors"));
  EXPECT_EQ(nodes["save/SaveTensors"]->op, "SaveV2");
  EXPECT_EQ(nodes["save/SaveTensors"]->input[0], "save/path");
  EXPECT_EQ(nodes["save/SaveTensors"]->input.size(), 5u);
  EXPECT_EQ(nodes["save/RestoreTensors"]->op, "RestoreV2");
  EXPECT_EQ(std::get<io::DataType>(nodes["save/path"]->attr.at("dtype")), io::DataType::kString);
  EXPECT_EQ(std::get<io::Texts>(nodes["save/SaveTensors/tensor_names"]->attr.at("value")).items,
            (std::vector<std::string>{"w", "layer/b"}));
  EXPECT_NE(def.text().find("string_val: \"layer/b\""), std::string::npos);
}

TEST_F(SaverTest, a_graph_that_was_read_back_saves_too) {
  const Saver saver(graph_);
  Graph again = Graph::parse(graph_.text(), {{"w", w_}, {"layer/b", b_}});
  const ir::Graph& nodes = again.staging().graph();
  const Tensor place = again.staging().tensor_of(nodes.find_value("save/path"));
  const Session session(again);
  const auto bytes = [](std::string_view text) {
    return Tensor::from_bytes(DType::kU8, Shape{static_cast<int64_t>(text.size())}, bytes_in(text));
  };
  session.run(Operation{nodes.find_node("save/SaveTensors")}, {{place, bytes(path("a"))}});
  w_.assign(ones({2}));
  session.run(Operation{nodes.find_node("save/restore_all")}, {{place, bytes(path("a"))}});
  EXPECT_EQ(w(), (std::vector<float>{0, 0}));
}

TEST_F(SaverTest, says_what_does_not_fit) {
  const Saver saver(graph_);
  const Session session(graph_);
  save(path("other"), {{"w", ones({3})}, {"layer/b", ones({1})}});
  EXPECT_EQ(error_of([&] { saver.restore(session, path("other")); }),
            text("Saver: '", path("other"),
                 "' has f32[3] for 'w', but the Variable holds f32[2] "
                 "[Saver.type]"));
  save(path("other"), {{"w", ones({2})}});
  EXPECT_EQ(error_of([&] { saver.restore(session, path("other")); }),
            text("Saver: '", path("other"),
                 "' has no value for 'layer/b'; restore those that it "
                 "has by a Saver of their own [Saver.missing]"));
  EXPECT_EQ(w(), (std::vector<float>{0, 0}));  // nothing was assigned
  EXPECT_EQ(error_of([&] { Saver(graph_, std::vector<Variable>{w_, w_}); }),
            "Saver: two variables have the name 'w'; give them names of their own, or save them "
            "by names [Saver.names]");
  EXPECT_EQ(error_of([&] { Saver empty{Graph()}; }),
            "Saver: there are no variables to save; make the Saver when the graph has them "
            "[Saver.variables]");
  EXPECT_EQ(error_of([&] { io::parse_checkpoint_state("a: 1", "f"); }).substr(0, 39),
            "latest_checkpoint: 'f' cannot be read: ");
}

}  // namespace
}  // namespace weft
