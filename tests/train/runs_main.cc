// Trains models and prints what became of them: fingerprints, and numbers by their bits.
//
//   training_runs                        all runs
//   training_runs resume <folder> <n>    the run "resumed" up to epoch n, with its checkpoints
//   training_runs resume <folder> <n> <step>    the same, killed before a step
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/base/file.h"
#include "weft/base/sha256.h"
#include "weft/weft.h"

namespace {

using namespace weft;

struct Data {
  Tensor x, y;
};

// Points of two classes that a line does not part.
Data points(uint64_t seed, int64_t count) {
  const Tensor x = random::normal(random::Key(seed), {count, 4});
  const Tensor left = index(x, {kEllipsis, 0}), right = index(x, {kEllipsis, 1});
  return {x, cast(left * right > 0.0, DType::kI64)};
}

// Points and a smooth function of them.
Data curve(uint64_t seed, int64_t count) {
  const Tensor x = random::normal(random::Key(seed), {count, 4});
  const Tensor wave = sin(index(x, {kEllipsis, Range{0, 1}}));
  return {x, wave + index(x, {kEllipsis, Range{1, 2}})};
}

std::string bits_of(double number) {
  char out[32];
  std::snprintf(out, sizeof out, "%016llx",
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(number)));
  return number != number ? "nan" : out;
}

void say(const std::string& run, const std::string& fact, const std::string& value) {
  std::printf("%s\t%s\t%s\n", run.c_str(), fact.c_str(), value.c_str());
}

void say_numbers(const std::string& run, const std::string& fact, const train::Logs& logs) {
  std::string all;
  for (const auto& [name, value] : logs) all += name + "=" + bits_of(value) + " ";
  say(run, fact, all);
}

void say_all(const std::string& run, train::Model& model, const train::History& history) {
  say(run, "parameters", fingerprint(model.module().state_dict()));
  say(run, "optimizer", fingerprint(model.optimizer().state_dict()));
  for (const auto& [name, values] : history.history) {
    std::string all;
    for (const double value : values) all += bits_of(value) + " ";
    say(run, "history of " + name, all);
  }
  say(run, "why it stopped", history.stop_reason.value_or("None"));
  say(run, "draws", text(random::generator_state().draws));
}

nn::Sequential mlp(int64_t outputs) {
  return nn::Sequential({nn::Linear(4, 16), relu, nn::Dropout(0.2), nn::Linear(16, outputs)});
}

// Dropout, an uneven last batch, Adam with a schedule, validation, accuracy.
void run_mlp(const std::string& name, bool run_eagerly) {
  seed(5);
  nn::Sequential net = mlp(2);
  train::Model model(net);
  optim::Adam adam(net.parameters(), {.lr = 0.02});
  optim::Schedule schedule(adam, optim::schedules::cosine(30));
  train::LearningRateScheduler rates(schedule, train::Every::kStep);
  model.compile(adam, nn::CrossEntropyLoss(), {"accuracy"}, {.run_eagerly = run_eagerly});
  const Data seen = points(1, 150), kept = points(2, 37);
  const train::History history = model.fit(
      {seen.x, seen.y},
      {.epochs = 3, .validation_data = {kept.x, kept.y}, .callbacks = {rates}, .verbose = 0});
  say_all(name, model, history);
  say_numbers(name, "evaluated", model.evaluate({kept.x, kept.y}, {.batch_size = 10}));
  say(name, "predicted", fingerprint(model.predict(kept.x, 8)));
  const train::ClassWeight weights = {{1, 3.0}};
  say_numbers(name, "on a batch", model.train_on_batch({kept.x, kept.y}, weights));
  say(name, "parameters after it", fingerprint(net.state_dict()));
}

void run_dataset() {
  seed(6);
  nn::Sequential net = mlp(1);
  train::Model model(net);
  optim::RMSprop optimizer(net.parameters(), {.lr = 0.01});
  model.compile(optimizer, "huber", {"mse", "mae", "r2"}, {.clip_norm = 0.5});
  const Data seen = curve(3, 75), kept = curve(4, 21);
  const data::Dataset batches =
      data::Dataset::from_tensor_slices({seen.x, seen.y}).shuffle(75, {.seed = 9}).batch(16);
  const data::Dataset rest = data::Dataset::from_tensor_slices({kept.x, kept.y}).batch(8);
  const train::History history =
      model.fit(batches, {.epochs = 3, .validation_data = rest, .verbose = 0});
  say_all("dataset", model, history);
}

