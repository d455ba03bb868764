// Two networks play against each other until one of them writes digits (Goodfellow et al. 2014,
// Radford et al. 2016).
//
// A full run on the 1437 digits of scikit-learn takes 60 epochs in 12 s: the distance of forgeries
// from test images comes down from 0.34 to 0.05; genuine digits are 0.03 apart. One epoch of MNIST
// takes a minute and comes to 0.03. The picture has 64 of them. gan.py is the twin in Python.
//
// The forger makes images of random numbers; the judge tells them from genuine ones, and each
// learns from the other's faults. Both updates are one traced step.
#include "images.h"

using namespace weft;
using data::Dataset, data::Element;

namespace {

constexpr const char* kHelp =
    "gan [--quick] [--images NAME] [--data FOLDER] [--out FILE]: two networks play against each\n"
    "other until one of them writes digits, and draws them.\n"
    "  --quick         10 epochs of the digits, and a bound of 0.22, not 0.08\n"
    "  --images NAME   what is forged: digits (as usual), mnist or fashion_mnist\n"
    "  --data FOLDER   where the files of the images are\n"
    "  --out FILE      the picture (gan.png)\n";
constexpr int64_t kLatent = 32, kBatch = 32;

constexpr Task kTasks[] = {
    {"digits", 16, 60, 0.08}, {"mnist", 255, 1, 0.06}, {"fashion_mnist", 255, 1, 0.08}};
constexpr Task kQuick{"digits", 16, 10, 0.22};

// From random numbers to images [n, 1, side, side] of 0 to 1.
nn::Sequential new_forger(int64_t side) {
  const int64_t part = side / 4;
  return {nn::Linear(kLatent, 64 * part * part),
          nn::Unflatten(1, {64, part, part}),
          nn::BatchNorm2d(64),
          nn::ReLU(),
          nn::ConvTranspose2d(64, 32, 4, {.stride = 2, .padding = 1}),
          nn::BatchNorm2d(32),
          nn::ReLU(),
          nn::ConvTranspose2d(32, 1, 4, {.stride = 2, .padding = 1}),
          nn::Sigmoid()};
}

// From images to a number for each: high is genuine.
nn::Sequential new_judge(int64_t side) {
  const int64_t part = side / 4;
  return {nn::Conv2d(1, 32, 4, {.stride = 2, .padding = 1}),
          nn::LeakyReLU(0.2),
          nn::Conv2d(32, 64, 4, {.stride = 2, .padding = 1}),
          nn::LeakyReLU(0.2),
          nn::Flatten(),
          nn::Linear(64 * part * part, 1)};
}

// Of two sets of images: that of their shadows on 256 random lines, in the mean (sliced
// Wasserstein).
double distance(const Tensor& a, const Tensor& b, const random::Key& key) {
  const Tensor all = flatten(a, 1), drawn = random::normal(key, {all.dim(1), 256});
  const Tensor lines = drawn / linalg::vector_norm(drawn, Ints{0});
  const Tensor left = sort(matmul(all, lines), 0), right = sort(matmul(flatten(b, 1), lines), 0);
  return mean(abs(left - right)).item();
}

// The forger and the judge, and a step of both.
struct Match {
  nn::Sequential forger, judge;
  optim::Adam forging{forger.parameters(), {.lr = 1e-3, .beta1 = 0.5}};
  optim::Adam judging{judge.parameters(), {.lr = 1e-3, .beta1 = 0.5}};

  Tensor mistaken(const Tensor& images, double truth) const {
    const Tensor said = judge(images);
    return nn::binary_cross_entropy_with_logits(said, full_like(said, truth));
  }
  Tensor step(const Tensor& genuine, const random::Key& key) {
    const Tensor z = random::normal(key, {genuine.dim(0), kLatent});
    const Tensor forged = stop_gradient(forger(z));
    judging.minimize([&] {
      const Tensor missed = mistaken(genuine, 0.9);  // 0.9: never too sure
      return missed + mistaken(forged, 0.0);
    });
    return forging.minimize([&] { return mistaken(forger(z), 1.0); });
  }
  // By the statistics of all batches, not of this one.
  Tensor forged(const Tensor& z) const {
    nn::Sequential ready = forger;
    return ready.eval()(z);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv, kHelp, {.out = "gan.png"});
  const Task& task = task_of(options, kTasks, kQuick);
  const auto prepared = [&](const Element& e) {
    return Element(expand_dims(cast(e[0], DType::kF32) / task.ink, 1));
  };
  const Dataset images = images_of(task, options, "train");
  const Dataset unseen = images_of(task, options, "test");
  const Dataset batches = images.shuffle(images.cardinality(), {.seed = 1})
                              .batch(kBatch, {.drop_remainder = true})
                              .map(prepared);
  const Tensor test = (*unseen.batch(unseen.cardinality()).map(prepared).begin())[0];

  const random::Key key(2014);
  seed(2014);
  const int64_t side = test.dim(-1).value();
  Match match{new_forger(side), new_judge(side)};
  const auto step = function(
      [&](const Tensor& genuine, const random::Key& drawn) { return match.step(genuine, drawn); });
  const Tensor z = random::normal(key, {test.dim(0), kLatent});
  double off = distance(match.forged(z), test, key);
  std::printf("at first    distance from test images %.5f\n", off);
  for (int epoch = 1; epoch <= task.epochs; ++epoch) {
    int64_t i = 0;
    for (const Element& genuine : batches) step(genuine[0], key.fold_in(epoch).fold_in(i++));
    if (epoch % std::max(task.epochs / 5, 1) != 0) continue;
    off = distance(match.forged(z), test, key);
    std::printf("epoch %4d  distance from test images %.5f\n", epoch, off);
  }
  const Tensor some = index(match.forged(z), {Range{0, 64}, 0});
  train::draw_images(options.out, some, {.columns = 16});
  std::printf("forgeries are %.5f away from test images; 64 of them: %s\n", off,
              options.out.c_str());
  if (off < task.bound) return 0;
  std::fprintf(stderr, "gan: a distance of %.5f is not below %g\n", off, task.bound);
  return 1;
}
