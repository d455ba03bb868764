// What goes wrong around a training: Ctrl-C, disks that are full, runs that were compiled
// otherwise.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "weft/base/file.h"
#include "weft/base/log.h"
#include "weft/base/test_folder.h"
#include "weft/base/thread_pool.h"
#include "weft/train/test_models.h"

namespace weft::train {
namespace {

struct Trained {
  nn::Linear layer{4, 2};
  Model model{layer};
  optim::SGD sgd{layer.parameters(), {.lr = 0.1}};

  explicit Trained(const Metrics& metrics = {}, CompileOptions options = {}) {
    model.compile(sgd, "cross_entropy", metrics, options);
  }
};

// Batches, of which one takes long; Ctrl-C comes while it is waited for.
data::Dataset slow(int64_t at) {
  const Points data(16);
  const auto wait = [=](const data::Element& element) {
    if (element[0].item_int() == at) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      kill(getpid(), SIGINT);
      std::this_thread::sleep_for(std::chrono::seconds(4));
    }
    return data::Element{data.x, data.y};
  };
  return data::Dataset::range(6).map(wait, {.num_parallel_calls = 1});
}

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Faults, InterruptsEndTheWaitForData) {
  std::signal(SIGINT, SIG_DFL);  // a shell's background jobs ignore it
  Trained one;
  History history;
  EXPECT_LT(seconds_of([&] { history = one.model.fit(slow(3), {.verbose = 0}); }), 3);
  EXPECT_EQ(history.stop_reason, "interrupted");
  EXPECT_TRUE(history.epoch.empty());
}

TEST(Faults, InterruptsInTheMakingOfABatchLoseNoElement) {
  std::signal(SIGINT, SIG_DFL);
  const TestFolder folder;
  const Points data(50);
  bool is_asked = false;
  const auto one = [&](const data::Element& element) {
    if (is_asked && element[0].item_int() == 23) {
      is_asked = false;
      kill(getpid(), SIGINT);
      poll_interrupt();
    }
    return data::Element{take(data.x, element[0], 0), take(data.y, element[0], 0)};
  };
  const auto fit = [&](const std::string& place) {
    seed(3);
    Trained trained;
    const data::Dataset source =
        data::Dataset::range(50).shuffle(50, {.seed = 3}).map(one).batch(8);
    const History history =
        trained.model.fit(source, {.epochs = 2, .verbose = 0, .resume = folder.path() + place});
    return std::pair(fingerprint(trained.layer.state_dict()), history.stop_reason);
  };
  const auto whole = fit("/whole");
  is_asked = true;
  EXPECT_EQ(fit("/parts").second, "interrupted");
  EXPECT_EQ(fit("/parts"), whole);
}

TEST(Faults, InterruptsInValidationLeaveTheEpochOpen) {
  const TestFolder folder;
  const Points data(40);
  const auto fit = [&](const Examples& validation, const std::string& resume) {
    seed(3);
    Trained one({"accuracy"});
    return one.model.fit(data, {.validation_data = validation, .verbose = 0, .resume = resume});
  };
  const History whole = fit(Points(16), "");
  const History stopped = fit(slow(3), folder.path());
  EXPECT_EQ(stopped.stop_reason, "interrupted");
  EXPECT_TRUE(stopped.epoch.empty());
  const History again = fit(Points(16), folder.path());
  EXPECT_EQ(again.history, whole.history);
  EXPECT_EQ(again.stop_reason, std::nullopt);
}

