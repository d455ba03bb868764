// Model: what fit, evaluate and predict give, and what they refuse.
#include <chrono>
#include <csignal>
#include <regex>
#include <sstream>
#include <thread>

#include "weft/train/test_models.h"

namespace weft::train {
namespace {

// A net, its optimizer, and a model that is compiled.
struct Trained {
  nn::Sequential net = small_net();
  Model model{net};
  optim::Adam adam{net.parameters(), {.lr = 0.01}};

  explicit Trained(CompileOptions options = {}, Metrics metrics = {"accuracy"}) {
    model.compile(adam, "cross_entropy", std::move(metrics), options);
  }
  std::string bits() const {
    const std::string slots = fingerprint(adam.state_dict());
    return fingerprint(net.state_dict()) + slots;
  }
};

TEST(Fit, Learns) {
  seed(1);
  Trained one;
  const Points data(200);
  const History history = one.model.fit(data, {.epochs = 20, .verbose = 0});
  EXPECT_EQ(history.epoch.size(), 20U);
  EXPECT_LT(history["loss"].back(), 0.7 * history["loss"].front());
  EXPECT_GT(one.model.evaluate(data)["accuracy"], 0.85);
  EXPECT_EQ(one.model.predict(data.x, 7).type(), (Type{DType::kF32, {200, 2}}));
}

// The notes of an error, in a row.
std::string notes_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    std::string out;
    for (const std::string& note : error.notes) out += note + "\n";
    return out;
  }
  return "no error";
}

// Does it name the user's line, and none of the library's own?
void expect_line(const std::string& notes, uint32_t line) {
  EXPECT_NE(notes.find(text("fit_test.cc:", line)), std::string::npos) << notes << line;
  for (const char* const own :
       {"model.h", "model.cc", "loss.h", "loss.cc", "compiled.cc", "metrics.cc"}) {
    EXPECT_EQ(notes.find(text("train/", own)), std::string::npos) << notes;
  }
}

TEST(Fit, ErrorsNameTheLineOfTheCall) {
  Trained one;
  const Tensor narrow = ones({8, 3}), classes = zeros({8}, DType::kI64);
  const Points data(8);
  const Tensor few = zeros({8, 2}), wrong = zeros({8, 3}, DType::kF32);
  // The model, the loss, and what is no example at all.
  const uint32_t at = Where::here().line;
  expect_line(notes_of([&] { one.model.fit({narrow, classes}, {.verbose = 0}); }), at + 1);
  expect_line(notes_of([&] { one.model.evaluate({narrow, classes}); }), at + 2);
  expect_line(notes_of([&] { one.model.predict(narrow); }), at + 3);
  expect_line(notes_of([&] { one.model.train_on_batch({narrow, classes}); }), at + 4);
  expect_line(notes_of([&] { one.model.fit({data.x, wrong}, {.verbose = 0}); }), at + 5);
  expect_line(notes_of([&] { one.model.evaluate({data.x, wrong}); }), at + 6);
  expect_line(notes_of([&] { one.model.fit({data.x, zeros({3})}, {.verbose = 0}); }), at + 7);
  expect_line(notes_of([&] { Model(one.net).fit(data); }), at + 8);
  one.model.compile(one.adam, [](const Tensor& out, const Tensor&) { return sum(out); }, {"mse"});
  expect_line(notes_of([&] { one.model.evaluate({data.x, wrong}); }), at + 10);
}

// Rows in one piece are gathered ahead, others by an op.
TEST(Fit, ViewsHaveTheSameBits) {
  const Points data(50);
  const Tensor other = concat(std::vector<Tensor>{swapaxes(data.x, 0, 1), zeros({1, 50})}, 0);
  const Tensor view = swapaxes(index(other, {Range{0, 4}}), 0, 1);
  ASSERT_FALSE(view.is_contiguous());
  const FitOptions options{.epochs = 2, .batch_size = 16, .verbose = 0};
  std::string bits[2];
  for (const bool is_view : {false, true}) {
    seed(3);
    Trained one;
    one.model.fit({is_view ? view : data.x, data.y}, options);
    bits[is_view ? 1 : 0] = one.bits();
  }
  EXPECT_EQ(bits[0], bits[1]);
}

