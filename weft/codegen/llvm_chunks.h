// Wide vectors cut into chunks for instructions of a fixed width.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <span>
#include <vector>

namespace weft::codegen {

// Lanes [first, first + count) of a vector.
inline llvm::Value* lanes_of(llvm::IRBuilder<>& b, llvm::Value* vector, int first, int count) {
  std::vector<int> mask;
  for (int i = 0; i < count; ++i) mask.push_back(first + i);
  return b.CreateShuffleVector(vector, mask);
}

// Joins vectors of equal length, pairwise; their number is a power of two.
inline llvm::Value* joined(llvm::IRBuilder<>& b, std::vector<llvm::Value*> parts) {
  while (parts.size() > 1) {
    std::vector<llvm::Value*> pairs;
    const auto lanes = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
    std::vector<int> all;
    for (unsigned i = 0; i < 2 * lanes; ++i) all.push_back(static_cast<int>(i));
    for (size_t i = 0; i < parts.size(); i += 2) {
      pairs.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], all));
    }
    parts = std::move(pairs);
  }
  return parts[0];
}

// f of each chunk of the arguments, which are vectors of a multiple of `chunk` lanes.
template <class F>
llvm::Value* in_chunks(llvm::IRBuilder<>& b, int chunk, std::vector<llvm::Value*> args, F f) {
  const auto lanes =
      static_cast<int>(llvm::cast<llvm::FixedVectorType>(args[0]->getType())->getNumElements());
  if (lanes == chunk) return f(std::span<llvm::Value* const>(args));
  std::vector<llvm::Value*> results;
  for (int first = 0; first < lanes; first += chunk) {
    std::vector<llvm::Value*> part;
    for (llvm::Value* arg : args) part.push_back(lanes_of(b, arg, first, chunk));
    results.push_back(f(std::span<llvm::Value* const>(part)));
  }
  return joined(b, results);
}

}  // namespace weft::codegen
