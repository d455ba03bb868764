// Weights of examples where they meet several outputs, pictures and a model that is its own loss;
// and what callbacks measure.
#include <cmath>

#include "weft/train/test_models.h"

namespace weft::train {
namespace {

struct TwoHeads : nn::Module<TwoHeads> {
  nn::Linear left{4, 2}, right{4, 1};
  static constexpr auto fields =
      fields_of(nn::field("left", &TwoHeads::left), nn::field("right", &TwoHeads::right));
  std::pair<Tensor, Tensor> forward(const Tensor& x) const {
    const Tensor first = left(x), second = right(x);
    return {first, second};
  }
};

TEST(FitWeights, AreThoseOfAllOutputsOfAnExample) {
  const Points data(24);
  const Tensor weight = random::uniform(random::Key(4), {24}), z = zeros({24, 1});
  TwoHeads net;
  Model model(net);
  model.compile("adam", std::vector<Loss>{"cross_entropy", "mse"});
  const nn::CrossEntropyLoss first({.reduction = nn::Reduction::kNone});
  const Tensor a = first(net.left(data.x), data.y) * weight;
  const Tensor b = index(net.right(data.x), {kEllipsis, 0});
  const Tensor c = b * b * weight, left = mean(a), right = mean(c);
  const Examples given({data.x}, {data.y, z}, weight);
  EXPECT_NEAR(model.evaluate(given)["loss"], left.item() + right.item(), 1e-6);
  const std::string before = fingerprint(net.state_dict());
  model.fit(given, {.verbose = 0});
  EXPECT_NE(fingerprint(net.state_dict()), before);
}

TEST(FitWeights, OfClassesAndOfExamplesMeetInPictures) {
  nn::Linear layer(4, 3);
  Model model(layer);
  model.compile("adam", "cross_entropy");
  const Tensor x = random::normal(random::Key(1), {6, 5, 7, 4});
  const Tensor y = random::randint(random::Key(2), 0, 3, {6, 5, 7});
  const Tensor weight = random::uniform(random::Key(3), {6});
  const nn::CrossEntropyLoss loss({.reduction = nn::Reduction::kNone});
  const Tensor each = loss(layer(x), y);
  const Tensor by_class = where(y == 1, Tensor::scalar(DType::kF32, 3), 1.0);
  const Tensor by_example = expand_dims(expand_dims(weight, -1), -1);
  const Tensor wanted = mean(each * by_class * by_example);
  const ClassWeight classes{{1, 3.0}};
  EXPECT_NEAR(model.train_on_batch({x, y, weight}, classes)["loss"], wanted.item(), 1e-5);
  EXPECT_EQ(error_of([&] { model.train_on_batch({x, y, ones({6, 7})}, classes); }),
            "fit: there are weights of examples of shape [6, 7], and targets of [6, 5, 7]; it has "
            "a number for each example [fit.sample_weight]");
}

TEST(FitWeights, OfExamplesAreFiniteAndNotNegative) {
  nn::Linear layer(4, 1);
  Model model(layer);
  model.compile("sgd", "mse");
  const Tensor x = ones({3, 4}), y = ones({3, 1});
  const float wrong[] = {NAN, INFINITY, -0.5F};
  const char* const shown[] = {"nan", "inf", "-0.5"};
  for (size_t i = 0; i < 3; ++i) {
    const float values[] = {1, wrong[i], 0};
    const Tensor weight =
        Tensor::from_bytes(DType::kF32, Shape{3}, std::as_bytes(std::span(values)));
    const auto told = [&](const std::string& who) {
      return who + ": the weight of example 1 is " + shown[i] +
             "; weights are finite, and 0 or more [" + who + ".sample_weight]";
    };
    EXPECT_EQ(error_of([&] { model.fit({x, y, weight}, {.verbose = 0}); }), told("fit"));
    EXPECT_EQ(error_of([&] { model.evaluate({x, y, weight}); }), told("evaluate"));
    EXPECT_EQ(error_of([&] { model.train_on_batch({x, y, weight}); }), told("train_on_batch"));
  }
}

TEST(FitWeights, NeedALossOfExamples) {
  nn::Linear layer(4, 1);
  Model model(layer, [&](TensorSpan in) { return Tensors{mean(abs(layer(in[0])))}; });
  model.compile("adam");
  const Points data(8);
  EXPECT_EQ(error_of([&] { model.fit({data.x, data.y, ones({8})}, {.verbose = 0}); }),
            "fit: there are weights of examples, but what the model gives is the loss, without "
            "examples; weigh them in the model, or compile it with a loss [fit.weight]");
}

// Evaluates after each batch.
struct Evaluating : Callback {
  Model* model;
  Examples data;
  Evaluating(Model* of, Examples with) : model(of), data(std::move(with)) {}
  void on_batch_end(Run&, int64_t) override {
    model->evaluate(data);
    model->predict(data.x()[0]);
  }
};

TEST(FitWeights, WhatCallbacksMeasureIsNoPartOfTheEpoch) {
  const Points data(32), other(8, 3);
  const auto trained = [&](bool evaluates) {
    seed(3);
    nn::Linear layer(4, 2);
    Model model(layer);
    model.compile("adam", "cross_entropy", {"accuracy"});
    FitOptions options{.epochs = 2, .batch_size = 8, .verbose = 0};
    if (evaluates) options.callbacks = {Evaluating(&model, other)};
    return text(model.fit(data, options));
  };
  EXPECT_EQ(trained(true), trained(false));
}

}  // namespace
}  // namespace weft::train
