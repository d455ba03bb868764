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

TEST(Metrics, ExplainVariance) {
  R2 r2;
  // Of both columns: 1 - 14 / 33.2 and 1 - 0.
  const Tensor output = numbers({1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, {5, 2});
  const Tensor target = numbers({1, 1, 3, 2, 1, 3, 4, 4, 8, 5}, {5, 2});
  expect_everywhere(r2, output, target, (1 - 14 / (91 - 17.0 * 17 / 5) + 1) / 2);
  R2 far;
  const Tensor shift = Tensor::scalar(DType::kF64, 1e9);
  for (const int64_t size : {1, 2, 100}) {
    EXPECT_NEAR(
        by_batches(far, cast(output, DType::kF64) + shift, cast(target, DType::kF64) + shift, size),
        (1 - 14 / (91 - 17.0 * 17 / 5) + 1) / 2, 1e-7);
  }
  R2 equal;
  EXPECT_EQ(by_batches(equal, numbers({1, 1, 1, 2}, {2, 2}), numbers({1, 3, 1, 3}, {2, 2}), 1),
            0.5);
  EXPECT_TRUE(std::isnan(by_batches(equal, ones({1, 2}), ones({1, 2}), 1)));
  EXPECT_EQ(error_of([&] { r2.update(ones({2, 3}), ones({2, 3})); }),
            "r2: the output has 3 columns and had 2; make a metric for each model [r2.columns]");
  R2 later;
  r2.update(output, target);
  later.load_state_dict(r2.state_dict());
  EXPECT_EQ(later.result(), r2.result());
}

TEST(Metrics, FollowTheLoss) {
  const Tensor logits = numbers({0.2F, -1, 3, -0.1F}, {4, 1}), yes = numbers({1, 0, 0, 1}, {4, 1});
  Accuracy accuracy;
  F1 f1;
  accuracy.follow(nn::BCEWithLogitsLoss());
  f1.follow("binary_cross_entropy_with_logits");
  expect_everywhere(accuracy, logits, yes, 2.0 / 4);
  expect_everywhere(f1, logits, yes, 2.0 / 4);
  Accuracy each;  // of several answers an example
  each.follow("binary_cross_entropy");
  expect_everywhere(each, numbers({0.9F, 0.1F, 0.6F, 0.7F}, {2, 2}), numbers({1, 0, 0, 1}, {2, 2}),
                    3.0 / 4);
  Accuracy some;
  Perplexity perplexity;
  ConfusionMatrix confusion(3);
  const Tensor left_out = integers({0, -1, 1, 2, -1});
  for (Metric* const metric : std::initializer_list<Metric*>{&some, &perplexity, &confusion}) {
    metric->follow(nn::CrossEntropyLoss({.ignore_index = -1}));
  }
  expect_everywhere(some, kScores, left_out, 2.0 / 3);
  expect_everywhere(perplexity, zeros({5, 3}), left_out,
                    std::exp(static_cast<double>(std::log(3.0F))));
  expect_everywhere(confusion, kScores, left_out, 2.0 / 3);
}

TEST(Metrics, OfTwoClassesRefuseMore) {
  F1 f1;
  EXPECT_EQ(error_of([&] { f1.update(kScores, kClasses); }),
            "f1: the output has scores of 3 classes; name the one that counts: train::F1({.of = "
            "1}) [f1.classes]");
  AUC auc;
  EXPECT_EQ(error_of([&] { auc.update(kScores, kClasses); }),
            "auc: the output has scores of 3 classes, but a curve is of two; watch "
            "train::ConfusionMatrix, or one class against the rest in a metric of your own "
            "[auc.classes]");
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
  // Of two classes it is the difference: 4 > 3 = 3 > 2 > 1, not the second score.
  expect_everywhere(auc, numbers({0, 4, 7, 10, 2, 5, 9, 10, -1, 1}, {5, 2}), target, 4.5 / 6);
  const float nan = std::numeric_limits<float>::quiet_NaN();  // has no place in an order
  EXPECT_TRUE(std::isnan(by_batches(auc, numbers({nan, nan, 3, 1, 2}, {5}), target, 2)));
}

TEST(Metrics, TakeTargetsInColumns) {
  Accuracy accuracy;
  expect_everywhere(accuracy, kScores, expand_dims(kClasses, -1), 3.0 / 5);
  TopKAccuracy top(2);
  expect_everywhere(top, kScores, reshape(integers({2, 1, 0, 2, 1}), {5, 1}), 4.0 / 5);
  const Tensor scores = numbers({0.9F, 0.2F, 0.6F, 0.5F}, {4}), yes = integers({1, 0, 0, 1});
  expect_everywhere(accuracy, scores, reshape(yes, {4, 1}), 2.0 / 4);
  F1 of_no({.of = 0});
  expect_everywhere(of_no, scores, yes, 2.0 / 4);
  Accuracy places;
  places.update(reshape(scores, {2, 2, 1}), reshape(yes, {2, 2}));
  EXPECT_EQ(places.result(), 2.0 / 4);
}

TEST(Metrics, RefuseShapesThatDoNotFit) {
  Accuracy accuracy;
  EXPECT_EQ(error_of([&] { accuracy.update(kScores, integers({1})); }),
            "accuracy: the output has shape [5, 3] and the target [1]; targets are the class of "
            "each example, or one hot [accuracy.shape]");
  AUC auc;
  EXPECT_EQ(error_of([&] { auc.update(ones({3}), integers({1, 0})); }),
            "auc: the output has shape [3] and the target [2]; each score has one target "
            "[auc.shape]");
  TopKAccuracy top(2);
  EXPECT_EQ(error_of([&] { top.update(ones({2}), integers({1, 0})); }),
            "top_2_accuracy: the output has shape [2], one score for each answer; the best of them "
            "are of scores of classes [top_2_accuracy.classes]");
}

TEST(Metrics, HaveClassesAlongTheAxisOfTheLoss) {
  const Tensor scores = numbers({2, 1, 0, 3, 1, 0, 4, 5}, {2, 2, 2});
  const Tensor classes = reshape(integers({0, 1, 1, 1}), {2, 2});  // said: 0, 1 and 1, 1
  Accuracy accuracy;
  accuracy.follow(nn::CrossEntropyLoss({.axis = 1}));
  expect_everywhere(accuracy, scores, classes, 1.0);
  Perplexity along, moved;
  along.follow(nn::CrossEntropyLoss({.axis = 1}));
  along.update(scores, classes);
  moved.update(swapaxes(scores, 1, 2), classes);
  EXPECT_EQ(along.result(), moved.result());
}

TEST(Metrics, OfFunctions) {
  Function mean("mean_output", [](const Tensor& output, const Tensor&) { return output; });
  expect_everywhere(mean, kScores, kClasses, sum(kScores).item() / 15);
  Function of_batch("of_batch", [](const Tensor& output, const Tensor&) {
    return weft::mean(cast(output, DType::kF64));
  });
  expect_everywhere(of_batch, kScores, kClasses, sum(kScores).item() / 15);  // by rows
}

TEST(Metrics, OfOneNameAreNumbered) {
  nn::Sequential net({nn::Linear(4, 3)});
  Model model(net);
  const auto zero = [](const Tensor&, const Tensor&) { return zeros({}); };
  model.compile("sgd", "cross_entropy",
                {F1({.of = 0}), F1({.of = 1}), Function("loss", Function::OfTwo(zero))});
  const Logs logs = model.evaluate({ones({4, 4}), integers({0, 1, 2, 0})});
  EXPECT_FALSE(std::isnan(logs["f1"]) || std::isnan(logs["f1_2"]));
  EXPECT_GT(logs["loss"], 0);
  EXPECT_EQ(logs["loss_2"], 0);
}

TEST(Metrics, BatchesWithoutTargetsDoNotCount) {
  nn::Sequential net({nn::Linear(3, 3)});
  Model model(net);
  model.compile("sgd", nn::CrossEntropyLoss({.ignore_index = -1}));
  const Tensor few = index(kScores, {Range{0, 2}}), targets = integers({0, 1, -1, -1, -1});
  const double wanted = nn::cross_entropy(net(few), integers({0, 1})).item();
  EXPECT_NEAR(model.evaluate({kScores, targets}, {.batch_size = 2})["loss"], wanted, 1e-6);
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