TEST(Faults, SavesThatFailAreWarnedOf) {
  const TestFolder folder;
  Trained one;
  const std::string kept = folder.path() + "/kept", log = folder.path() + "/missing/log.csv";
  // A file stands where the folder was, until the last epoch.
  LambdaCallback disk({.on_epoch_begin = [&](train::Run&, int64_t epoch) {
    if (epoch < 2) {
      std::filesystem::remove_all(kept);
      write_file_atomically(kept, "no folder");
    } else {
      std::filesystem::remove(kept);
      std::filesystem::create_directories(kept);
      std::filesystem::create_directories(folder.path() + "/missing");
    }
  }});
  set_log_level(LogLevel::kOff);
  const History history = one.model.fit(
      Points(8),
      {.epochs = 3, .callbacks = {disk, ModelCheckpoint(kept), CSVLogger(log)}, .verbose = 0});
  set_log_level(LogLevel::kWarning);
  EXPECT_EQ(history.epoch.size(), 3U);
  ASSERT_EQ(history.warnings.size(), 4U);
  EXPECT_TRUE(history.warnings[0].starts_with("ModelCheckpoint: step 1 could not be saved: "))
      << history.warnings[0];
  EXPECT_TRUE(history.warnings[0].ends_with("; training goes on [ModelCheckpoint.save]"));
  EXPECT_TRUE(history.warnings[1].starts_with("CSVLogger: '" + log + "' could not be written: "))
      << history.warnings[1];
  EXPECT_TRUE(std::filesystem::exists(log));
}

TEST(Faults, SavesBesideTheTrainingAreTheSameAndTellWhatFails) {
  const TestFolder folder;
  const Points data(50);
  const auto fit = [&](const std::string& place, bool asynchronous, int64_t stop_at) {
    seed(3);
    Trained one({"accuracy"});
    LambdaCallback stopping({.on_batch_end = [=](train::Run& run, int64_t) {
      if (run.step() == stop_at) run.stop("interrupted");
    }});
    Resume resume(folder.path() + place, {.every_steps = 1, .asynchronous = asynchronous});
    one.model.fit(data,
                  {.epochs = 3, .batch_size = 16, .callbacks = {stopping, resume}, .verbose = 0});
    return fingerprint(one.layer.state_dict());
  };
  const std::string whole = fit("/whole", false, -1);
  EXPECT_EQ(fit("/beside", true, -1), whole);
  fit("/stopped", true, 7);
  EXPECT_EQ(fit("/stopped", true, -1), whole);

  // A file stands where the folder was, until the first training ends.
  const std::string kept = folder.path() + "/kept";
  LambdaCallback disk({.on_epoch_begin = [&](train::Run&, int64_t) {
    std::filesystem::remove_all(kept);
    write_file_atomically(kept, "no folder");
  }});
  Trained one;
  ModelCheckpoint saving(kept, {.asynchronous = true});
  set_log_level(LogLevel::kOff);
  const History failed = one.model.fit(data, {.callbacks = {disk, saving}, .verbose = 0});
  set_log_level(LogLevel::kWarning);
  ASSERT_EQ(failed.warnings.size(), 1U);
  EXPECT_TRUE(failed.warnings[0].starts_with("ModelCheckpoint: step 2 could not be saved: "))
      << failed.warnings[0];
  std::filesystem::remove(kept);
  const History saved = one.model.fit(data, {.epochs = 2, .callbacks = {saving}, .verbose = 0});
  EXPECT_TRUE(saved.warnings.empty());
  EXPECT_EQ(saving.manager().steps(), (std::vector<int64_t>{2, 4}));
}

