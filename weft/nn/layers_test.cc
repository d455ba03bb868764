// What single layers promise: keys, first values, masks, mistakes.
#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/weft.h"

namespace weft::nn {
namespace {

double greatest(const Tensor& x) { return max(abs(x)).item(); }

TEST(Layers, TheSameKeyGivesTheSameParameters) {
  const random::Key key(5);
  const Linear a(3, 2, {.key = key}), b(3, 2, {.key = key});
  EXPECT_EQ(fingerprint(a), fingerprint(b));
  seed(9);
  const Linear c(3, 2);
  seed(9);
  const Linear d(3, 2), e(3, 2);
  EXPECT_EQ(fingerprint(c), fingerprint(d));
  EXPECT_NE(fingerprint(c), fingerprint(e));
}

TEST(Layers, ParametersBeginAsStated) {
  const Linear layer(100, 50);
  EXPECT_GT(greatest(layer.weight), 0.09);
  EXPECT_LE(greatest(layer.weight), 0.1);
  const Linear keras(100, 50, {.weight_init = init::glorot_uniform, .bias_init = init::zeros});
  EXPECT_GT(greatest(keras.weight), 0.19);
  EXPECT_LE(greatest(keras.weight), 0.2);
  EXPECT_EQ(greatest(keras.bias), 0);
  const Embedding table(1000, 20, {.padding_idx = 3});
  EXPECT_NEAR(sqrt(var(table.weight)).item(), 1, 0.02);
  EXPECT_EQ(greatest(select_row(table.weight, 3)), 0);
  for (const Initializer& draw : {init::truncated_normal(0.5), init::uniform(-1, 1),
                                  init::normal(0.1), init::orthogonal(), init::constant(0.5)}) {
    const Linear other(4, 4, {.weight_init = draw, .key = random::Key(1)});
    EXPECT_GT(greatest(other.weight), 0);
    EXPECT_LE(greatest(other.weight), 1);
  }
}

TEST(Layers, AttentionMasks) {
  const Tensor x = random::normal(random::Key(0), {2, 4, 8});
  const MultiheadAttention layer(8, 2, {.batch_first = true});
  const Tensor rows = arange(4), causal = greater_equal(expand_dims(rows, 1), rows);
  const auto [out, weights] = layer.with_weights(x, x, x, {.is_causal = true});
  EXPECT_EQ(weights.type(), (Type{DType::kF32, {2, 4, 4}}));
  EXPECT_LT(greatest(out - layer(x, x, x, {.mask = causal})), 1e-6);
  EXPECT_EQ(greatest(where(causal, 0.0, weights)), 0);
  const Tensor there = tensor({{true, true, false, false}, {true, true, true, true}});
  const Tensor one = index(x, {Range{0, 1}}), two = index(one, {Range{}, Range{0, 2}});
  const Tensor masked = select_row(layer(x, x, x, {.key_mask = there}), 0);
  EXPECT_LT(greatest(masked - select_row(layer(one, two, two), 0)), 1e-6);
  const AttentionMasks both{.mask = zeros({4, 4}), .key_mask = there};
  EXPECT_LT(greatest(masked - select_row(layer(x, x, x, both), 0)), 1e-6);
}

TEST(Layers, ArgumentsThatAreLeftOut) {
  const LSTM lstm(4, 3);
  const Tensor x = random::normal(random::Key(0), {5, 2, 4}), none = zeros({1, 2, 3});
  EXPECT_EQ(fingerprint(lstm(x)), fingerprint(lstm(x, {none, none})));
  const LSTMCell cell(4, 3);
  const Tensor row = select_row(x, 0), nothing = zeros({2, 3});
  EXPECT_EQ(fingerprint(cell(row)), fingerprint(cell(row, {nothing, nothing})));
  const EmbeddingBag bag(6, 4, {.mode = "sum"});
  const Tensor numbers = tensor({1, 2, 4, 5}), starts = tensor({0, 2});
  const Tensor halves = bag(numbers, starts, full({4}, 0.5));
  EXPECT_LT(greatest(halves * 2.0 - bag(numbers, starts)), 1e-6);
}

TEST(Layers, MistakesAreTold) {
  const auto told = [](auto f, std::string_view expected) { EXPECT_EQ(error_of(f), expected); };
  told([] { Conv2d(3, 4, {1, 2, 3}); },
       "Conv2d: kernel_size is (1, 2, 3), but there are 2 axes of space [Conv2d.kernel_size]");
  told([] { Conv2d(3, 4, 3, {.groups = 2}); },
       "Conv2d: 3 channels do not divide into 2 groups [Conv2d.groups]");
  told([] { Dropout(1.5); },
       "Dropout: p is 1.5; a probability is between 0 and 1 [Dropout.probability]");
  told([] { MultiheadAttention(7, 2); },
       "MultiheadAttention: 7 features do not divide into 2 heads [MultiheadAttention.heads]");
  told([] { BatchNorm2d(3)(ones({2, 3})); },
       "BatchNorm2d: x has 2 axes; it needs 4 [BatchNorm2d.rank]");
  told([] { BatchNorm1d(3)(ones({3})); },
       "BatchNorm1d: x has 1 axes; it needs 2 or 3 [BatchNorm1d.rank]");
  told([] { RNN(2, 3, {.nonlinearity = "sin"}); },
       "RNN: nonlinearity is 'sin'; it is 'tanh' or 'relu' [RNN.nonlinearity]");
  told([] { RNNCell(2, 3, {.nonlinearity = "sin"}); },
       "RNNCell: nonlinearity is 'sin'; it is 'tanh' or 'relu' [RNNCell.nonlinearity]");
  told([] { Linear(2, 2, {.dtype = DType::kI32}); },
       "Linear: dtype is int32; parameters are floats, such as float32 [Linear.dtype]");
  told([] { Linear(-3, 2); },
       "Linear: weight would be [2, -3]; sizes are at least 0 [Linear.size]");
  told([] { TransformerEncoderLayer(8, 2, {.activation = "sin"}); },
       "TransformerLayer: activation is 'sin'; it is 'relu', 'gelu', 'silu' or a function "
       "[TransformerLayer.activation]");
  told([] { Flatten(3)(ones({2, 3})); },
       "Flatten: axis 3 is out of range for shape [2, 3] [Flatten.axis]");
  told([] { Unflatten(-3, {1, 2})(ones({2, 3})); },
       "Unflatten: axis -3 is out of range for shape [2, 3] [Unflatten.axis]");
}

TEST(Layers, ErrorsNameTheLineOfTheCall) {
  const Linear layer(3, 2);
  const int line = __LINE__ + 2;
  try {
    layer(ones({2, 5}));
    FAIL() << "5 features for 3";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text("layers_test.cc:", line)), std::string::npos)
        << error.what();
  }
}

