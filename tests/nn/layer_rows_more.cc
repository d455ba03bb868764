// The layers without parameters: pools, dropout, activations, shapes, losses.
#include "tests/nn/layer_rows.h"

namespace weft::nn {
namespace {

Tensor probabilities() { return sigmoid(random::normal(random::Key(3), {4, 3})); }
Tensor signs() { return tensor({1.0, -1.0, 1.0, -1.0}); }
Tensor classes() { return tensor({0, 2, 1, 2}); }
Tensor logits() { return normal_of({4, 3})(); }

void add_pools(Rows& all) {
  const auto x = normal_of;
  all.add("MaxPool1d", kOne, [] { return MaxPool1d(2); }, {x({2, 3, 8})});
  all.add("MaxPool2d", kOne, [] { return MaxPool2d(3, {.stride = 2, .padding = 1}); },
          {x({2, 3, 8, 7})});
  all.add("MaxPool3d", kOne, [] { return MaxPool3d(2); }, {x({1, 2, 4, 4, 4})});
  all.add("AvgPool1d", kOne, [] { return AvgPool1d(2); }, {x({2, 3, 8})});
  all.add("AvgPool2d", kOne, [] { return AvgPool2d(3, {.stride = 2, .padding = 1}); },
          {x({2, 3, 8, 7})});
  all.add("AvgPool3d", kOne, [] { return AvgPool3d(2); }, {x({1, 2, 4, 4, 4})});
  all.add("AdaptiveAvgPool1d", kOne, [] { return AdaptiveAvgPool1d(3); }, {x({2, 3, 8})});
  all.add("AdaptiveAvgPool2d", kOne, [] { return AdaptiveAvgPool2d({3, 2}); }, {x({2, 3, 8, 7})});
  all.add("AdaptiveAvgPool3d", kOne, [] { return AdaptiveAvgPool3d(2); }, {x({1, 2, 4, 5, 4})});
  all.add("AdaptiveMaxPool1d", kOne, [] { return AdaptiveMaxPool1d(3); }, {x({2, 3, 8})});
  all.add("AdaptiveMaxPool2d", kOne, [] { return AdaptiveMaxPool2d({3, 2}); }, {x({2, 3, 8, 7})});
  all.add("AdaptiveMaxPool3d", kOne, [] { return AdaptiveMaxPool3d(2); }, {x({1, 2, 4, 5, 4})});
}

void add_shapes(Rows& all) {
  const auto x = normal_of;
  all.add("Identity", kOne, [] { return Identity(); }, {x({2, 3})});
  all.add("Dropout", kOne, [] { return Dropout(0.3); }, {x({4, 5})});
  all.add("Dropout1d", kOne, [] { return Dropout1d(0.3); }, {x({4, 5, 2})});
  all.add("Dropout2d", kOne, [] { return Dropout2d(0.3); }, {x({4, 5, 2, 2})});
  all.add("Dropout3d", kOne, [] { return Dropout3d(0.3); }, {x({4, 5, 2, 2, 2})});
  all.add("AlphaDropout", kOne, [] { return AlphaDropout(0.3); }, {x({4, 5})});
  all.add("Flatten", kOne, [] { return Flatten(); }, {x({2, 3, 4})});
  all.add("Unflatten", kOne, [] { return Unflatten(1, {2, 3}); }, {x({2, 6, 4})});
  all.add("Upsample", kOne, [] { return Upsample({.scale_factor = 2.0, .mode = "bilinear"}); },
          {x({1, 2, 3, 4})});
  all.add("PixelShuffle", kOne, [] { return PixelShuffle(2); }, {x({1, 8, 3, 3})});
  all.add("PixelUnshuffle", kOne, [] { return PixelUnshuffle(2); }, {x({1, 2, 4, 6})});
  all.add("Unfold", kOne, [] { return Unfold({2, 3}); }, {x({1, 2, 5, 5})});
  all.add("Fold", kOne, [] { return Fold({4, 5}, {2, 3}); }, {x({1, 12, 9})});
  all.add("CosineSimilarity", kTwo, [] { return CosineSimilarity(); }, {x({3, 4}), x({3, 4})});
}

template <class... M>
void add_activations(Rows& all) {
  (all.add(M().type_name().c_str(), kOne, [] { return M(); }, {normal_of({3, 4})}), ...);
}

void add_losses(Rows& all) {
  const Draw x = logits, p = probabilities;
  const Draw logs = [] { return log_softmax(logits()); };
  all.add(
      "CrossEntropyLoss", kTwo,
      [] { return CrossEntropyLoss({.weight = tensor({1.0, 2.0, 0.5}), .label_smoothing = 0.1}); },
      {x, classes});
  all.add("NLLLoss", kTwo, [] { return NLLLoss(); }, {logs, classes});
  all.add("BCELoss", kTwo, [] { return BCELoss(); }, {p, p});
  all.add("BCEWithLogitsLoss", kTwo,
          [] { return BCEWithLogitsLoss({.pos_weight = tensor({1.0, 2.0, 3.0})}); }, {x, p});
  all.add("MSELoss", kTwo, [] { return MSELoss({.reduction = Reduction::kSum}); }, {x, p});
  all.add("L1Loss", kTwo, [] { return L1Loss(); }, {x, p});
  all.add("SmoothL1Loss", kTwo, [] { return SmoothL1Loss(); }, {x, p});
  all.add("HuberLoss", kTwo, [] { return HuberLoss({.delta = 0.5}); }, {x, p});
  all.add("KLDivLoss", kTwo, [] { return KLDivLoss(); },
          {logs, [] { return softmax(probabilities()); }});
  all.add("PoissonNLLLoss", kTwo, [] { return PoissonNLLLoss(); }, {x, p});
  all.add("GaussianNLLLoss", kThree, [] { return GaussianNLLLoss(); }, {x, p, p});
  all.add("HingeLoss", kTwo, [] { return HingeLoss(); }, {normal_of({4}), signs});
  all.add("MarginRankingLoss", kThree, [] { return MarginRankingLoss({.margin = 0.1}); },
          {normal_of({4}), [] { return mean(probabilities(), Ints{1}); }, signs});
  all.add("CosineEmbeddingLoss", kThree, [] { return CosineEmbeddingLoss(); }, {x, p, signs});
  all.add("TripletMarginLoss", kThree, [] { return TripletMarginLoss(); },
          {x, p, [] { return -probabilities(); }});
}

}  // namespace

std::vector<LayerRow> rows_without_parameters() {
  Rows all;
  add_pools(all);
  add_shapes(all);
  add_activations<ReLU, ReLU6, LeakyReLU, ELU, CELU, SELU, GELU, GLU, SwiGLU, SiLU, Mish,
                  Hardsigmoid, Hardswish, Hardtanh, LogSigmoid, LogSoftmax, Softmax, Softplus,
                  Softsign, Sigmoid, Tanh, Threshold>(all);
  add_losses(all);
  return std::move(all.rows);
}

}  // namespace weft::nn