TEST(LossScaler, ScalesLeavesOutAndGrows) {
  const Variable w(Tensor::scalar(DType::kF32, 3.0), {.name = "w"});
  optim::SGD sgd({w}, {.lr = 0.25});
  const LossScaler scaler(8, 2);
  const auto step = [&](double slope) {
    const Tensor scaled = scaler.scale(Tensor::scalar(DType::kF32, slope));
    const std::vector<optim::GradientOf> pairs = {{scaled, w}};
    const Tensor is_finite = scaler.step(sgd, pairs);
    scaler.update(is_finite);
    return is_finite.item_int() != 0;
  };
  EXPECT_TRUE(step(2));
  EXPECT_EQ(w.value().item(), 2.5);
  EXPECT_FALSE(step(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(w.value().item(), 2.5);
  EXPECT_EQ(scaler.value(), 4);
  const SavedState kept = scaler.state_dict();
  EXPECT_TRUE(step(1));
  EXPECT_TRUE(step(1));
  EXPECT_EQ(scaler.value(), 8);
  scaler.load_state_dict(kept);
  EXPECT_EQ(scaler.value(), 4);
  EXPECT_EQ(error_of([] { LossScaler(0); }),
            "LossScaler: scale is 0.0; it is finite, and greater than 0 [LossScaler.scale]");
  EXPECT_EQ(error_of([] { LossScaler(1, 0); }),
            "LossScaler: growth_interval is 0; it is a number of steps, 1 or more "
            "[LossScaler.growth_interval]");
}

TEST(Faults, RunsThatWereCompiledOtherwiseAreRefused) {
  const TestFolder folder;
  const Points data(50);
  const auto fit_error = [&](const Metrics& metrics, CompileOptions options, int64_t batch_size) {
    return error_of([&] {
      Trained one(metrics, options);
      LambdaCallback stopping({.on_batch_end = [](train::Run& run, int64_t batch) {
        if (batch == 1) run.stop("interrupted");
      }});
      one.model.fit(data, {.batch_size = batch_size,
                           .callbacks = {stopping},
                           .verbose = 0,
                           .resume = folder.path()});
    });
  };
  EXPECT_EQ(fit_error({}, {}, 16), "no error");
  const std::string rest = " now; compile it as it was, or take another folder ";
  EXPECT_EQ(
      fit_error({"accuracy"}, {}, 16),
      "resume: the run was saved with no metrics, and has accuracy" + rest + "[resume.metrics]");
  EXPECT_EQ(fit_error({}, {.precision = DType::kF16}, 16),
            "resume: the run was saved with plain losses, and has scaled losses" + rest +
                "[resume.precision]");
  EXPECT_EQ(fit_error({}, {.accumulate = 2}, 16),
            "resume: the run was saved with single gradients, and has accumulated gradients" +
                rest + "[resume.accumulate]");
  EXPECT_EQ(fit_error({}, {}, 8),
            "resume: the run was saved with batches of 16 rows, and has batches of 8 rows now; "
            "go on as it was, or take another folder [resume.batch_size]");
}

TEST(Faults, RunsOfOtherDataAndWeightsAreRefused) {
  const TestFolder folder;
  const auto fit_error = [&](const Examples& data, const ClassWeight& weights) {
    return error_of([&] {
      Trained one;
      one.model.fit(data, {.class_weight = weights, .verbose = 0, .resume = folder.path()});
    });
  };
  const Points data(50);
  EXPECT_EQ(fit_error(data, {{1, 0.5}}), "no error");
  const std::string rest = "; go on as it was, or take another folder ";
  EXPECT_EQ(fit_error(Points(40), {{1, 0.5}}),
            "resume: the run was saved with 50 rows, and has 40 rows now" + rest + "[resume.rows]");
  EXPECT_EQ(fit_error(data, {}),
            "resume: the run was saved with class weights [1.0, 0.5], and has class weights of 1 "
            "now" +
                rest + "[resume.class_weight]");
  const TestFolder other;
  const auto of_dataset = [&](int64_t size) {
    return error_of([&] {
      Trained one;
      const data::Dataset batches = data::Dataset::from_tensor_slices({data.x, data.y}).batch(size);
      one.model.fit(batches, {.verbose = 0, .resume = other.path()});
    });
  };
  EXPECT_EQ(of_dataset(10), "no error");
  EXPECT_EQ(of_dataset(25),
            "resume: the run was saved with 5 batches in an epoch, and has 2 batches in an epoch "
            "now" +
                rest + "[resume.batches]");
}

TEST(Faults, RunsOfAnotherModelAreRefusedByTheirFolder) {
  const TestFolder folder;
  const Points data(16);
  Trained one;
  one.model.fit(data, {.verbose = 0, .resume = folder.path()});
  nn::Sequential net = small_net();
  Model model(net);
  model.compile("adam", "cross_entropy");
  const std::string error =
      error_of([&] { model.fit(data, {.epochs = 2, .verbose = 0, .resume = folder.path()}); });
  EXPECT_TRUE(error.starts_with("resume: what is saved in '" + folder.path() +
                                "' is of another model or optimizer: load_state_dict: "))
      << error;
  EXPECT_TRUE(error.ends_with("; take another folder for this one [resume.model]")) << error;
}

TEST(Faults, RunsAtTheirEndSaySo) {
  const TestFolder folder;
  const Points data(16);
  const auto fit = [&](int verbose) {
    Trained one;
    return one.model.fit(data, {.epochs = 2, .verbose = verbose, .resume = folder.path()});
  };
  const History first = fit(0);
  testing::internal::CaptureStdout();
  const History again = fit(2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "resume: the run in '" + folder.path() +
                "' has come to its end after epoch 2 of 2; nothing is left to train\n");
  EXPECT_EQ(again.history, first.history);
}

TEST(Faults, WhatHasNothingToLearnIsRefused) {
  Trained one;
  one.layer.freeze();
  EXPECT_EQ(error_of([&] { one.model.fit(Points(8)); }),
            "fit: all parameters of Linear are frozen; there is nothing to train: unfreeze() some "
            "[fit.parameters]");
}

TEST(Faults, LossesThatAreNoNumberAreRefused) {
  const Tensor x = ones({4, 3}), y = ones({4, 2});
  const auto told = [&](const Loss& loss, bool run_eagerly) {
    nn::Linear layer(3, 2);
    Model model(layer);
    optim::SGD sgd(layer.parameters());
    model.compile(sgd, loss, {}, {.run_eagerly = run_eagerly});
    const std::string message = error_of([&] { model.fit({x, y}, {.verbose = 0}); });
    return message.substr(0, message.find('\n'));
  };
  const std::string rest =
      "; it is one number, a float, such as the mean() of the losses of its examples "
      "[compile.loss]";
  const auto squares = [](const Tensor& out, const Tensor& y) { return (out - y) * (out - y); };
  const auto count = [](const Tensor& out, const Tensor&) { return sum(cast(out, DType::kI32)); };
  const auto none = [](const Tensor&, const Tensor&) { return Tensor(); };
  EXPECT_EQ(told(squares, true), "compile: the loss of a batch is f32[4, 2]" + rest);
  EXPECT_TRUE(told(squares, false).ends_with(rest)) << told(squares, false);
  for (const bool run_eagerly : {true, false}) {
    EXPECT_EQ(told(count, run_eagerly), "compile: the loss of a batch is i64[]" + rest);
    EXPECT_EQ(told(none, run_eagerly),
              "compile: the loss gives a tensor that is not there [compile.loss]");
  }
}

TEST(Faults, GroupsKeepTheirOwnRates) {
  const auto rates = [](const Given<Callback>& callback, int64_t epochs) {
    nn::Sequential net({nn::Linear(4, 8), nn::Linear(8, 2)});
    Model model(net);
    optim::SGD sgd(std::vector<optim::ParamGroup>{
        {net.get<nn::Linear>(0).parameters(), {{.name = "lr", .value = 0.1}}},
        {net.get<nn::Linear>(1).parameters(), {{.name = "lr", .value = 0.01}}}});
    model.compile(sgd, "cross_entropy");
    model.fit(Points(8), {.epochs = epochs, .callbacks = {callback}, .verbose = 0});
    return std::pair(sgd.groups()[0].value("lr"), sgd.groups()[1].value("lr"));
  };
  const auto [first, second] = rates(LearningRateScheduler([](int64_t) { return 0.2; }), 1);
  EXPECT_DOUBLE_EQ(first, 0.2);
  EXPECT_DOUBLE_EQ(second, 0.02);
  const auto [half, other] =
      rates(LearningRateScheduler([](int64_t, double rate) { return rate / 2; }), 1);
  EXPECT_DOUBLE_EQ(half, 0.05);
  EXPECT_DOUBLE_EQ(other, 0.005);
  const auto [less, least] = rates(
      ReduceLROnPlateau(
          {.monitor = "loss", .factor = 0.5, .patience = 1, .min_delta = 100, .min_lr = 0.004}),
      4);
  EXPECT_DOUBLE_EQ(less, 0.0125);
  EXPECT_DOUBLE_EQ(least, 0.004);
}

}  // namespace
}  // namespace weft::train