TEST(Layers, ConvolutionsContinueTheirInput) {
  const Tensor x = random::normal(random::Key(0), {2, 3, 5, 6});
  const auto layer = [](const Sizes& padding, std::string mode) {
    return Conv2d(3, 4, 3,
                  {.padding = padding, .padding_mode = std::move(mode), .key = random::Key(1)});
  };
  const Conv2d without = layer(0, "zeros");
  for (const auto& [mode, of_pad] :
       {std::pair("reflect", "reflect"), std::pair("replicate", "edge"),
        std::pair("circular", "wrap")}) {
    const Tensor wide = pad_continued(x, {0, 0, 1, 2}, {0, 0, 1, 2}, of_pad);
    EXPECT_EQ(fingerprint(layer({1, 2}, mode)(x)), fingerprint(without(wide))) << mode;
  }
  const Conv2d same(3, 4, 2, {.auto_padding = "same", .padding_mode = "circular"});
  EXPECT_EQ(same(x).type(), (Type{DType::kF32, {2, 4, 5, 6}}));
  EXPECT_EQ(layer(1, "reflect").repr(), "Conv2d(3, 4, 3, padding=1, padding_mode=reflect)");
  EXPECT_EQ(error_of([&] { layer(1, "mirror"); }),
            "Conv2d: padding_mode is 'mirror'; it is 'zeros', 'reflect', 'replicate' or 'circular' "
            "[Conv2d.padding_mode]");
}

TEST(Layers, BatchNormOverAllBatches) {
  const BatchNorm1d layer(2, {.momentum = std::nullopt});
  const Tensor x = random::normal(random::Key(0), {3, 8, 2});
  Tensor means = zeros({2});
  for (int64_t k = 0; k < 3; ++k) {
    layer(select_row(x, k));
    means = means + mean(select_row(x, k), Ints{0}) / 3.0;
  }
  EXPECT_LT(greatest(layer.running_mean - means), 1e-6);
  EXPECT_EQ(layer.repr(), "BatchNorm1d(2, eps=1e-05, momentum=None)");
}

TEST(MultiheadAttention, QueriesThatSeeNoKey) {
  const MultiheadAttention layer(4, 2, {.batch_first = true});
  const Tensor x = random::normal(random::Key(1), {2, 3, 4});
  const Tensor there = index(x, {kEllipsis, 0}) > 100.0;
  const Tensor plain = layer(x, x, x, AttentionMasks{.key_mask = there});
  const auto [out, weights] = layer.with_weights(x, x, x, AttentionMasks{.key_mask = there});
  EXPECT_EQ(sum(weights).item(), 0.0);
  const Tensor apart = max(abs(out - plain));
  EXPECT_LT(apart.item(), 1e-6);
}

}  // namespace
}  // namespace weft::nn