void run_weights() {
  seed(7);
  nn::Sequential net = mlp(2);
  train::Model model(net);
  optim::AdamW optimizer(net.parameters(), {.lr = 0.01});
  train::ConfusionMatrix confusion(2);
  model.compile(optimizer, "cross_entropy", {"precision", "recall", "f1", "auc", confusion},
                {.accumulate = 2});
  const Data seen = points(5, 101);
  const train::History history = model.fit({seen.x, seen.y}, {.epochs = 3,
                                                              .batch_size = 12,
                                                              .class_weight = {{0, 0.5}, {1, 2.0}},
                                                              .verbose = 0,
                                                              .validation_split = 0.2});
  say_all("weights", model, history);
  say("weights", "confusion", fingerprint(confusion.matrix()));
}

void run_float16() {
  seed(8);
  nn::Sequential net = mlp(2);
  train::Model model(net);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  model.compile(optimizer, "cross_entropy", {"accuracy", "perplexity"}, {.precision = DType::kF16});
  const Data seen = points(6, 64);
  say_all("float16", model, model.fit({seen.x, seen.y}, {.epochs = 2, .verbose = 0}));
}

// A frozen layer that learns later, sums in float16, one logit, float targets with weights, groups.
void run_frozen() {
  seed(12);
  nn::Sequential net = mlp(1);
  train::Model model(net);
  optim::AdamW optimizer(std::vector<optim::ParamGroup>{
      {net.get<nn::Linear>(0).parameters()},
      {net.get<nn::Linear>(3).parameters(), {{.name = "lr", .value = 0.02}}}});
  model.compile(optimizer, "binary_cross_entropy_with_logits", {"accuracy", "f1", "auc"},
                {.precision = DType::kF16, .accumulate = 2});
  const Data seen = points(13, 77);
  const Tensor targets = reshape(cast(seen.y, DType::kF32), {77, 1});
  train::LambdaCallback thawing({.on_epoch_begin = [&](train::Run&, int64_t epoch) {
    net.get<nn::Linear>(0).freeze(epoch == 0);
  }});
  train::LearningRateScheduler rates(
      [](int64_t epoch) { return 0.005 / static_cast<double>(epoch + 1); });
  const train::History history = model.fit({seen.x, targets}, {.epochs = 3,
                                                               .batch_size = 8,
                                                               .callbacks = {thawing, rates},
                                                               .class_weight = {{0, 0.5}},
                                                               .verbose = 0});
  say_all("frozen", model, history);
  say("frozen", "rate of the second", text(optimizer.groups()[1].value("lr")));
}

// Sizes that the first batch tells, statistics of batches, an optimizer by its name.
void run_convolution() {
  seed(9);
  nn::Sequential net({nn::Conv2d(nn::kInferred, 4, 3, {.padding = 1}), nn::BatchNorm2d(), relu,
                      nn::Flatten(), nn::Linear(nn::kInferred, 3)});
  train::Model model(net);
  model.compile("adam", "cross_entropy", {train::TopKAccuracy(2)});
  const Tensor x = random::normal(random::Key(7), {50, 2, 5, 5});
  const Tensor y = argmax(mean(reshape(x, {50, 2, 25}), Ints{-1}), -1);
  const train::History history =
      model.fit({x, y}, {.epochs = 2, .batch_size = 16, .validation_data = {x, y}, .verbose = 0});
  say_all("convolution", model, history);
}

// A graph of layers: two inputs, two outputs with names, ops between layers, a layer that is called
// twice.
void run_layers() {
  seed(14);
  const Tensor image = nn::Input({4}, {.name = "image"}), words = nn::Input({4}, {.name = "words"});
  const nn::Linear shared(4, 8);
  const Tensor looked = nn::Dropout(0.2)(tanh(shared(image)));
  const Tensor read = nn::LayerNorm()(shared(words));
  const Tensor joined = concat(Tensors{looked, read}, 1);
  const Tensor scores = nn::Linear(16, 2)(joined);
  const Tensor wave = nn::Linear(nn::kInferred, 1)(joined) * 0.5;
  nn::Model net({image, words}, {{"class", scores}, {"wave", wave}});
  say("layers", "text", net.repr());
  say("layers", "first parameters", fingerprint(net.state_dict()));
  say("layers", "summary", text(net.summary()));
  train::Model model(net);
  optim::Adam adam(net.parameters(), {.lr = 0.02});
  model.compile(adam, std::vector<train::Loss>{"cross_entropy", "mse"},
                {train::OfOutput(0, "accuracy")});
  const Data seen = points(15, 70), other = curve(16, 70);
  const train::Examples examples({seen.x, other.x}, {seen.y, other.y});
  const train::History history = model.fit(examples, {.epochs = 3, .batch_size = 16, .verbose = 0});
  std::string names;
  for (const auto& [name, parameter] : net.named_parameters()) names += name + " ";
  say("layers", "names", names);
  say("layers", "parameters", fingerprint(net.state_dict()));
  for (const auto& [name, values] : history.history) {
    if (name != "loss") continue;  // names of metrics of one output are the languages' own
    std::string all;
    for (const double value : values) all += bits_of(value) + " ";
    say("layers", "history of " + name, all);
  }
  say("layers", "draws", text(random::generator_state().draws));
  const Tensors out = model.predict_all(std::vector<Tensor>{seen.x, other.x});
  say("layers", "predicted", fingerprint(out[0]) + fingerprint(out[1]));
}

