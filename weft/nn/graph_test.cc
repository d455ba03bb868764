// Models as graphs of layers: names, calls, sizes that are not known, what is shared, and errors.
// tests/train trains one in both languages.
#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/weft.h"

namespace weft::nn {
namespace {

std::vector<std::string> names_of(const ModuleBase& module) {
  std::vector<std::string> out;
  for (const auto& [name, parameter] : module.named_parameters()) out.push_back(name);
  return out;
}

using Names = std::vector<std::string>;

TEST(InputGraph, SeveralInputsAndOutputs) {
  seed(1);
  const Tensor image = Input({8, 8}, {.name = "image"}), words = Input({16}, {.name = "words"});
  const Linear first(64, 10), second(16, 10);
  const Tensor seen = first(tanh(Flatten()(image))), read = second(words);
  Model model({image, words}, {{"both", seen + read}, {"words", read}});
  EXPECT_EQ(names_of(model),
            (Names{"linear.weight", "linear.bias", "linear_1.weight", "linear_1.bias"}));
  EXPECT_EQ(model.input_names, (Names{"image", "words"}));
  EXPECT_EQ(model.output_names, (Names{"both", "words"}));

  const Tensor a = randn({5, 8, 8}), b = randn({5, 16});
  const Tensor there = second(b), wanted = first(tanh(reshape(a, {5, 64}))) + there;
  const Tensors out = model(a, b);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(fingerprint(out[0]), fingerprint(wanted));
  EXPECT_EQ(fingerprint(out[1]), fingerprint(there));
  const State named = model.named({{"words", b}, {"image", a}});
  EXPECT_EQ(fingerprint(named.at("both")), fingerprint(wanted));
  EXPECT_EQ(named.size(), 2U);
  // Parameters are those of the layers, and a traced function has the same bits.
  EXPECT_EQ(model.parameters()[0].id(), first.weight.id());
  const auto traced = function([&](const Tensor& x, const Tensor& y) { return model(x, y)[0]; });
  EXPECT_EQ(fingerprint(traced(a, b)), fingerprint(wanted));
  EXPECT_EQ(fingerprint(traced(randn({3, 8, 8}), randn({3, 16}))).empty(), false);
}

TEST(InputGraph, ShapesOfWhatIsNotThere) {
  const Tensor x = Input({28, 28, 1}), lines = Input({kInferred, 4});
  EXPECT_EQ(x.rank(), 4);
  EXPECT_FALSE(x.dim(0).is_known());
  EXPECT_EQ(x.dim(1), Dim(28));
  const Tensor seen = Conv2d(1, 8, 3)(permute_dims(x, {0, 3, 1, 2}));
  EXPECT_EQ(seen.dim(0), x.dim(0));
  EXPECT_EQ(seen.dim(1), Dim(8));
  EXPECT_EQ(seen.dim(3), Dim(26));
  const Tensor read = Linear(4, 2)(lines);
  EXPECT_EQ(read.dim(1), lines.dim(1));
  EXPECT_EQ(read.dim(2), Dim(2));
  // Sizes that are not known are those of each call.
  const Model model(lines, reshape(read, {read.dim(0), read.dim(1) * 2}));
  EXPECT_EQ(model(ones({3, 5, 4})).type(), (Type{DType::kF32, {3, 10}}));
  EXPECT_EQ(model(ones({2, 7, 4})).type(), (Type{DType::kF32, {2, 14}}));
}

TEST(InputGraph, LayersThatAreCalledTwiceAreThereOnce) {
  const Tensor x = Input({4});
  const Linear layer(4, 4);
  const Tensor once = layer(x);
  Model model(x, layer(relu(once)) + Linear(4, 4)(x));
  EXPECT_EQ(names_of(model),
            (Names{"linear.weight", "linear.bias", "linear_1.weight", "linear_1.bias"}));
  EXPECT_EQ(model.repr(), "Model(\n  (linear): Linear(4, 4)\n  (linear_1): Linear(4, 4)\n)");
}

TEST(InputGraph, TemporariesAtOnePlaceAreDifferentLayers) {
  const Tensor x = Input({4});
  Tensor y = x;
  for (int k = 0; k < 3; ++k) y = Dropout(0.5)(y);
  Model model(x, y);
  EXPECT_EQ(model.named_children().size(), 3U);
  EXPECT_EQ(model.named_children()[2].first, "dropout_2");
  // The model's own modes.
  model.eval();
  const Tensor in = ones({2, 4});
  EXPECT_EQ(fingerprint(model(in)), fingerprint(in));
  model.train();
  seed(3);
  EXPECT_NE(fingerprint(model(in)), fingerprint(in));
}

TEST(InputGraph, SizesThatAreLeftOutAreKnownByTheInput) {
  const Tensor x = Input({6});
  Model model(x, Linear(kInferred, 2)(LayerNorm()(x)));
  EXPECT_EQ(names_of(model),
            (Names{"layernorm.weight", "layernorm.bias", "linear.weight", "linear.bias"}));
  EXPECT_EQ(model.parameters()[2].shape(), Shape({2, 6}));
}

TEST(InputGraph, CopiesStatesAndFunctionalCalls) {
  seed(2);
  const Tensor x = Input({3});
  Model model(x, Linear(3, 2)(x) * 2.0);
  const State state = model.state_dict();
  const Tensor in = ones({1, 3});
  const Tensor before = model(in);
  State zeroed;
  for (const auto& [name, value] : state) zeroed[name] = zeros_like(value);
  EXPECT_EQ(fingerprint(functional_call(model, zeroed, in)), fingerprint(zeros({1, 2})));
  EXPECT_EQ(fingerprint(model(in)), fingerprint(before));
  model.load_state_dict(zeroed);
  EXPECT_EQ(fingerprint(model(in)), fingerprint(zeros({1, 2})));
  model.load_state_dict(state);
  EXPECT_EQ(Model(model).compute_in(DType::kBF16)(in).dtype(), DType::kBF16);
  model.to(DType::kF64);
  EXPECT_EQ(model(cast(in, DType::kF64)).dtype(), DType::kF64);
}

TEST(InputGraph, NoteCallsInTheirModesAndDrawNothing) {
  seed(5);
  const auto draws = random::generator_state().draws;
  BatchNorm1d norm(3);
  Dropout drop(0.5);
  const Tensor x = Input({3});
  Model model(x, drop(norm(x)));
  EXPECT_EQ(random::generator_state().draws, draws + 1);  // the key of the norm
  EXPECT_TRUE(norm.training);
  EXPECT_EQ(norm.num_batches_tracked.value().item_int(), 0);
}

TEST(InputGraph, FunctionsAreLayers) {
  const Tensor x = Input({3}), y = Input({3});
  const Tensor sum_of = Lambda([](const Tensor& a, const Tensor& b) {
    return a * static_cast<double>(b.dim(0).value());
  })(x, y);
  Model model({x, y}, sum_of);
  EXPECT_EQ(model(ones({4, 3}), ones({4, 3}))[0].to_vector<float>()[0], 4);
  EXPECT_EQ(model.named_children()[0].first, "lambda");
  EXPECT_EQ(error_of([&] { Lambda([](const Tensor& a) { return a; })(ones({1}), ones({1})); }),
            "Lambda: there are 2 tensors, which the function does not take [Lambda.count]");
}

TEST(InputGraph, ModelsAreLayersOfModels) {
  const Tensor x = Input({3}), y = Input({3});
  const Model inner(x, Linear(3, 2)(x));
  Model outer(y, relu(inner(y)));
  EXPECT_EQ(names_of(outer), (Names{"model.linear.weight", "model.linear.bias"}));
  EXPECT_EQ(outer(ones({5, 3})).type(), (Type{DType::kF32, {5, 2}}));
}

TEST(InputGraph, Summary) {
  const Tensor x = Input({4});
  Model model(x, Linear(4, 2)(relu(x)));
  const nn::Summary one = model.summary(), many = model.summary(Shape{8, 4});
  ASSERT_EQ(one.rows.size(), 2U);
  EXPECT_EQ(one.rows[0].results, "[1, 2]");
  EXPECT_EQ(one.rows[1].name, "linear");
  EXPECT_EQ(many.rows[1].results, "[8, 2]");
}

TEST(InputGraph, Errors) {
  const Tensor x = Input({3}, {.name = "x"}), y = Input({3}, {.name = "y"});
  const Linear layer(3, 2);
  const Tensor out = layer(x);
  EXPECT_EQ(error_of([&] { Model({x, y}, out); }),
            "Model: no output depends on the input 'y'; leave it out [Model.inputs]");
  EXPECT_EQ(error_of([&] { Model(y, out); }),
            "Model: an output depends on nn::Input 'x', not there yet, which is not among the "
            "inputs 'y' [Model.inputs]");
  EXPECT_EQ(error_of([&] { Model(x, ones({2})); }),
            "Model: an output is a tensor that is there; outputs are what layers give of an "
            "nn::Input [Model.outputs]");
  EXPECT_EQ(error_of([&] { Model(out, out); }),
            "Model: an input is what a layer gave; inputs are made by nn::Input [Model.inputs]");
  EXPECT_EQ(error_of([&] { Model({x, Input({3}, {.name = "x"})}, out); }),
            "Model: two inputs are named 'x'; names differ [Model.inputs]");
  const Model model(x, out);
  EXPECT_EQ(error_of([&] { model(ones({1, 3}), ones({1, 3})); }),
            "Model: was called with 2 values; its inputs are 'x' [Model.call]");
  EXPECT_EQ(error_of([&] { model.named({{"z", ones({1, 3})}}); }),
            "Model: was called with 'z'; its inputs are 'x' [Model.call]");
  EXPECT_EQ(error_of([&] { Model(x, {out, out})(ones({1, 3})); }),
            "Model: the model gives 2 outputs; give it a TensorSpan of its inputs, and it gives "
            "all of them [Model.outputs]");
  EXPECT_EQ(error_of([] { Input({-2}); }),
            "Input: shape is [-2]; sizes are numbers, without the batch, and kInferred where they "
            "are not known [Input.shape]");
}

TEST(InputGraph, VariablesAreTheModels) {
  const Variable scale(ones({3})), offset(ones({3}), {.trainable = false}),
      rate(full({}, 2.0, DType::kF32));
  const Tensor x = Input({3});
  const Tensor scaled = Linear(3, 3)(x * scale + offset);
  Model model(x, scaled * scale * rate + offset);
  EXPECT_EQ(names_of(model),
            (Names{"variable", "variable_1", "linear.weight", "linear.bias", "variable_2"}));
  EXPECT_EQ(model.parameters()[0].id(), scale.id());
  EXPECT_EQ(model.parameters()[1].id(), offset.id());
  EXPECT_EQ(model.repr(), "Model(\n  (linear): Linear(3, 3)\n)");
  const Linear& linear = dynamic_cast<Linear&>(*model.modules()[1]);
  const Tensor in = randn({2, 3});
  const auto wanted = [&] { return linear(in * scale + offset) * scale * rate + offset; };
  EXPECT_EQ(fingerprint(model(in)), fingerprint(wanted()));
  // They are read by each call, and learn.
  const Tensor before = model(in);
  offset.assign(zeros({3}));
  scale.assign_add(ones({3}));
  EXPECT_NE(fingerprint(model(in)), fingerprint(before));
  EXPECT_EQ(fingerprint(model(in)), fingerprint(wanted()));
  backward(sum(model(in)));
  EXPECT_TRUE(scale.grad().defined());
  EXPECT_FALSE(offset.grad().defined());
  State zeroed = model.state_dict();
  for (auto& [name, value] : zeroed) value = zeros_like(value);
  EXPECT_EQ(fingerprint(functional_call(model, zeroed, in)), fingerprint(zeros({2, 3})));
}

TEST(InputGraph, WhatAModelWouldFreezeIsRefused) {
  const Variable scale(ones({3})), offset(ones({3}), {.trainable = false});
  const Tensor x = Input({3});
  const auto follows = [](std::string_view who) {
    return text("Input: ", who,
                " takes a value that follows a Variable or belongs to a transformation, beside one "
                "that is not there yet; a model would keep it as it is now. Hold the Variable in a "
                "module, and call that [Input.variable]");
  };
  const auto drawn = [](std::string_view who) {
    return text("Input: ", who,
                " takes what the default generator has drawn, beside a value that is not there "
                "yet; a model would keep it as it is now. Draw in a layer, such as nn::Lambda, or "
                "from a random::Key if it is to stay [Input.draw]");
  };
  EXPECT_EQ(error_of([&] { x* exp(scale); }), follows("multiply"));
  EXPECT_EQ(error_of([&] { x* exp(offset); }), follows("multiply"));
  EXPECT_EQ(error_of([&] { Bilinear(3, 3, 2)(x, exp(offset)); }), follows("Bilinear"));
  EXPECT_EQ(error_of([&] { x + randn({3}); }), drawn("add"));
  EXPECT_EQ(error_of([&] { x + rand({3}) * 0.1; }), drawn("add"));
  EXPECT_EQ(error_of([&] { x + random::normal(random::next_key().split(2)[0], {3}); }),
            drawn("add"));
  // The line is there, too.
  try {
    x + randn({3});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("graph_test.cc:"), std::string::npos) << error.what();
  }
  // What a key gives stays as it is, and what a layer draws is drawn by each call.
  const Tensor kept = random::normal(random::Key(3), {3});
  const Model still(x, x + kept);
  const Model noisy(x, Lambda([](const Tensor& t) { return t + randn({3}); })(x));
  const Tensor in = zeros({1, 3});
  EXPECT_EQ(fingerprint(still(in)), fingerprint(expand_dims(kept, 0)));
  EXPECT_NE(fingerprint(noisy(in)), fingerprint(noisy(in)));
  // Draws of the rest of the program are as they were.
  const Tensor data = randn({2, 3});
  EXPECT_EQ(fingerprint(still(data)), fingerprint(data + kept));
}

}  // namespace
}  // namespace weft::nn
