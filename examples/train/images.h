// Images for the examples: which are learnt, and a picture of many.
#pragma once

#include <weft/weft.h>

#include <span>

#include "options.h"

// What load_dataset is asked for, the value of full ink, how many epochs are run, and the bound
// that they come below.
struct Task {
  const char* name;
  double ink;
  int epochs;
  double bound;
};

// The one that --images names, or that of --quick.
inline const Task& task_of(const Options& options, std::span<const Task> tasks, const Task& quick) {
  if (options.quick) return quick;
  for (const Task& task : tasks) {
    if (task.name == options.images) return task;
  }
  std::fprintf(stderr, "there are no images %s; --help lists those there are\n",
               options.images.c_str());
  std::exit(2);
}

// Its images, with their labels; the program ends with what to do if they are not there.
inline weft::data::Dataset images_of(const Task& task, const Options& options, const char* split) {
  try {
    return weft::data::load_dataset(task.name, {.folder = options.data, .split = split});
  } catch (const weft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(1);
  }
}

// Writes images [n, side, side] of 0 to 1 as a PNG, `columns` to a row, enlarged without blur.
inline void draw_images(const std::string& path, const weft::Tensor& images, int64_t columns) {
  using namespace weft;
  constexpr int64_t kWidth = 64, kGap = 4;
  const int64_t count = images.dim(0).value(), side = images.dim(1).value();
  const int64_t zoom = std::max<int64_t>(kWidth / side, 1), cell = side * zoom + 2 * kGap;
  const Tensor large = repeat(repeat(images, zoom, 1), zoom, 2);
  const Tensor framed = pad(large, {0, kGap, kGap}, {0, kGap, kGap}, 1.0);
  const Tensor rows = swapaxes(reshape(framed, {count / columns, columns, cell, cell}), 1, 2);
  const Tensor page = reshape(rows, {count / columns * cell, columns * cell});
  data::write_png(path, cast(round(page * 255.0), DType::kU8));
}
