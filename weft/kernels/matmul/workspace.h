// Scratch: aligned memory for packed panels, kept by each thread for its next matmul.
#pragma once

#include <cstdint>

namespace weft::kernels {

// Which of a thread's buffers: the caller of matmul uses the shared ones, each task its own.
enum class Room : int { kSharedB, kSharedC, kTask, kTaskC };
inline constexpr int kNumRooms = 4;

// Memory of this thread for `room`, at least `bytes` long and 64-byte aligned, valid until the next
// call with the same room on this thread. Raises kOutOfMemory.
void* scratch(Room room, int64_t bytes);

}  // namespace weft::kernels
