// Programs that say `using namespace weft` have common names for their own structs.
#include <gtest/gtest.h>

#include "weft/weft.h"

using namespace weft;

struct Block : nn::Module<Block> {
  nn::Linear inner{4, 4};
  static constexpr auto fields = fields_of(nn::field("inner", &Block::inner));
  Tensor forward(const Tensor& x) const { return x + relu(inner(x)); }
};
struct Plan {
  int64_t epochs = 1;
};
struct Node {
  std::vector<Node> below;
};
struct Edge {
  Node *from = nullptr, *to = nullptr;
};
struct Field {
  double strength = 2;
};
struct Context {
  Plan plan;
};
struct Source {
  Tensor x = ones({6, 4});
};
struct Sink {
  std::vector<double> losses;
};
struct Parameter {
  Variable value{ones({2})};
};
struct State {
  Tensor position = zeros({2}), speed = ones({2});
};

TEST(UserNames, AreTheUsers) {
  const Context context{Plan{2}};
  const Node tree{{Node{}, Node{}}};
  const Edge edge;
  Sink sink;
  Block block;
  train::Model model(block);
  model.compile("sgd", [](const Tensor& out) { return sum(out) * Field().strength; });
  const train::History history =
      model.fit(Source().x, {.epochs = context.plan.epochs, .verbose = 0});
  sink.losses = history["loss"];
  EXPECT_EQ(sink.losses.size(), tree.below.size());
  EXPECT_EQ(edge.from, nullptr);
  EXPECT_EQ(Parameter().value.shape(), (Shape{2}));
  EXPECT_EQ(State().position.numel(), State().speed.numel());
  EXPECT_EQ(block.named_parameters()[0].first, "inner.weight");
}
