// Model: what fit, evaluate and predict give, and what they refuse.
#include <chrono>
#include <csignal>
#include <regex>
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
  first.freeze();
  // Adam has it among its parameters, and needs a gradient for each.
  optim::Adam rest(one.net.get<nn::Linear>(4).parameters());
  one.net.get<nn::BatchNorm1d>(1).freeze();
  one.model.compile(rest, "cross_entropy");
  one.model.fit(data, {.verbose = 0});
  EXPECT_EQ(fingerprint(first.weight.value()), before);
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
  const std::string bar = printed([&] { one.model.fit(data, {.batch_size = 20, .verbose = 1}); });
  expect_like(bar, "\repoch 1/1  \\[=+\\.*\\] 1/2  loss " + number + "  accuracy " + number +
                       "  [0-9,]+ samples/s, [0-9.]+ s left.*\repoch 1/1  loss " + number +
                       "  accuracy " + number + "  [0-9.]+ s, [0-9,]+ samples/s *\n");
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
  EXPECT_EQ(fit_error(data, {.validation_split = 1.5}),
            "fit: validation_split is 1.5; it lies between 0 and 1 [fit.validation_split]");
  EXPECT_EQ(fit_error(data, {.class_weight = {{-1, 2.0}}}),
            "fit: class_weight names the class -1; classes count from 0 [fit.class_weight]");
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

TEST(Fit, SaysWhatItIs) {
  History history;
  Logs logs;
  logs.set("loss", 0.123456);
  logs.set("accuracy", 1.0);
  history.add(0, logs);
  EXPECT_EQ(text(history), "<History of 1 epoch: loss=0.1235, accuracy=1>");
  EXPECT_EQ(error_of([&] { static_cast<void>(logs["mse"]); }),
            "Logs: has no 'mse'; it has loss, accuracy [Logs.name]");
}

}  // namespace
}  // namespace weft::train