TEST(Fit, EagerStepsHaveTheSameBits) {
  const Points data(50), kept(11, 2);
  const FitOptions options{.epochs = 2, .batch_size = 16, .validation_data = kept, .verbose = 0};
  const CompileOptions ways[] = {{},
                                 {.clip_norm = 0.1},
                                 {.accumulate = 3},
                                 {.precision = DType::kBF16},
                                 {.precision = DType::kF16}};
  for (CompileOptions way : ways) {
    seed(2);
    Trained traced(way);
    const History one = traced.model.fit(data, options);
    way.run_eagerly = true;
    seed(2);
    Trained eager(way);
    EXPECT_EQ(eager.model.fit(data, options).history, one.history);
    EXPECT_EQ(eager.bits(), traced.bits());
  }
}

// A loop that people write themselves.
TEST(Fit, IsTheLoopThatItStandsFor) {
  const Points data(20);
  seed(3);
  Trained one;
  one.model.fit(data, {.epochs = 2, .batch_size = 8, .verbose = 0, .shuffle = false});
  seed(3);
  Trained other;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int64_t first = 0; first < 20; first += 8) {
      const Range rows{first, std::min<int64_t>(first + 8, 20)};
      const Tensor x = index(data.x, {rows}), y = index(data.y, {rows});
      other.adam.minimize([&] { return nn::cross_entropy(other.net(x), y); });
    }
  }
  EXPECT_EQ(one.bits(), other.bits());
}

TEST(Fit, HooksTakePartInSteps) {
  seed(3);
  Trained one;
  const Points data(16);
  one.model.train_on_batch(data);
  const Tensor plain = one.model.predict(data.x);
  int calls = 0;
  const nn::Hook hook =
      one.net.register_forward_hook([&](const nn::ModuleBase&, TensorSpan, TensorSpan outputs) {
        ++calls;
        return outputs[0] * 2.0;
      });
  EXPECT_EQ(fingerprint(one.model.predict(data.x)), fingerprint(plain * 2.0));
  one.model.train_on_batch(data);
  EXPECT_EQ(calls, 2);  // of two traces
  one.model.train_on_batch(data);
  EXPECT_EQ(calls, 2);
  hook.remove();
  const Tensor after = one.model.predict(data.x);
  EXPECT_EQ(fingerprint(after), fingerprint(one.net.eval()(data.x)));
}

struct TwoInputs : nn::Module<TwoInputs> {
  nn::Linear left{2, 3}, right{1, 3};
  static constexpr auto fields =
      fields_of(nn::field("left", &TwoInputs::left), nn::field("right", &TwoInputs::right));
  std::pair<Tensor, Tensor> forward(const Tensor& a, const Tensor& b) const {
    const Tensor first = left(a), second = right(b);
    return {first + second, second};
  }
};

