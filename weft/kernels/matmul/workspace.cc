// Each thread's scratch buffers; they grow and are given back when the thread ends.
#include "weft/kernels/matmul/workspace.h"

#include <new>

#include "weft/base/checked.h"
#include "weft/base/error.h"

namespace weft::kernels {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Buffer {
  void* data = nullptr;
  int64_t bytes = 0;

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ::operator delete(data, kAlignment); }

  void grow(int64_t wanted) {
    ::operator delete(data, kAlignment);
    bytes = 0;
    data = ::operator new(static_cast<size_t>(wanted), kAlignment, std::nothrow);
    if (data == nullptr) {
      fail(Code::kOutOfMemory, "matmul", "", "cannot allocate ", wanted,
           " bytes to pack the operands in; free memory or multiply smaller parts");
    }
    bytes = wanted;
  }
};

thread_local Buffer t_buffers[kNumRooms];

}  // namespace

void* scratch(Room room, int64_t bytes) {
  Buffer& buffer = t_buffers[static_cast<int>(room)];
  if (buffer.bytes < bytes) buffer.grow(bytes);
  return buffer.data;
}

}  // namespace weft::kernels
