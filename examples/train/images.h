// Images for the examples: which are learnt.
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