TEST(Fit, TakesSeveralInputsAndOutputs) {
  seed(4);
  Model model(TwoInputs{});
  const auto loss = [](TensorSpan out, TensorSpan y) {
    const Tensor rest = out[0] - y[0];
    const Tensor size = mean(rest * rest);
    return size + mean(abs(out[1]));
  };
  model.compile("adam", loss,
                {Function("spread", [](TensorSpan out, TensorSpan) { return abs(out[1]); })});
  const Tensor a = random::normal(random::Key(1), {10, 2}), b = ones({10, 1}), y = zeros({10, 3});
  const History history = model.fit({{a, b}, {y}}, {.epochs = 3, .batch_size = 4, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_EQ(history["spread"].size(), 3U);
  EXPECT_EQ(model.predict_all({{a, b}}).size(), 2U);
  EXPECT_EQ(error_of([&] { model.predict({{a, b}}); }),
            "predict: the model gives 2 outputs; predict_all gives all of them [predict.outputs]");
  EXPECT_EQ(error_of([&] { model.predict(a); }),
            "Model: there are 1 inputs of a batch, which TwoInputs does not take; give "
            "train::Model(module, call) a function of them [Model.inputs]");
  model.compile("adam", "mse");
  EXPECT_EQ(error_of([&] { model.fit({{a, b}, {y}}, {.verbose = 0}); }),
            "compile: there are 2 outputs and 1 targets of a batch, which this loss does not take; "
            "give compile a function of (TensorSpan outputs, TensorSpan targets) [compile.loss]");
}

TEST(Fit, HasALossForEachOutput) {
  seed(4);
  TwoInputs net;
  Model model(net);
  model.compile("adam", std::vector<Loss>{"mse", "mae"},
                {OfOutput(0, "r2"), OfOutput(1, "mae", "second")});
  const Tensor a = random::normal(random::Key(1), {10, 2}), b = ones({10, 1});
  const Tensors out = model.predict_all({{a, b}});
  const Tensor first = zeros_like(out[0]), second = ones_like(out[1]);
  const Logs logs = model.evaluate({{a, b}, {first, second}}, {.batch_size = 10});
  const Tensor size = mean(out[0] * out[0]), rest = mean(abs(out[1] - second));
  EXPECT_NEAR(logs["loss"], size.item() + rest.item(), 1e-6);
  EXPECT_NEAR(logs["second"], rest.item(), 1e-6);
  EXPECT_EQ(logs.names(), "loss, 0_r2, second");
  const History history = model.fit({{a, b}, {first, second}}, {.epochs = 5, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_EQ(error_of([&] { model.fit({{a, b}, {first}}, {.verbose = 0}); }),
            "compile: there are 2 losses for 2 outputs and 1 targets of a batch; give one for each "
            "[compile.outputs]");
}

TEST(Fit, TheModelMayBeTheLoss) {
  nn::Linear layer(2, 1);
  Model model(layer, [&](TensorSpan in) { return Tensors{mean(abs(layer(in[0])))}; });
  model.compile("sgd");
  const Tensor x = random::normal(random::Key(1), {16, 2});
  const double first = model.train_on_batch(x)["loss"];
  for (int i = 0; i < 50; ++i) model.train_on_batch(x);
  EXPECT_LT(model.train_on_batch(x)["loss"], first);
}

TEST(Fit, SeesWhatIsFrozen) {
  seed(5);
  Trained one;
  const Points data(32);
  one.model.fit(data, {.verbose = 0});
  auto& first = one.net.get<nn::Linear>(0);
  const std::string before = fingerprint(first.weight.value());
  const auto& last = one.net.get<nn::Linear>(4);
  const std::string other = fingerprint(last.weight.value());
  first.freeze();
  one.model.fit(data, {.verbose = 0});
  EXPECT_EQ(fingerprint(first.weight.value()), before);
  EXPECT_NE(fingerprint(last.weight.value()), other);
  one.model.compile("adam", "cross_entropy", {}, {.accumulate = 2});
  one.model.fit(data, {.batch_size = 8, .verbose = 0});
  EXPECT_EQ(fingerprint(first.weight.value()), before);
  first.unfreeze();
  one.model.fit(data, {.batch_size = 8, .verbose = 0});
  EXPECT_NE(fingerprint(first.weight.value()), before);
}

TEST(Fit, AccumulatesInAnyPrecision) {
  for (const std::optional<DType> precision :
       {std::optional<DType>(), std::optional(DType::kBF16), std::optional(DType::kF16)}) {
    Trained one({.precision = precision, .accumulate = 4});
    one.model.fit(Points(64), {.batch_size = 8, .verbose = 0});
    EXPECT_EQ(one.adam.steps(), 2);
  }
}

TEST(Fit, ComputesInThePrecisionOfTheLastCompile) {
  Trained one({.precision = DType::kBF16});
  auto& first = one.net.get<nn::Linear>(0);
  EXPECT_EQ(first.compute_dtype, DType::kBF16);
  one.model.compile(one.adam, "cross_entropy");
  EXPECT_EQ(first.compute_dtype, std::nullopt);
  one.net.compute_in(DType::kBF16);  // what was set by hand stays
  one.model.compile(one.adam, "cross_entropy", {}, {.precision = DType::kF16});
  one.model.compile(one.adam, "cross_entropy");
  EXPECT_EQ(first.compute_dtype, DType::kBF16);
}

TEST(Fit, WeighsClasses) {
  const Points data(12);
  const auto loss_with = [&](const Tensor& y, const ClassWeight& weights, const char* loss,
                             int64_t outputs) {
    seed(7);
    nn::Linear layer(4, outputs);
    Model model(layer);
    model.compile("sgd", loss);
    return model.train_on_batch({data.x, y}, weights)["loss"];
  };
  const double plain = loss_with(data.y, {}, "cross_entropy", 3);
  const double some = loss_with(data.y, {{0, 2.0}}, "cross_entropy", 3);
  EXPECT_NE(some, plain);
  EXPECT_EQ(some, loss_with(data.y, {{0, 2.0}, {1, 1.0}, {5, 3.0}}, "cross_entropy", 3));
  EXPECT_NEAR(some, loss_with(one_hot(data.y, 3), {{0, 2.0}}, "cross_entropy", 3), 1e-6);
  const Tensor yes = cast(data.y, DType::kF32), column = expand_dims(yes, -1);
  const char* const binary = "binary_cross_entropy_with_logits";
  const double even = loss_with(column, {{0, 2.0}, {1, 2.0}}, binary, 1);
  EXPECT_NEAR(even, 2 * loss_with(column, {}, binary, 1), 1e-6);
  EXPECT_LT(loss_with(column, {{1, 2.0}}, binary, 1), even);
}

TEST(Fit, TracesAgainForAnotherMode) {
  seed(6);
  Trained one;
  const Points data(32);
  const double plain = one.model.evaluate(data)["loss"];
  one.net.compute_in(DType::kBF16);
  EXPECT_NE(one.model.evaluate(data)["loss"], plain);
  one.net.compute_in({});
  EXPECT_EQ(one.model.evaluate(data)["loss"], plain);
}

TEST(Fit, LeavesModesAsTheyWere) {
  Trained one;
  auto& norm = one.net.get<nn::BatchNorm1d>(1);
  one.net.train(false);
  norm.training = true;
  const Points data(16);
  one.model.fit(data, {.validation_data = data, .verbose = 0});
  EXPECT_FALSE(one.net.training);
  EXPECT_TRUE(norm.training);
}

struct Interrupting : Callback {
  void on_batch_end(Run& run, int64_t) override {
    if (run.step() == 3) std::raise(SIGINT);
  }
};

void ignore_it(int) {}

TEST(Fit, EndsAfterTheStepWhenInterrupted) {
  struct sigaction before = {}, after = {};
  before.sa_handler = ignore_it;
  sigaction(SIGINT, &before, nullptr);
  Trained one;
  Interrupting interrupting;
  const History history = one.model.fit(
      Points(64), {.epochs = 5, .batch_size = 8, .callbacks = {interrupting}, .verbose = 0});
  EXPECT_EQ(history.stop_reason, "interrupted");
  EXPECT_TRUE(history.epoch.empty());
  EXPECT_EQ(one.adam.steps(), 3);
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, ignore_it);
  std::signal(SIGINT, SIG_DFL);
}

TEST(Fit, TellsHowLongItWaited) {
  Trained one;
  const Points points(64);
  const data::Dataset batches =
      data::Dataset::from_tensor_slices({points.x, points.y}).batch(16).map([](const auto& batch) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return batch;
      });
  const History history = one.model.fit(batches, {.epochs = 3, .verbose = 0});
  EXPECT_GE(history.times.waited, 12 * 0.02);
  EXPECT_GT(history.times.worked, 0);
  EXPECT_EQ(history.waiting(),
            history.times.waited / (history.times.waited + history.times.worked));
  EXPECT_EQ(History().waiting(), std::nullopt);
}

struct InterruptingTwice : Callback {
  void on_batch_begin(Run&, int64_t) override {
    std::raise(SIGINT);
    std::raise(SIGINT);
  }
};

TEST(FitDeathTest, EndsAtOnceWhenInterruptedTwice) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto fit = [] {
    std::signal(SIGINT, SIG_DFL);  // a shell's background jobs ignore it
    Trained one;
    one.model.fit(Points(64), {.callbacks = {InterruptingTwice()}, .verbose = 0});
  };
  EXPECT_EXIT(fit(), testing::KilledBySignal(SIGINT), "");
}

std::string printed(const std::function<void()>& f) {
  testing::internal::CaptureStdout();
  f();
  return testing::internal::GetCapturedStdout();
}

void expect_like(const std::string& shown, const std::string& pattern) {
  EXPECT_TRUE(std::regex_match(shown, std::regex(pattern))) << shown;
}

TEST(Fit, ShowsALineAnEpoch) {
  Trained one;
  const Points data(40);
  const std::string lines =
      printed([&] { one.model.fit(data, {.epochs = 2, .validation_data = data}); });
  const std::string number = "[0-9.e-]+";
  const std::string line = "  loss " + number + "  accuracy " + number + "  val_loss " + number +
                           "  val_accuracy " + number + "  [0-9.]+ s, [0-9,]+ samples/s\n";
  expect_like(lines, "epoch 1/2" + line + "epoch 2/2" + line);
  EXPECT_EQ(printed([&] { one.model.fit(data, {.verbose = 0}); }), "");
  const auto bar_of = [&](const char* columns) {
    setenv("COLUMNS", columns, 1);
    const std::string out = printed([&] { one.model.fit(data, {.batch_size = 20, .verbose = 1}); });
    unsetenv("COLUMNS");
    return out;
  };
  const std::string bar = bar_of("200");
  expect_like(bar, "\repoch 1/1  \\[=+\\.*\\] 1/2  loss " + number + "  accuracy " + number +
                       "  [0-9,]+ samples/s, [0-9.]+ s left.*\repoch 1/1  loss " + number +
                       "  accuracy " + number + "  [0-9.]+ s, [0-9,]+ samples/s *\n");
  const std::string narrow = bar_of("40");
  expect_like(narrow, "\repoch 1/1  1/2  loss " + number + "  [0-9.]+ s left.*\repoch 1/1  loss " +
                          number + "  accuracy " + number + " *\n");
  EXPECT_LT(narrow.substr(0, narrow.find('\r', 1)).size(), 41U);
}

TEST(Fit, RefusesWhatMakesNoSense) {
  Trained one;
  const Points data(8);
  const auto fit_error = [&](const Examples& examples, const FitOptions& options) {
    return error_of([&] { one.model.fit(examples, options); });
  };
  EXPECT_EQ(fit_error({data.x, integers({1, 2})}, {}),
            "fit: there are 8 rows in x, but 2 in another part; each row is one example "
            "[fit.rows]");
  EXPECT_EQ(fit_error(Tensor(1.0), {}), "fit: x and y need an example in each row [fit.rows]");
  EXPECT_EQ(fit_error({}, {}), "fit: x and y need an example in each row [fit.rows]");
  EXPECT_EQ(fit_error(data, {.batch_size = 0}),
            "fit: batch_size is 0; it is 1 or more [fit.batch_size]");
  EXPECT_EQ(fit_error(data, {.verbose = 3}),
            "fit: verbose is 3; it is 0, 1, 2 or kAuto [fit.verbose]");
  EXPECT_EQ(fit_error(data, {.validation_split = 0.01}),
            "fit: validation_split is 0.01, which is none of 8 rows; make it greater "
            "[fit.validation_split]");
  EXPECT_EQ(fit_error({zeros({0, 4}), zeros({0}, DType::kI64)}, {}),
            "fit: there are no rows to train with [fit.rows]");
  const data::Dataset single = data::Dataset::from_tensor_slices({data.x, data.y});
  EXPECT_EQ(fit_error(single, {}),
            "fit: x has the shape [4] and y of [], as one example has it; models take batches: "
            "write dataset.batch(32) [fit.batch]");
  const data::Dataset batches = single.batch(4);
  EXPECT_EQ(fit_error(batches, {.verbose = 0, .shuffle = true}),
            "fit: shuffle = true puts rows in memory into a new order, and the dataset gives "
            "batches itself; write dataset.shuffle() before batch() [fit.shuffle]");
  EXPECT_EQ(fit_error(batches, {.batch_size = 64, .verbose = 0}),
            "fit: batch_size is 64, and the dataset gives batches itself; write dataset.batch(64) "
            "[fit.batch_size]");
  EXPECT_EQ(error_of([&] { one.model.evaluate(batches, {.batch_size = 64}); }),
            "evaluate: batch_size is 64, and the dataset gives batches itself; write "
            "dataset.batch(64) [evaluate.batch_size]");
  EXPECT_EQ(error_of([&] { one.model.predict(batches, 64); }),
            "predict: batch_size is 64, and the dataset gives batches itself; write "
            "dataset.batch(64) [predict.batch_size]");
  EXPECT_EQ(fit_error(data, {.epochs = 0}),
            "fit: epochs is 0; it is a number of epochs, 1 or more [fit.epochs]");
  EXPECT_EQ(fit_error(data, {.initial_epoch = -1}),
            "fit: initial_epoch is -1; it is a number of epochs, 0 or more [fit.initial_epoch]");
  EXPECT_EQ(fit_error(data, {.epochs = 2, .initial_epoch = 2}),
            "fit: initial_epoch is 2, but training ends before epoch 2, which epochs says; it "
            "counts those that are done, too [fit.epochs]");
  EXPECT_EQ(fit_error(data, {.validation_data = data, .validation_split = 0.5}),
            "fit: there are validation_data and a validation_split; give one of them "
            "[fit.validation_split]");
  const data::Dataset none = single.batch(4).take(0);
  EXPECT_EQ(fit_error(none, {}), "fit: the dataset has no batch to train with [fit.batches]");
  EXPECT_EQ(fit_error(data, {.validation_data = none, .verbose = 0}),
            "fit: the dataset has no batch to validate with [fit.batches]");
  EXPECT_EQ(error_of([&] { one.model.evaluate(none); }),
            "evaluate: the dataset has no batch to evaluate with [evaluate.batches]");
  EXPECT_EQ(fit_error(data, {.validation_split = 1.5}),
            "fit: validation_split is 1.5; it lies between 0 and 1 [fit.validation_split]");
  EXPECT_EQ(fit_error(data, {.class_weight = {{-1, 2.0}}}),
            "fit: class_weight names the class -1; classes count from 0 [fit.class_weight]");
  EXPECT_EQ(fit_error(data, {.class_weight = {{2, 2.0}}, .verbose = 0}),
            "fit: class_weight names the class 2, but the model tells 2 classes apart; the last "
            "one is 1 [fit.class_weight]");
  EXPECT_EQ(fit_error(data, {.class_weight = {{1, -0.5}}}),
            "fit: class_weight gives class 1 the weight -0.5; weights are finite, and 0 or more "
            "[fit.class_weight]");
  EXPECT_EQ(error_of([&] { one.model.predict(zeros({0, 4})); }),
            "predict: there are no rows to compute [predict.rows]");
  one.model.compile(one.adam, [](const Tensor& out, const Tensor&) { return mean(out); });
  EXPECT_EQ(fit_error(data, {.class_weight = {{1, 2.0}}, .verbose = 0}),
            "fit: weights of examples need a loss with a field 'reduction', as those of nn have "
            "[fit.weight]");
  nn::Linear layer(4, 2);
  Model fresh(layer);
  EXPECT_EQ(error_of([&] { fresh.fit(data); }),
            "fit: Linear does not know how it is trained; call model.compile(optimizer, loss) "
            "first [fit.compile]");
  EXPECT_EQ(error_of([&] { fresh.compile("adm"); }),
            "compile: there is no optimizer 'adm'; there are lamb, sgd, asgd, adadelta, adafactor, "
            "adagrad, adam, adamax, adamw, lion, nadam, radam, rmsprop, rprop "
            "[compile.optimizer]");
  EXPECT_EQ(error_of([&] { fresh.compile("adam", "categorical_crossentropy"); }),
            "compile: there is no loss 'categorical_crossentropy'; weft calls this "
            "'cross_entropy', of logits [compile.loss]");
  EXPECT_EQ(error_of([&] { fresh.compile("adam", "mse", {}, {.accumulate = 0}); }),
            "compile: accumulate is 0; it is a number of batches, 1 or more "
            "[compile.accumulate]");
  EXPECT_EQ(error_of([] { static_cast<void>(History()["loss"]); }),
            "History: has no 'loss'; it has nothing yet [History.name]");
}

// The size of batches is that of the rows that are validated with.
TEST(Fit, RowsMayBeValidatedWithBesideADataset) {
  Trained one;
  const Points data(8);
  const data::Dataset batches = data::Dataset::from_tensor_slices({data.x, data.y}).batch(4);
  const History history = one.model.fit(
      batches, {.batch_size = 3, .validation_data = data, .verbose = 0, .shuffle = false});
  EXPECT_EQ(history["val_loss"].size(), 1U);
}

TEST(Fit, ImagesWithoutChannelsAreTheConvolutionsFault) {
  const Tensor images = zeros({32, 28, 28}), targets = zeros({32}, DType::kI64);
  for (const bool eager : {false, true}) {
    const auto compile = [&](Model& model) {
      model.compile("adam", "cross_entropy", {}, {.run_eagerly = eager});
    };
    const auto errors_of = [&](Model& model) {
      return std::vector<std::string>{
          error_of([&] { model.fit({images, targets}, {.verbose = 0}); }),
          error_of([&] { model.evaluate({images, targets}); }),
          error_of([&] { model.predict(images); }),
          error_of([&] { model.train_on_batch({images, targets}); })};
    };
    nn::Sequential net({nn::Conv2d(1, 4, 3), nn::Flatten(), nn::Linear(4 * 26 * 26, 10)});
    Model model(net);
    compile(model);
    for (const std::string& error : errors_of(model)) {
      EXPECT_TRUE(error.starts_with(
          "conv2d: x has shape [32, 28, 28] with 32 channels, but weight has shape [4, 1, 3, 3] "
          "with 1 for each of 1 groups"))
          << error;
    }
    const char* const who[] = {"fit", "evaluate", "predict", "train_on_batch"};
    // As many channels as examples are no error of the convolution itself.
    nn::Sequential waiting(
        {nn::Conv2d(nn::kInferred, 32, 3), nn::Flatten(), nn::Linear(nn::kInferred, 10)});
    Model fresh(waiting);
    compile(fresh);
    nn::Sequential taken({nn::Conv2d(32, 32, 3), nn::Flatten(), nn::Linear(32 * 26 * 26, 10)});
    Model known(taken);
    compile(known);
    for (Model* const one : {&fresh, &known}) {
      const std::vector<std::string> errors = errors_of(*one);
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(errors[i],
                  text(who[i],
                       ": Conv2d '0' was given a batch of shape [32, 28, 28], and takes its 32 "
                       "examples for channels; it needs an axis of channels after that of "
                       "examples: expand_dims(x, 1) makes one [",
                       who[i], ".channels]"));
      }
    }
    EXPECT_FALSE(fresh.fit({expand_dims(images, 1), targets}, {.verbose = 0})["loss"].empty());
  }
}

