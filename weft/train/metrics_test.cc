// Metrics against what is computed by hand, in batches of any size.
#include "weft/train/metrics.h"

#include <cmath>

#include "weft/train/test_models.h"

namespace weft::train {
namespace {

// The metric of all rows, given in batches of `size`.
double by_batches(Metric& metric, const Tensor& output, const Tensor& target, int64_t size) {
  metric.reset();
  const int64_t rows = output.dim(0).value();
  for (int64_t first = 0; first < rows; first += size) {
    const Range part{first, std::min(first + size, rows)};
    metric.update(index(output, {part}), index(target, {part}));
  }
  return metric.result();
}

void expect_everywhere(Metric& metric, const Tensor& output, const Tensor& target, double wanted) {
  for (const int64_t size : {1, 2, 3, 5, 100}) {
    EXPECT_DOUBLE_EQ(by_batches(metric, output, target, size), wanted) << metric.name() << size;
  }
}

const Tensor kScores = numbers({2, 1, 0, 0, 3, 1, 1, 0, 4, 5, 6, 7, 1, 0, 0}, {5, 3});
const Tensor kClasses = integers({0, 1, 1, 2, 2});

TEST(Metrics, CountClasses) {
  Accuracy accuracy;
  expect_everywhere(accuracy, kScores, kClasses, 3.0 / 5);  // they say 0, 1, 2, 2, 0
  TopKAccuracy top(2);
  EXPECT_EQ(top.name(), "top_2_accuracy");
  expect_everywhere(top, kScores, integers({2, 1, 0, 2, 1}), 4.0 / 5);
  Precision precision({.of = 2});
  expect_everywhere(precision, kScores, kClasses, 1.0 / 2);
  Recall recall({.of = 2, .name = "recall_of_2"});
  expect_everywhere(recall, kScores, kClasses, 1.0 / 2);
  EXPECT_EQ(recall.name(), "recall_of_2");
  F1 f1({.of = 0});
  expect_everywhere(f1, kScores, kClasses, 2.0 / 3);
  Accuracy one_hot_ones;
  expect_everywhere(one_hot_ones, kScores, one_hot(kClasses, 3), 3.0 / 5);
}

TEST(Metrics, TakeOneScoreAnExample) {
  const Tensor scores = numbers({0.9F, 0.2F, 0.6F, 0.5F}, {4, 1});
  const Tensor target = integers({1, 0, 0, 1});
  Accuracy accuracy;
  expect_everywhere(accuracy, scores, target, 2.0 / 4);  // one half is no
  Precision precision({.threshold = 0.1});
  expect_everywhere(precision, reshape(scores, {4}), target, 2.0 / 4);
}

TEST(Metrics, CountConfusions) {
  ConfusionMatrix confusion(3);
  expect_everywhere(confusion, kScores, kClasses, 3.0 / 5);
  EXPECT_EQ(confusion.matrix().to_vector<int64_t>(),
            (std::vector<int64_t>{1, 0, 0, 0, 1, 1, 1, 0, 1}));
}

TEST(Metrics, MeasureErrors) {
  const Tensor output = numbers({1, 2, 3, 4, 5}, {5, 1}), target = numbers({1, 3, 1, 4, 8}, {5, 1});
  MSE mse;
  expect_everywhere(mse, output, target, 14.0 / 5);
  MAE mae;
  expect_everywhere(mae, output, target, 6.0 / 5);
  R2 r2;
  expect_everywhere(r2, output, target, 1 - 14 / (91 - 17.0 * 17 / 5));
  EXPECT_EQ(error_of([&] { mae.update(output, reshape(target, {5})); }),
            "mae: the output has shape [5, 1] and the target [5]; they must be equal [mae.shape]");
}

TEST(Metrics, AreOfEvenScores) {
  Perplexity perplexity;
  expect_everywhere(perplexity, zeros({5, 3}), kClasses,
                    std::exp(static_cast<double>(std::log(3.0F))));
}

TEST(Metrics, RankScores) {
  AUC auc;
  const Tensor target = integers({1, 0, 1, 0, 1});
  // Of six pairs four are right, and one is even.
  expect_everywhere(auc, numbers({4, 3, 3, 1, 2}, {5}), target, 4.5 / 6);
  EXPECT_TRUE(std::isnan(by_batches(auc, numbers({1, 2}, {2}), integers({1, 1}), 1)));
  const float nan = std::numeric_limits<float>::quiet_NaN();  // above all others
  expect_everywhere(auc, numbers({nan, nan, 3, 1, 2}, {5}), target, 3.5 / 6);
}

TEST(Metrics, OfFunctions) {
  Function mean("mean_output", [](const Tensor& output, const Tensor&) { return output; });
  expect_everywhere(mean, kScores, kClasses, sum(kScores).item() / 15);
}

TEST(Metrics, KeepTheirCounts) {
  Accuracy one, other;
  AUC auc, later;
  one.update(kScores, kClasses);
  other.load_state_dict(one.state_dict());
  EXPECT_EQ(other.result(), one.result());
  auc.update(numbers({1, 2, 3}, {3}), integers({0, 1, 0}));
  later.load_state_dict(auc.state_dict());
  EXPECT_EQ(later.result(), 0.5);
  EXPECT_TRUE(std::isnan(Accuracy().result()));
}

TEST(Metrics, AreKnownByName) {
  for (const char* const name :
       {"accuracy", "precision", "recall", "f1", "auc", "mse", "mae", "r2", "perplexity"}) {
    EXPECT_EQ(AnyMetric(name)->name(), name);
  }
  EXPECT_EQ(AnyMetric("top_k_accuracy")->name(), "top_5_accuracy");
  EXPECT_EQ(error_of([] { AnyMetric("acc"); }),
            "compile: there is no metric 'acc'; there are accuracy, top_k_accuracy, precision, "
            "recall, f1, auc, mse, mae, r2, perplexity [compile.metrics]");
}

}  // namespace
}  // namespace weft::train