struct Branch : nn::Module<Branch> {
  nn::Sequential body{{nn::Linear(4, 4), nn::ReLU()}};
  std::vector<nn::Linear> heads{nn::Linear(4, 2)};
  static constexpr auto fields =
      fields_of(nn::field("body", &Branch::body), nn::field("heads", &Branch::heads));
  Tensor forward(const Tensor& x) const { return tanh(heads[0](body(x))); }
};

// What nodes of a graph are called.
void run_scopes() {
  seed(15);
  const Branch net;
  const nn::Sequential outer({net, nn::Linear(2, 2)});
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    outer(graph.placeholder(DType::kF32, {2, 4}, "x"));
  }
  std::string names;
  for (const Operation operation : graph.operations()) names += graph.node(operation).name + " ";
  say("scopes", "names", names);
}

void run_stopped(const std::string& folder) {
  seed(10);
  nn::Sequential net = mlp(1);
  train::Model model(net);
  optim::SGD optimizer(net.parameters(), {.lr = 0.3});
  model.compile(optimizer, "mse");
  const Data seen = curve(8, 40), kept = curve(9, 20);
  train::EarlyStopping stopping({.patience = 2, .restore_best_weights = true});
  train::ReduceLROnPlateau plateau({.factor = 0.5, .patience = 1});
  train::LearningRateScheduler rates(
      [](int64_t epoch, double rate) { return rate / (1.0 + 0.1 * static_cast<double>(epoch)); });
  const std::string log = folder + "/log.csv";
  const train::History history =
      model.fit({seen.x, seen.y}, {.epochs = 30,
                                   .batch_size = 9,
                                   .validation_data = {kept.x, kept.y},
                                   .callbacks = {stopping, plateau, rates, train::CSVLogger(log)},
                                   .initial_epoch = 1,
                                   .verbose = 0,
                                   .shuffle = false});
  say_all("stopped", model, history);
  say("stopped", "rate", bits_of(optimizer.lr()));
  say("stopped", "log", read_file(log));
  const std::string pictures[] = {folder + "/curves.png", folder + "/confusion.svg",
                                  folder + "/images.png"};
  history.plot(pictures[0]);
  train::draw_confusion(pictures[1], tensor({{12345, 2}, {0, 7}}), {"cat", "dog"});
  train::draw_images(pictures[2], reshape(kept.x, {20, 2, 2}), {.columns = 5});
  for (const std::string& picture : pictures) {
    const std::string bytes = read_file(picture);
    Sha256 hash;
    hash.add(bytes.data(), bytes.size());
    say("stopped", picture.substr(folder.size() + 1), hash.hex());
  }
  say("stopped", "summary", text(net.summary(kept.x)));
}

// A run that can be taken up again: after an epoch, or in the middle of one.
void run_resumed(const std::string& folder, int64_t epochs, int64_t killed_at = -1) {
  seed(11);
  nn::Sequential net = mlp(2);
  train::Model model(net);
  optim::Adam adam(net.parameters(), {.lr = 0.02});
  optim::Schedule schedule(adam, optim::schedules::exponential(0.9));
  model.compile(adam, "cross_entropy", {"accuracy", "auc"});
  const Data seen = points(11, 90), kept = points(12, 20);
  const data::Dataset batches =
      data::Dataset::from_tensor_slices({seen.x, seen.y}).shuffle(90, {.seed = 4}).batch(16);
  train::LambdaCallback killing({.on_batch_begin = [&](train::Run& run, int64_t) {
    if (run.step() == killed_at) std::raise(SIGKILL);
  }});
  train::Callbacks callbacks = {train::EarlyStopping({.patience = 5}),
                                train::LearningRateScheduler(schedule), killing};
  if (!folder.empty()) callbacks.push_back(train::Resume(folder, {.every_steps = 4}));
  const train::History history = model.fit(batches, {.epochs = epochs,
                                                     .validation_data = {kept.x, kept.y},
                                                     .callbacks = callbacks,
                                                     .verbose = 0});
  say_all("resumed", model, history);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 4 && std::strcmp(argv[1], "resume") == 0) {
    run_resumed(argv[2], std::atoll(argv[3]), argc > 4 ? std::atoll(argv[4]) : -1);
    return 0;
  }
  const std::string folder = argc > 1 ? argv[1] : ".";
  run_mlp("mlp", false);
  run_mlp("mlp, eagerly", true);
  run_dataset();
  run_weights();
  run_float16();
  run_frozen();
  run_convolution();
  run_layers();
  run_scopes();
  run_stopped(folder);
  run_resumed("", 4);
  return 0;
}