TEST(Fit, ExamplesCountByTheirWeights) {
  const Points data(24);
  const Tensor weight = random::uniform(random::Key(4), {24});
  const auto trained = [&](const Examples& examples, const FitOptions& options) {
    seed(5);
    nn::Linear layer(4, 2);
    Model model(layer);
    model.compile("adam", "cross_entropy");
    model.fit(examples, options);
    return fingerprint(layer.state_dict());
  };
  FitOptions options{.epochs = 2, .batch_size = 8, .verbose = 0, .shuffle = false};
  const std::string by_rows = trained({data.x, data.y, weight}, options);
  EXPECT_NE(trained(data, options), by_rows);
  const data::Dataset triples = data::Dataset::from_tensor_slices({data.x, data.y, weight});
  EXPECT_EQ(trained(triples.batch(8), {.epochs = 2, .verbose = 0}), by_rows);
  EXPECT_EQ(trained({data.x, data.y, cast(weight, DType::kF64)}, options), by_rows);
  options.class_weight = {{0, 0.5}, {1, 0.5}};
  const std::string halved = trained({data.x, data.y, weight}, options);
  options.class_weight = {};
  EXPECT_EQ(trained({data.x, data.y, weight * 0.5}, options), halved);
  nn::Linear layer(4, 2);
  Model model(layer);
  model.compile("adam", "cross_entropy");
  const nn::CrossEntropyLoss loss({.reduction = nn::Reduction::kNone});
  const Tensor each = loss(layer(data.x), data.y), by = each * weight;
  EXPECT_NEAR(model.evaluate({data.x, data.y, weight}, {.batch_size = 7})["loss"],
              mean(by).to_vector<float>()[0], 1e-6);
  EXPECT_EQ(error_of([&] { model.evaluate({data.x, data.y, zeros({23})}); }),
            "evaluate: there are 24 rows in x, but 23 in another part; each row is one example "
            "[evaluate.rows]");
}

TEST(Fit, SaysWhatItIs) {
  History history;
  Logs logs;
  logs.set("loss", 0.123456);
  logs.set("accuracy", 1.0);
  history.add(0, logs);
  EXPECT_EQ(text(history), "<History of 1 epoch: loss=0.1235, accuracy=1>");
  EXPECT_EQ(to_string(history), text(history));
  std::ostringstream out;
  out << history << "; " << logs;
  EXPECT_EQ(out.str(), text(history) + "; loss=0.1235, accuracy=1");
  EXPECT_EQ(error_of([&] { static_cast<void>(logs["mse"]); }),
            "Logs: has no 'mse'; it has loss, accuracy [Logs.name]");
}

}  // namespace
}  // namespace weft::train
