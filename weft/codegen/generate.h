// What kernelgen does: objects of every tier, C and a table for the kernels of some ops.
#pragma once

#include <span>
#include <string>

#include "weft/op/registry.h"

namespace weft::codegen {

struct GenerateOptions {
  std::string folder;         // where the files go
  int shards = 16;            // files per tier: an op's kernels are in one of them
  std::string register_name;  // the function that adds the table
};

// Writes avx2_<k>.o, avx512_<k>.o, portable_<k>.c for every shard, and table.cc. A file whose
// content would not change is left alone, so that what was built from it stays built.
void generate(std::span<const OpEntry* const> ops, const GenerateOptions& options);

// The command line: kernelgen FOLDER SHARDS REGISTER_NAME [all|added]; `added` leaves the built-in
// ops out. Returns the exit code.
int generate_main(int argc, char** argv);

}  // namespace weft::codegen
