// Summaries: the table, what is counted, and that the model stays as it was. tests/nn compares the
// tables of all layers with Python's.
#include <gtest/gtest.h>

#include "weft/weft.h"

namespace weft::nn {
namespace {

struct Branches : Module<Branches> {
  Linear left{4, 2}, right{4, 2, {.bias = false}};
  Sequential tail{{ReLU(), Linear(kInferred, 1)}};
  static constexpr auto fields =
      fields_of(field("left", &Branches::left), field("right", &Branches::right),
                field("tail", &Branches::tail));
  std::pair<Tensor, Tensor> forward(const Tensor& a, const Tensor& b) const {
    const Tensor x = left(a), y = right(b);
    return {tail(x + y), y};
  }
};

struct Own : Module<Own> {
  Tensor operator()(const Tensor& x) const { return x; }
};

TEST(Summary, Table) {
  Sequential model({Linear(784, 128), ReLU(), Dropout(0.5), Linear(128, 10)});
  model.get<Linear>(0).freeze();
  EXPECT_EQ(text(model.summary(Shape{32, 784})),
            "module        result     parameters  operations   memory\n"
            "--------------------------------------------------------\n"
            "Sequential    [32, 10]      101,770      6.51 M  50.5 KB\n"
            "  0: Linear   [32, 128]     100,480      6.43 M    32 KB\n"
            "  1: ReLU     [32, 128]                   4.1 k    16 KB\n"
            "  2: Dropout  [32, 128]\n"
            "  3: Linear   [32, 10]        1,290      82.2 k   2.5 KB\n"
            "--------------------------------------------------------\n"
            "101,770 parameters, 100,480 of them frozen; 6.51 M operations a call; 50.5 KB of "
            "results");
}

TEST(Summary, SeveralInputsAndResultsAndSizesLeftOut) {
  Branches model;
  const Summary seen = model.summary(Shape{3, 4}, ones({3, 4}));
  ASSERT_EQ(seen.rows.size(), 6);
  EXPECT_EQ(seen.rows[0].type, "Branches");
  EXPECT_EQ(seen.rows[0].results, "[3, 1], [3, 2]");
  EXPECT_EQ(seen.rows[5].name, "tail.1");
  EXPECT_EQ(seen.rows[5].parameters, 3);  // known by the call
  EXPECT_EQ(seen.parameters, 10 + 8 + 3);
  EXPECT_EQ(seen.frozen, 0);
  EXPECT_EQ(seen.operations, seen.rows[0].operations);
  EXPECT_EQ(seen.rows[3].operations, seen.rows[4].operations + seen.rows[5].operations);
  // Two products and a bias, the sum, and what follows.
  EXPECT_EQ(seen.operations, 2 * (2 * 3 * 2 * 4) + 3 * 2 + 3 * 2 + seen.rows[3].operations);
}

TEST(Summary, ShapesInBraces) {
  Branches model;
  EXPECT_EQ(model.summary({3, 4}, {3, 4}).rows[0].results, "[3, 1], [3, 2]");
  EXPECT_EQ(text(model.summary(Shape{3, 4}, Shape{3, 4})), text(model.summary({3, 4}, {3, 4})));
  EXPECT_EQ(Linear(4, 2).summary({3, 4}).rows[0].results, "[3, 2]");
}

TEST(Summary, LeavesTheModelAsItWas) {
  Sequential model({Linear(2, 2), BatchNorm1d(2), Dropout(0.5)});
  model.get<Dropout>(2).eval();
  const std::string before = fingerprint(model);
  model.summary(Shape{4, 2});
  EXPECT_EQ(fingerprint(model), before);  // no statistics
  EXPECT_TRUE(model.training);
  EXPECT_FALSE(model.get<Dropout>(2).training);
  for (ModuleBase* const one : model.modules()) EXPECT_TRUE(one->hooks().empty());
  EXPECT_THROW(model.summary(Shape{4, 3}), Error);
  EXPECT_TRUE(model.get<BatchNorm1d>(1).training);
  for (ModuleBase* const one : model.modules()) EXPECT_TRUE(one->hooks().empty());
}

TEST(Summary, NeedsForward) {
  Sequential model({Own()});
  try {
    model.summary(Shape{1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "Module: Own has an operator() of its own, which hooks do not see; name it forward, "
              "and Module calls it [Module.forward]");
  }
}

TEST(Draw, Layers) {
  Sequential model({Linear(784, 128), ReLU(), Linear(kInferred, 10)});
  const std::string svg = draw(model, {}, Shape{32, 784});
  for (const char* piece : {">Sequential: 101,770 parameters<", ">Linear<", ">ReLU<",
                            ">in   f32[32, 784]<", ">out  f32[32, 10]<", ">1,290 parameters<"}) {
    EXPECT_NE(svg.find(piece), std::string::npos) << piece;
  }
  Branches two;
  EXPECT_NE(draw(two, {.depth = 0}, Shape{3, 4}, ones({3, 4})).find(">right<"), std::string::npos);
  EXPECT_TRUE(two.training);
}

}  // namespace
}  // namespace weft::nn
