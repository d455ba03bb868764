// The layers with parameters.
#include "tests/nn/layer_rows.h"

namespace weft::nn {
namespace {

Draw indices_of(const Shape& shape) {
  return [=] { return random::randint(random::Key(7), 0, 6, shape); };
}

constexpr auto kWithState = [](const auto& layer, TensorSpan x) {
  return layer(x[0], std::pair(x[1], x[2]));
};

void add_products(Rows& all) {
  const auto x = normal_of;
  all.add_lazy(
      "Linear", [] { return Linear(5, 3); }, [] { return Linear(kInferred, 3); }, {x({2, 5})});
  all.add("Linear without bias", kOne, [] { return Linear(5, 3, {.bias = false}); },
          {x({2, 4, 5})});
  all.add_lazy(
      "Bilinear", kTwo, [] { return Bilinear(3, 4, 2); },
      [] { return Bilinear(kInferred, kInferred, 2); }, {x({2, 3}), x({2, 4})});
  const ConvOptions wide{.stride = 2, .padding = 1};
  all.add_lazy(
      "Conv1d", [=] { return Conv1d(4, 6, 3, wide); },
      [=] { return Conv1d(kInferred, 6, 3, wide); }, {x({2, 4, 9})});
  all.add_lazy(
      "Conv2d", [] { return Conv2d(4, 6, 3, {.padding = 1}); },
      [] { return Conv2d(kInferred, 6, 3, {.padding = 1}); }, {x({2, 4, 6, 5})});
  const ConvOptions grouped{.groups = 2, .bias = false};
  all.add_lazy(
      "Conv2d in groups", [=] { return Conv2d(4, 6, {3, 1}, grouped); },
      [=] { return Conv2d(kInferred, 6, {3, 1}, grouped); }, {x({2, 4, 6, 5})});
  const ConvOptions reflecting{.padding = {1, 2}, .padding_mode = "reflect"};
  all.add("Conv2d reflecting", kOne, [=] { return Conv2d(4, 6, 3, reflecting); },
          {x({2, 4, 6, 5})});
  const ConvOptions same{.auto_padding = "same", .padding_mode = "replicate"};
  all.add("Conv2d of the same size", kOne, [=] { return Conv2d(4, 6, {2, 3}, same); },
          {x({2, 4, 6, 5})});
  const ConvOptions circular{.stride = 2, .padding = 2, .padding_mode = "circular"};
  all.add("Conv1d in a circle", kOne, [=] { return Conv1d(3, 4, 3, circular); }, {x({2, 3, 7})});
  all.add_lazy(
      "Conv3d", [] { return Conv3d(2, 3, 2); }, [] { return Conv3d(kInferred, 3, 2); },
      {x({1, 2, 3, 4, 3})});
  all.add_lazy(
      "ConvTranspose1d", [] { return ConvTranspose1d(4, 6, 3, {.stride = 2}); },
      [] { return ConvTranspose1d(kInferred, 6, 3, {.stride = 2}); }, {x({2, 4, 5})});
  const ConvTransposeOptions padded{.stride = 2, .padding = 1, .output_padding = 1};
  all.add_lazy(
      "ConvTranspose2d", [=] { return ConvTranspose2d(4, 6, 3, padded); },
      [=] { return ConvTranspose2d(kInferred, 6, 3, padded); }, {x({2, 4, 5, 4})});
  all.add_lazy(
      "ConvTranspose3d", [] { return ConvTranspose3d(2, 3, 2); },
      [] { return ConvTranspose3d(kInferred, 3, 2); }, {x({1, 2, 3, 2, 3})});
}

void add_norms(Rows& all) {
  const auto x = normal_of;
  all.add_lazy(
      "BatchNorm1d", [] { return BatchNorm1d(3); }, [] { return BatchNorm1d(); }, {x({6, 3})});
  all.add("BatchNorm1d over all batches", kOne,
          [] { return BatchNorm1d(3, {.momentum = std::nullopt}); }, {x({4, 3, 5})});
  const BatchNormOptions slow{.eps = 1e-3, .momentum = 0.3};
  all.add_lazy(
      "BatchNorm2d", [=] { return BatchNorm2d(3, slow); },
      [=] { return BatchNorm2d(kInferred, slow); }, {x({4, 3, 5, 5})});
  all.add_lazy(
      "BatchNorm3d", [] { return BatchNorm3d(2); }, [] { return BatchNorm3d(); },
      {x({2, 2, 3, 3, 3})});
  all.add_lazy(
      "LayerNorm", [] { return LayerNorm(6); }, [] { return LayerNorm(); }, {x({2, 3, 6})});
  all.add_lazy(
      "LayerNorm of two axes", [] { return LayerNorm({3, 6}); },
      [] { return LayerNorm({3, kInferred}); }, {x({2, 3, 6})});
  all.add_lazy("RMSNorm", [] { return RMSNorm(6); }, [] { return RMSNorm(); }, {x({2, 3, 6})});
  all.add_lazy(
      "GroupNorm", [] { return GroupNorm(2, 6); }, [] { return GroupNorm(2); }, {x({2, 6, 4})});
  all.add_lazy(
      "InstanceNorm1d", [] { return InstanceNorm1d(3, {.affine = true}); },
      [] { return InstanceNorm1d(kInferred, {.affine = true}); }, {x({2, 3, 5})});
  all.add("InstanceNorm2d", kOne, [] { return InstanceNorm2d(3); }, {x({2, 3, 5, 4})});
  all.add("InstanceNorm3d", kOne, [] { return InstanceNorm3d(2, {.affine = true}); },
          {x({2, 2, 3, 3, 3})});
}

void add_attention(Rows& all) {
  const auto x = normal_of;
  all.add("Embedding", kOne, [] { return Embedding(6, 4, {.padding_idx = 0}); },
          {indices_of({2, 5})});
  all.add("EmbeddingBag", kOne, [] { return EmbeddingBag(6, 4, {.mode = "sum"}); },
          {indices_of({2, 5})});
  all.add("MultiheadAttention", kThree,
          [] { return MultiheadAttention(8, 2, {.batch_first = true}); },
          {x({2, 5, 8}), x({2, 5, 8}), x({2, 5, 8})});
  all.add("MultiheadAttention of other sizes", kThree,
          [] { return MultiheadAttention(8, 2, {.kdim = 6, .vdim = 4}); },
          {x({5, 2, 8}), x({3, 2, 6}), x({3, 2, 4})});
  const TransformerOptions small{.dim_feedforward = 16, .dropout = 0};
  all.add("TransformerEncoderLayer", kOne,
          [] {
            return TransformerEncoderLayer(
                8, 2, {.dim_feedforward = 16, .dropout = 0, .batch_first = true});
          },
          {x({2, 5, 8})});
  all.add("TransformerEncoder", kOne,
          [] {
            const TransformerOptions first{
                .dim_feedforward = 16, .dropout = 0, .activation = "gelu", .norm_first = true};
            return TransformerEncoder{TransformerEncoderLayer(8, 2, first), 2, LayerNorm(8)};
          },
          {x({5, 2, 8})});
  all.add("TransformerDecoderLayer", kTwo, [=] { return TransformerDecoderLayer(8, 2, small); },
          {x({5, 2, 8}), x({3, 2, 8})});
  all.add("TransformerDecoder", kTwo,
          [=] { return TransformerDecoder(TransformerDecoderLayer(8, 2, small), 2); },
          {x({5, 2, 8}), x({3, 2, 8})});
}

void add_recurrent(Rows& all) {
  const auto x = normal_of;
  all.add_lazy(
      "RNN", [] { return RNN(4, 3, {.nonlinearity = "relu"}); },
      [] { return RNN(kInferred, 3, {.nonlinearity = "relu"}); }, {x({5, 2, 4})});
  const RecurrentOptions deep{.num_layers = 2, .batch_first = true};
  all.add_lazy(
      "GRU", [=] { return GRU(4, 3, deep); }, [=] { return GRU(kInferred, 3, deep); },
      {x({2, 5, 4})});
  const RecurrentOptions both{.num_layers = 2, .bidirectional = true};
  all.add_lazy(
      "LSTM", [=] { return LSTM(4, 3, both); }, [=] { return LSTM(kInferred, 3, both); },
      {x({5, 2, 4})});
  all.add("LSTM without bias", kOne, [] { return LSTM(4, 3, {.bias = false}); }, {x({5, 2, 4})});
  all.add("RNNCell", kTwo, [] { return RNNCell(4, 3); }, {x({2, 4}), x({2, 3})});
  all.rows.back().make_lazy = built_by([] { return RNNCell(kInferred, 3); }, kTwo);
  all.add("GRUCell", kTwo, [] { return GRUCell(4, 3); }, {x({2, 4}), x({2, 3})});
  all.rows.back().make_lazy = built_by([] { return GRUCell(kInferred, 3); }, kTwo);
  all.add("LSTMCell", kWithState, [] { return LSTMCell(4, 3); }, {x({2, 4}), x({2, 3}), x({2, 3})});
  all.rows.back().make_lazy = built_by([] { return LSTMCell(kInferred, 3); }, kWithState);
  all.add_lazy("PReLU", [] { return PReLU(3); }, [] { return PReLU(kInferred); }, {x({2, 3, 4})});
}

}  // namespace

std::vector<LayerRow> rows_with_parameters() {
  Rows all;
  add_products(all);
  add_norms(all);
  add_attention(all);
  add_recurrent(all);
  return std::move(all.rows);
}

std::vector<LayerRow> layer_rows() {
  std::vector<LayerRow> all = rows_with_parameters();
  for (LayerRow& row : rows_without_parameters()) all.push_back(std::move(row));
  return all;
}

}  // namespace weft::nn
