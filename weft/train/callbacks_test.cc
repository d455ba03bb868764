// Callbacks: when they are called, what they change, and runs that are taken up again.
#include "weft/train/callbacks.h"

#include <filesystem>
#include <random>

#include "weft/base/file.h"
#include "weft/base/test_folder.h"
#include "weft/train/test_models.h"

namespace weft::train {
namespace {

struct Noting : Callback {
  std::string told;
  void on_train_begin(Run&) override { told += "("; }
  void on_train_end(Run&) override { told += ")"; }
  void on_epoch_begin(Run& run, int64_t epoch) override { told += text('e', epoch, run.epoch()); }
  void on_epoch_end(Run& run, int64_t epoch, const Logs& logs) override {
    told += text('E', epoch, run.epoch(), '.', logs.size(), ' ');
  }
  void on_batch_begin(Run& run, int64_t batch) override { told += text('b', batch, run.step()); }
  void on_batch_end(Run& run, int64_t batch) override { told += text('B', batch, run.step()); }
};

TEST(Callbacks, AreToldInOrder) {
  nn::Linear layer(4, 2);
  Model model(layer);
  model.compile("sgd", "cross_entropy");
  Noting noting;
  model.fit(Points(6), {.epochs = 2, .batch_size = 3, .callbacks = {noting}, .verbose = 0});
  EXPECT_EQ(noting.told, "(e00b00B01b11B12E01.1 e11b02B03b13B14E12.1 )");
}

TEST(Callbacks, OfFunctions) {
  nn::Linear layer(4, 2);
  Model model(layer);
  model.compile("sgd", "cross_entropy");
  std::vector<double> losses;
  const History history = model.fit(
      Points(6),
      {.epochs = 5,
       .callbacks = {LambdaCallback({.on_epoch_end =
                                         [&](train::Run& run, int64_t epoch, const Logs& logs) {
                                           losses.push_back(logs["loss"]);
                                           if (epoch == 1) run.stop("enough");
                                         }})},
       .verbose = 0});
  EXPECT_EQ(losses, history["loss"]);
  EXPECT_EQ(losses.size(), 2U);
  EXPECT_EQ(history.stop_reason, "enough");
}

TEST(Callbacks, SayWhatTheyWatch) {
  nn::Linear layer(4, 2);
  Model model(layer);
  model.compile("sgd", "cross_entropy");
  const auto error_with = [&](const Callbacks& callbacks) {
    return error_of([&] { model.fit(Points(6), {.callbacks = callbacks, .verbose = 0}); });
  };
  EXPECT_EQ(error_with({EarlyStopping()}),
            "EarlyStopping: there is no 'val_loss' to watch; there are loss; give fit "
            "validation_data [EarlyStopping.monitor]");
  EXPECT_EQ(error_with({ReduceLROnPlateau({.monitor = "mse"})}),
            "ReduceLROnPlateau: there is no 'mse' to watch; there are loss "
            "[ReduceLROnPlateau.monitor]");
  EXPECT_EQ(error_of([] { EarlyStopping({.mode = "low"}); }),
            "EarlyStopping: mode is 'low'; it is 'min', 'max' or 'auto' [EarlyStopping.mode]");
  EXPECT_EQ(error_of([] { EarlyStopping({.monitor = "val_bias"}); }),
            "EarlyStopping: 'val_bias' does not tell whether less of it is better or more; give "
            "mode 'min' or 'max' [EarlyStopping.mode]");
  EXPECT_EQ(error_of([] { ReduceLROnPlateau({.factor = 2}); }),
            "ReduceLROnPlateau: factor is 2.0; it lies between 0 and 1 [ReduceLROnPlateau.factor]");
  const TestFolder folder;
  EXPECT_EQ(error_with({ModelCheckpoint(folder.path(), {.monitor = "mse"})}),
            "ModelCheckpoint: there is no 'mse' to watch; there are loss "
            "[ModelCheckpoint.monitor]");
  EXPECT_EQ(error_of([] { Resume("run", {.every_steps = -1}); }),
            "Resume: every_steps is -1; it is 1 or more, or 0 for never [Resume.every_steps]");
  EXPECT_EQ(error_with({Resume(folder.path()), EarlyStopping()}),
            "Resume: stands before other callbacks, whose states it could not save as they are "
            "after a step; put it last [Resume.order]");
  const std::string path = folder.path() + "/other.csv";
  write_file_atomically(path, "a,b\n1,2\n");
  EXPECT_EQ(error_with({CSVLogger(path, true)}),
            "CSVLogger: '" + path +
                "' is there, but has no numbers in a column 'epoch'; name another file, or leave "
                "append false [CSVLogger.append]");
}

TEST(Callbacks, KeepCheckpoints) {
  const TestFolder folder;
  nn::Linear layer(4, 2);
  Model model(layer);
  optim::Adam adam(layer.parameters());
  model.compile(adam, "cross_entropy", {"accuracy"});
  ModelCheckpoint saving(folder.path(), {.monitor = "accuracy", .max_to_keep = 1});
  std::vector<std::string> bits;
  LambdaCallback noting({.on_epoch_end = [&](train::Run&, int64_t, const Logs&) {
    bits.push_back(fingerprint(layer.state_dict()));
  }});
  const History history = model.fit(
      Points(20), {.epochs = 4, .batch_size = 10, .callbacks = {saving, noting}, .verbose = 0});
  const std::vector<double>& measured = history["accuracy"];
  const auto best = std::max_element(measured.begin(), measured.end()) - measured.begin();
  ASSERT_EQ(saving.manager().best_step(), 2 * (best + 1));
  saving.manager().restore(2 * (best + 1));
  EXPECT_EQ(fingerprint(layer.state_dict()), bits[static_cast<size_t>(best)]);
  saving.manager().restore_latest();
  EXPECT_EQ(fingerprint(layer.state_dict()), bits.back());
  EXPECT_EQ(adam.steps(), 8);
}

TEST(Callbacks, GoOnWithALog) {
  const TestFolder folder;
  const std::string path = folder.path() + "/log.csv";
  const auto fit = [&](int64_t first, int64_t last, bool append) {
    nn::Linear layer(4, 2, {.key = random::Key(1)});
    Model model(layer);
    model.compile("sgd", "cross_entropy");
    model.fit(Points(6), {.epochs = last,
                          .callbacks = {CSVLogger(path, append)},
                          .initial_epoch = first,
                          .verbose = 0});
    return read_file(path);
  };
  const std::string one = fit(0, 3, false);
  EXPECT_TRUE(one.starts_with("epoch,loss\n0,0."));
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 4);
  const std::string two = fit(2, 4, true);  // epoch 2 is done again
  EXPECT_EQ(std::count(two.begin(), two.end(), '\n'), 5);
  EXPECT_EQ(two.substr(0, 20), one.substr(0, 20));
}

// Ends a run, or pretends that it was killed: an error that nobody expects.
struct EndAt : Callback {
  int64_t step;
  bool kills;
  EndAt(int64_t step, bool kills) : step(step), kills(kills) {}
  void on_batch_begin(Run& run, int64_t) override {
    if (run.step() != step) return;
    if (kills) throw std::runtime_error("killed");
    run.stop("interrupted");
  }
};

struct Ended {
  std::string bits;
  std::vector<std::pair<std::string, std::vector<double>>> history;
  bool operator==(const Ended&) const = default;
};

Ended run_to_the_end(const std::string& folder, bool is_eager, bool is_dataset, EndAt* ending) {
  seed(11);
  nn::Sequential net = small_net();
  Model model(net);
  optim::AdamW optimizer(net.parameters(), {.lr = 0.01});
  optim::Schedule schedule(optimizer, optim::schedules::cosine(15));
  LearningRateScheduler rates(schedule, Every::kStep);
  model.compile(optimizer, "cross_entropy", {"accuracy", "auc"}, {.run_eagerly = is_eager});
  Callbacks callbacks = {rates, EarlyStopping({.patience = 9, .restore_best_weights = true})};
  if (ending != nullptr) callbacks.push_back(*ending);
  if (!folder.empty()) callbacks.push_back(Resume(folder, {.every_steps = 4}));
  const Points data(70), kept(10, 2);
  const Examples rows = data;
  const data::Dataset batches =
      data::Dataset::from_tensor_slices({data.x, data.y}).shuffle(70, {.seed = 4}).batch(16);
  const History history = model.fit(is_dataset ? Examples(batches) : rows, {.epochs = 3,
                                                                            .batch_size = 16,
                                                                            .validation_data = kept,
                                                                            .callbacks = callbacks,
                                                                            .verbose = 0});
  std::string bits = fingerprint(net.state_dict());
  bits += fingerprint(optimizer.state_dict());
  bits += fingerprint(random::next_key().words());
  return {bits, history.history};
}

TEST(Callbacks, ARunThatWasStoppedEndsWithTheSameBits) {
  std::mt19937 draw(5);
  for (const bool is_dataset : {false, true}) {
    const Ended whole = run_to_the_end("", true, is_dataset, nullptr);
    for (int trial = 0; trial < 10; ++trial) {
      const TestFolder folder;
      const bool is_eager = trial % 2 == 0;
      EndAt ending(1 + static_cast<int64_t>(draw() % 14), trial % 4 >= 2);
      try {
        run_to_the_end(folder.path(), is_eager, is_dataset, &ending);
      } catch (const std::runtime_error&) {
        EXPECT_TRUE(ending.kills);
      }
      EndAt never(-1, false);
      EXPECT_EQ(run_to_the_end(folder.path(), is_eager, is_dataset, &never), whole)
          << "stopped at step " << ending.step << (is_dataset ? " of a dataset" : "");
    }
  }
}

TEST(Callbacks, ARunThatIsDoneStaysSo) {
  const TestFolder folder;
  const Ended whole = run_to_the_end(folder.path(), false, false, nullptr);
  const Ended again = run_to_the_end(folder.path(), false, false, nullptr);
  EXPECT_EQ(again.history, whole.history);
}

struct Logarithm : nn::Module<Logarithm> {
  nn::Linear layer{4, 2, {.key = random::Key(1)}};
  nn::Dropout dropout{0.1};
  static constexpr auto fields =
      fields_of(nn::field("layer", &Logarithm::layer), nn::field("dropout", &Logarithm::dropout));
  Tensor forward(const Tensor& x) const {
    const Tensor roots = log(index(x, {kEllipsis, Range{0, 1}}));
    return dropout(layer(x)) + roots;
  }
};

TEST(Callbacks, NameTheOpAndTheRecordsOfANaN) {
  for (const bool run_eagerly : {false, true}) {
    seed(1);
    Logarithm net;
    Model model(net);
    model.compile("sgd", "cross_entropy", {}, {.run_eagerly = run_eagerly});
    Tensor x = abs(random::normal(random::Key(3), {40, 4}));
    x = at(x, {21, 0}).set(-1.0);
    x = at(x, {30, 0}).set(-1.0);
    const std::string before = fingerprint(net.layer.weight.value());
    std::string after_the_first;
    LambdaCallback noting({.on_batch_end = [&](train::Run& run, int64_t) {
      if (run.step() == 1) after_the_first = fingerprint(net.layer.weight.value());
    }});
    TerminateOnNaN ending;
    const History history = model.fit({x, Points(40).y}, {.epochs = 2,
                                                          .batch_size = 16,
                                                          .callbacks = {noting, ending},
                                                          .verbose = 0,
                                                          .shuffle = false});
    EXPECT_EQ(ending.op(), "log");
    EXPECT_EQ(ending.records(), (std::vector<int64_t>{21, 30}));
    EXPECT_TRUE(ending.line().find("callbacks_test.cc:") != std::string::npos) << ending.line();
    EXPECT_EQ(history.stop_reason,
              text("the loss or a gradient is not finite in epoch 1, batch 2: log gave nan of "
                   "finite inputs at ",
                   ending.line(), "; records 21, 30 are the cause"));
    EXPECT_NE(after_the_first, before);
    EXPECT_EQ(fingerprint(net.layer.weight.value()), after_the_first);
  }
}

TEST(Callbacks, NameTheRecordThatSpoilsAWholeBatch) {
  const auto ended = [](const Examples& examples, int64_t columns) {
    seed(1);
    nn::Sequential net({[](const Tensor& x) { return log(x + 10.0); }, nn::Linear(columns, 8),
                        nn::BatchNorm1d(8), nn::Linear(8, 2)});
    Model model(net);
    model.compile("sgd", "cross_entropy");
    TerminateOnNaN ending;
    FitOptions options{.callbacks = {ending}, .verbose = 0};
    if (examples.dataset() == nullptr) options.batch_size = 8;
    const History history = model.fit(examples, options);
    return std::tuple(ending.records(), ending.origins(), history.stop_reason.value_or(""));
  };
  const Points data(24);
  const Tensor x = at(data.x, {13, 2}).set(std::numeric_limits<double>::quiet_NaN());
  const auto [of_rows, none, why] = ended({x, data.y}, 4);
  EXPECT_EQ(of_rows, (std::vector<int64_t>{13}));
  EXPECT_TRUE(none.empty());
  const data::Dataset shuffled =
      data::Dataset::from_tensor_slices({x, data.y}).shuffle(24, {.seed = 3}).batch(8).prefetch(1);
  EXPECT_EQ(std::get<0>(ended(shuffled, 4)), (std::vector<int64_t>{13}));
  // Finite, but of no finite logarithm: all losses are NaN, for the mean of the batch is.
  const Tensor finite = at(data.x, {5, 0}).set(-10.0);
  EXPECT_EQ(std::get<0>(ended({finite, data.y}, 4)), (std::vector<int64_t>{5}));

  const TestFolder folder;
  const std::string path = folder.path() + "/data.csv";
  std::string lines = "a,b,class\n";
  for (int i = 0; i < 12; ++i) lines += text(i == 6 ? "" : "1.5", ",", i, ",", i % 2, "\n");
  write_file_atomically(path, lines);
  const auto parted = [](const data::Element& row) {
    const std::vector<Tensor> both = {row[0], row[1]};
    return data::Element{stack(both), cast(row[2], DType::kI64)};
  };
  const auto [places, origins, reason] =
      ended(data::csv({path}).map(parted).shuffle(12, {.seed = 2}).batch(4), 2);
  ASSERT_EQ(origins.size(), 1U);
  EXPECT_TRUE(origins[0].starts_with(path + ", line 8")) << origins[0];
  EXPECT_TRUE(reason.ends_with(text("example ", places[0], " (", origins[0], ") is the cause")))
      << reason;
}

}  // namespace
}  // namespace weft::train
