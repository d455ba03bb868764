// What the programs share that feed a reader what makes no sense: options, and the loop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/mutate.h"

namespace weft::fuzz {

struct Subject {
  std::string name;
  std::vector<std::string> samples;  // what reads
  std::function<std::string(Random&)> make;
  // Raises an Error for what does not read; gives what is wrong with what does, or nothing.
  std::function<std::string(const std::string&)> read;
  size_t always = 0, per_byte = 0;  // bytes of memory that it may ask for
  uint64_t count = 0;               // of a run
};

// PROGRAM WHAT [--long] [--seed N] [--count N], where `find` knows what.
int drive(int argc, char** argv, std::optional<Subject> (*find)(const std::string& what));

}  // namespace weft::fuzz
