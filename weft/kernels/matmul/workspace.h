// Workspace: memory for packed panels and sums, given back at the end of the scope.
#pragma once

#include <cstdint>

#include "weft/core/allocator.h"

namespace weft::kernels {

class Workspace {
 public:
  Workspace() = default;
  explicit Workspace(int64_t bytes) : block_(allocate(bytes)) {}  // raises kOutOfMemory
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { deallocate(block_); }

  void renew(int64_t bytes) {
    deallocate(block_);
    block_ = {};
    block_ = allocate(bytes);
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(block_.data);
  }

 private:
  MemoryBlock block_;
};

}  // namespace weft::kernels
