// Scratch: working memory of one call, from the caching allocator.
#pragma once

#include "weft/core/allocator.h"

namespace weft::kernels {

class Scratch {
 public:
  explicit Scratch(int64_t bytes) : block_(allocate(bytes)) {}
  ~Scratch() { deallocate(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* data() const { return static_cast<char*>(block_.data); }

 private:
  MemoryBlock block_;
};

}  // namespace weft::kernels
