// Sequential, and functions that are traced with modules in them.
#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/weft.h"

namespace weft::nn {
namespace {

TEST(Sequential, CallsModulesAndFunctions) {
  const auto doubled = [](const Tensor& x) { return x * 2.0; };
  Sequential model({Linear(4, 8), relu, doubled});
  model.add(Linear(8, 2));
  EXPECT_EQ(model.size(), 4);
  const Tensor x = ones({3, 4});
  const Tensor by_hand = model.get<Linear>(3)(relu(model.get<Linear>(0)(x)) * 2.0);
  EXPECT_EQ(fingerprint(model(x)), fingerprint(by_hand));
  EXPECT_EQ(model.named_parameters()[2].first, "3.weight");
}

TEST(Sequential, DrawsItsKeysFromLeftToRight) {
  seed(5);
  Sequential model({Linear(2, 2), Linear(2, 2)});
  seed(5);
  const Linear first(2, 2), second(2, 2);
  EXPECT_EQ(fingerprint(model.get<Linear>(0)), fingerprint(first));
  EXPECT_EQ(fingerprint(model.get<Linear>(1)), fingerprint(second));
}

TEST(Sequential, ByName) {
  Sequential model(std::vector<Sequential::Named>{{"hidden", Linear(4, 8)}, {"out", Linear(8, 2)}});
  EXPECT_EQ(model.get<Linear>("out").out_features, 2);
  EXPECT_EQ(model.named_parameters()[0].first, "hidden.weight");
  EXPECT_EQ(error_of([&] { model["in"]; }),
            "Sequential: has no module 'in'; it has hidden, out [Sequential.name]");
  EXPECT_EQ(error_of([&] { model[2]; }),
            "Sequential: has no module 2; it has 2 [Sequential.index]");
  EXPECT_EQ(error_of([&] { model.get<Dropout>(0); }),
            "Sequential: module 0 is of another type [Sequential.type]");
}

TEST(Sequential, NumbersThatAreTaken) {
  Sequential model(std::vector<Sequential::Named>{{"1", Linear(2, 2)}});
  model.add(Linear(2, 2));
  EXPECT_EQ(model.named_parameters()[2].first, "2.weight");
  model.items.emplace_back("2", Linear(2, 2));
  EXPECT_EQ(
      error_of([&] { model.state_dict(); }),
      "Module: two Variables have the name '2.weight', so only one would be saved; give one of "
      "the modules or fields another name [Module.name]");
}

TEST(Sequential, CopiesHaveTheirOwnModes) {
  Sequential model({Linear(2, 2), Dropout(0.5)});
  Sequential copy = model;
  copy.eval();
  EXPECT_TRUE(model.get<Dropout>(1).training);
  EXPECT_FALSE(copy.get<Dropout>(1).training);
  EXPECT_TRUE(copy.get<Linear>(0).weight.same_place(model.get<Linear>(0).weight));
}

TEST(Function, FollowsParametersAndKeepsTheModeOfItsTrace) {
  Sequential model({Linear(3, 3), BatchNorm1d(3)});
  const Tensor x = random::normal(random::Key(0), {4, 3});
  const auto traced = function([&](const Tensor& in) { return model(in); });
  traced(x);
  EXPECT_EQ(model.get<BatchNorm1d>(1).num_batches_tracked.value().item_int(), 1);
  model.get<Linear>(0).weight.assign(zeros({3, 3}));
  model.get<Linear>(0).bias.assign(ones({3}));
  EXPECT_EQ(fingerprint(traced(x)), fingerprint(model(x)));
  model.eval();
  traced(x);  // still training: C++ does not watch what a trace has read
  EXPECT_EQ(model.get<BatchNorm1d>(1).num_batches_tracked.value().item_int(), 4);
  EXPECT_EQ(traced.trace_count(), 1);
}

}  // namespace
}  // namespace weft::nn
