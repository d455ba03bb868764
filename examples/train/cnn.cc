// A convolutional network tells pieces of clothing apart: batch norms, a schedule for every step,
// compile and fit.
//
// Learns Fashion-MNIST to a test accuracy of 91 % in 4 epochs, a minute on two cores; where it is
// absent MNIST to 99 %, or the digits of scikit-learn to 97 %. cnn.py is the twin in Python, with
// the same bits.
#include <weft/weft.h>

#include "options.h"

using namespace weft;
using data::Dataset, data::Element, data::load_dataset;

namespace {

constexpr const char* kHelp =
    "cnn [--quick] [--data FOLDER]: a convolutional network tells pieces of clothing apart.\n"
    "  --quick         the digits of scikit-learn in 3 epochs, to an accuracy above 0.85\n"
    "  --data FOLDER   where the files of the datasets are\n";

struct Choice {
  const char* name;
  double brightest;  // pixel
  int epochs;
  double bound;  // the accuracy that must be passed
};
// What is looked for, in this order.
constexpr Choice kChoices[] = {
    {"fashion_mnist", 255.0, 4, 0.905}, {"mnist", 255.0, 4, 0.985}, {"digits", 16.0, 30, 0.95}};
constexpr Choice kQuick{"digits", 16.0, 3, 0.85};

struct Found {
  Choice choice;
  Dataset train, test;
};

// The first of the datasets that is here.
Found found(std::span<const Choice> choices, const std::string& folder) {
  for (const Choice& one : choices) {
    try {
      return {one, load_dataset(one.name, {.folder = folder}),
              load_dataset(one.name, {.folder = folder, .split = "test"})};
    } catch (const Error& error) {
      std::puts(error.what());
    }
  }
  std::fprintf(stderr, "cnn: there is no data to learn from\n");
  std::exit(1);
}

// For images of side x side pixels and ten classes.
nn::Sequential network(int64_t side) {
  nn::Sequential model;
  for (const auto& [inputs, outputs] : {std::pair(1, 16), std::pair(16, 32)}) {
    model.add(nn::Conv2d(inputs, outputs, 3, {.padding = 1, .bias = false}));
    model.add(nn::BatchNorm2d(outputs));
    model.add(nn::ReLU());
    model.add(nn::MaxPool2d(2));
  }
  model.add(nn::Flatten());
  model.add(nn::Dropout(0.2));
  model.add(nn::Linear(32 * (side / 4) * (side / 4), 10));
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv, kHelp);
  seed(0);
  const auto [choice, images, test_images] =
      found(options.quick ? std::span(&kQuick, 1) : std::span(kChoices), options.data);
  const auto [name, brightest, epochs, bound] = choice;

  // Images as [n, 1, height, width] from 0 to 1.
  const auto prepared = [brightest = brightest](const Element& batch) -> Element {
    const auto [pixels, labels] = batch.tensors<2>();
    return {expand_dims(pixels, 1) / brightest, cast(labels, DType::kI64)};
  };
  const Dataset batches =
      images.shuffle(images.cardinality(), {.seed = 1}).batch(64).map(prepared).prefetch(2);
  const int64_t side = (*test_images.begin())[0].shape()[0].value();
  nn::Sequential model = network(side);

  std::puts(text(model.summary(Shape{64, 1, side, side})).c_str());
  std::printf("%s: %ld images to learn from, %ld to be tested with\n", name,
              static_cast<long>(images.cardinality()),
              static_cast<long>(test_images.cardinality()));
  optim::Adam optimizer(model.parameters(), {.lr = 5e-3});
  const auto steps = static_cast<double>(epochs * batches.cardinality());
  optim::Schedule schedule(optimizer, optim::schedules::one_cycle(steps));
  train::Model trained(model);
  trained.compile(optimizer, nn::CrossEntropyLoss(), {"accuracy"});
  trained.fit(batches,
              {.epochs = epochs,
               .callbacks = {train::LearningRateScheduler(schedule, train::Every::kStep)}});
  const train::Logs result = trained.evaluate(test_images.batch(250).map(prepared));
  const double accuracy = result["accuracy"];
  std::printf("%s: test loss %.4f, accuracy %.4f\n", name, result["loss"], accuracy);
  if (accuracy > bound) return 0;
  std::fprintf(stderr, "cnn: the accuracy is not above %g\n", bound);
  return 1;
}
